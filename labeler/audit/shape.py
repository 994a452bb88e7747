"""shape.py - values around the first error: the profile, rises after it, errors behind luck.

Binary search assumes that a dead prefix stays dead. `rises` is how often it does not: of solutions
that have a prefix without a correct rollout in its pool, at or after the first error, and a further
prefix behind it, the share where a later one's value is clearly above it (the 95% interval of the
difference excludes zero). A first error that the pool itself located by zeros is such a prefix by
choice, so against `located` rises include false zeros; against truth they do not.
"""

from collections.abc import Iterator

import numpy as np

from labeler.audit.batch import Batch, Cell, Part
from labeler.audit.chains import Floats, Ints
from labeler.audit.draws import interval, rise

REACH = 5
"""Steps before and after the first error that the profile shows."""
ONE = (Cell(),)


def parts(batch: Batch) -> Iterator[Part]:
    """profile, rises and trace_error, by truth and as the run's labels located it."""
    for reference, first in (("truth", batch.chains.truth), ("located", batch.chains.located)):
        yield _profile(batch, reference, first)
        yield _rises(batch, reference, first)
        yield _trace_errors(batch, reference, first)


def _profile(batch: Batch, reference: str, first: Ints) -> Part:
    """The mean value of prefix (first error + d), the bare question included, for each d."""
    chains = batch.chains
    error = first[chains.owner]
    offset = chains.step - error
    at = batch.pooled & (error > 0) & (np.abs(offset) <= REACH)
    where = np.zeros((int(at.sum()), 2 * REACH + 1))
    where[np.arange(len(where)), offset[at] + REACH] = 1.0
    value = (chains.correct[at] / chains.n[at])[:, None]
    return Part(
        measure="profile",
        reference=reference,
        rule="",
        cells=tuple(Cell(None, f"offset={d}") for d in range(-REACH, REACH + 1)),
        numerator=batch.sums(at, where * value),
        denominator=batch.sums(at, where),
        by_group=True,
    )


def _rises(batch: Batch, reference: str, first: Ints) -> Part:
    chains = batch.chains
    start = chains.first[:-1]
    after = batch.is_step & (chains.step >= first[chains.owner]) & (first > 0)[chains.owner]
    step = np.where(after & (chains.correct == 0), chains.step, chains.step.max() + 1)
    dead = np.minimum.reduceat(step, start)  # the earliest dead one
    last = np.maximum.reduceat(np.where(after, chains.step, 0), start)
    counts = dead < last
    later = np.flatnonzero(after & (chains.step > dead[chains.owner]))
    place = start[chains.owner[later]] + dead[chains.owner[later]]
    lower = rise(_value(batch, place), _value(batch, later))[0]
    rose = batch.empty(1)
    rose[chains.owner[later[lower > 0]]] = 1.0
    return Part("rises", reference, "", ONE, rose, counts[:, None].astype(float), by_group=True)


def _value(batch: Batch, at: Ints) -> tuple[Floats, Floats, Floats]:
    n, correct = batch.draws.n, batch.draws.correct
    low, high = interval(n, correct)
    pair = batch.pair[at]
    return (correct / np.maximum(n, 1))[pair], low[pair], high[pair]


def _trace_errors(batch: Batch, reference: str, first: Ints) -> Part:
    """Of solutions with a right answer whose first error is known, the share that has one."""
    known = (batch.chains.right == 1) & (first >= 0)
    wrong = known & (first > 0)
    over, count = (mask[:, None].astype(float) for mask in (known, wrong))
    return Part("trace_error", reference, "", ONE, count, over, by_group=True)
