"""progress.py - how often progress at N has the wrong sign.

Progress of step k is s_k - s_{k-1}. Only steps whose sign the pool shows are asked about: the 95%
interval of the pool's own progress excludes zero (MOVER, as in labels/values.py). For them, with X
and Y correct ones among N rollouts of prefix k-1 and k,

    P(Y < X) = sum_x P(X = x) P(Y <= x-1)

where the pool's progress is positive, and likewise where it is negative. Equal values are no wrong
sign. Steps whose sign the pool shows by luck are among them: against V itself it is a little more.
"""

from collections.abc import Iterator

import numpy as np

from labeler.audit.batch import Batch, Part
from labeler.audit.chains import Floats, Ints
from labeler.audit.draws import interval, rise

_AT_ONCE = 1 << 21


def parts(batch: Batch) -> Iterator[Part]:
    """progress_sign, against the pool."""
    step = batch.chains.step
    after = np.flatnonzero(batch.pooled & np.roll(batch.pooled, 1) & (step > 0))
    couples = np.stack((batch.pair[after - 1], batch.pair[after]), axis=1)
    width = len(batch.draws.n)
    codes, which = np.unique(couples[:, 0] * width + couples[:, 1], return_inverse=True)
    before, behind = codes // max(width, 1), codes % max(width, 1)
    clear = _clear(batch, before, behind)
    opposite = np.stack(
        [_opposite(batch.draws.pmf(n), before, behind, clear) for n in batch.sizes], axis=1
    )
    is_clear = (clear != 0).astype(float)[:, None].repeat(len(batch.sizes), axis=1)
    at = np.zeros(len(step), dtype=bool)
    at[after] = True
    which = which.reshape(-1)
    yield Part(
        measure="progress_sign",
        reference="pool",
        rule="",
        cells=batch.cells,
        numerator=batch.sums(at, opposite[which]),
        denominator=batch.sums(at, is_clear[which]),
    )


def _clear(batch: Batch, before: Ints, after: Ints) -> Ints:
    """(C,): the sign of the pool's progress; 0 where its interval holds zero."""
    n, correct = batch.draws.n, batch.draws.correct
    value = correct / np.maximum(n, 1)
    low, high = interval(n, correct)
    p, q = ((value[i], low[i], high[i]) for i in (before, after))
    lower, upper = rise(p, q)
    return np.where(lower > 0, 1, np.where(upper < 0, -1, 0))


def _opposite(pmf: Floats, before: Ints, after: Ints, sign: Ints) -> Floats:
    """(C,): the probability of the other sign; 0 where there is none."""
    under = np.cumsum(pmf, axis=1) - pmf  # P(X < x)
    smaller = np.where(sign > 0, after, before)  # the one that must come out lower
    larger = np.where(sign > 0, before, after)
    found = np.zeros(len(sign))
    rows = max(1, _AT_ONCE // pmf.shape[1])
    for start in range(0, len(sign), rows):
        part = slice(start, start + rows)
        found[part] = np.einsum("cx,cx->c", pmf[larger[part]], under[smaller[part]])
    return np.where(sign == 0, 0.0, np.clip(found, 0.0, 1.0))
