"""ranks.py - how often soft labels at N put a correct step below a wrong one of its solution.

With X_k correct ones among N rollouts of prefix k, drawn independently, and W the wrong steps,

    P(X_k < max_{j in W} X_j) = 1 - sum_x P(X_k = x) prod_{j in W} P(X_j <= x)

for a correct step k (rank_inversion), averaged over them; rank_tie is P(X_k = max), which few
rollouts have often, where all of them fail. Steps 1..K-1 are looked at: that of the own answer has
no rollouts.
"""

from collections.abc import Iterator

import numpy as np

from labeler.audit.batch import Batch, Block, Part
from labeler.audit.chains import Bools, Floats, Ints

_AT_ONCE = 1 << 21
"""Entries of the largest table."""


def parts(batch: Batch) -> Iterator[Part]:
    """Both against truth, and against the pool's own first zeros of wrong answers."""
    chains = batch.chains
    yield from _parts(batch, "truth", chains.truth, batch.whole)
    yield from _parts(batch, "pool", batch.first_zero, batch.whole & (chains.right == 0))


def _parts(batch: Batch, reference: str, first: Ints, keep: Bools) -> Iterator[Part]:
    """Of solutions with a correct step and a wrong one before step K."""
    keep = keep & (first > 1) & (first < batch.chains.steps)
    found = np.zeros((2, len(batch.chains), len(batch.sizes)))
    tables = [batch.draws.pmf(size) for size in batch.sizes] if keep.any() else []
    for column, pmf in enumerate(tables):
        cdf = np.minimum(np.cumsum(pmf, axis=1), 1.0)
        for block in _chunks(batch, keep, pmf.shape[1]):
            pair = batch.pair[block.at[:, 1:]]
            ranked = _ranked(pair, first[block.solutions], pmf, cdf)
            found[:, block.solutions, column] = ranked
    correct = np.where(keep, first - 1, 0)[:, None].astype(float)
    over = np.repeat(correct, len(batch.sizes), axis=1)
    for measure, count in zip(("rank_inversion", "rank_tie"), found, strict=True):
        yield Part(measure, reference, "", batch.cells, count, over)


def _ranked(pair: Ints, first: Ints, pmf: Floats, cdf: Floats) -> Floats:
    """(2, R): the expected numbers of inverted and of tied correct steps; `pair` is (R, K-1)."""
    is_wrong = np.arange(1, pair.shape[1] + 1) >= first[:, None]
    most = np.where(is_wrong[:, :, None], cdf[pair], 1.0).prod(axis=1)  # (R, N+1): P(max <= x)
    exactly = np.diff(most, axis=1, prepend=0.0)
    each = pmf[pair]
    not_below, tied = (np.einsum("rkx,rx->rk", each, of) for of in (most, exactly))
    both = np.clip(np.stack((1 - not_below, tied)), 0.0, 1.0)
    found: Floats = np.where(is_wrong, 0.0, both).sum(axis=2)
    return found


def _chunks(batch: Batch, keep: Bools, width: int) -> Iterator[Block]:
    for block in batch.blocks(keep):
        rows = max(1, _AT_ONCE // (block.at.shape[1] * width))
        for start in range(0, len(block.solutions), rows):
            stop = start + rows
            yield Block(block.solutions[start:stop], block.at[start:stop])
