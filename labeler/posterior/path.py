"""path.py - forward and backward along one solution: its first error and its levels."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from labeler.posterior.chain import Chain, Floats, chain_of
from labeler.posterior.value_model import ValueModel

NEVER = -1e9
"""Log probability of what cannot be; finite, so that differences stay numbers."""
_EVERY = 8
"""Steps after which the backward pass is scaled: often enough for doubles."""


class Rows(NamedTuple):
    """Log likelihood of what each node of a path and all that hangs beside it say of its state."""

    alive: Floats
    """(K, G)"""
    dead: Floats
    """(K,)"""
    lucky: Floats
    """(K, G): by the level before the error."""


class Leaf(NamedTuple):
    """Log likelihood of a solution's own answer, given the state of prefix K-1."""

    none: Floats
    """(G,): alive, and the last step is right."""
    last: Floats
    """(G,): alive, and the last step is the first error."""
    dead: float
    lucky: float


@dataclass(frozen=True)
class Joint:
    """The posterior of one solution's first error T and of its prefixes' states.

    T is 1, ..., K or none, in this order.
    """

    first_error: Floats
    """(K+1,): the probability of each T."""
    alive: Floats
    """(K, K+1, G): of T and the level of prefix k, where k < T; else zero."""
    lucky: Floats
    """(K+1, G): of T and the level before it, where luck can mend the error."""


@lru_cache(maxsize=256)
def leaf_of(own: bool | None, model: ValueModel) -> Leaf:
    """What the own answer says; where it could not be graded, nothing but that it is there."""
    chain = chain_of(model)
    lost = np.logaddexp(chain.wrong, chain.right + np.log(model.slip))
    kept = chain.right + np.log1p(-model.slip)
    never = np.full_like(kept, NEVER)
    if own is None:
        return Leaf(kept, lost, 0.0, 0.0)
    if own:
        return Leaf(kept, never, NEVER, float(np.log(model.mended)))
    return Leaf(never, lost, 0.0, float(np.log1p(-model.mended)))


def died(chain: Chain, model: ValueModel, dead: "float | Floats", lucky: Floats) -> Floats:
    """(..., G): log likelihood of a first dead node and all after it, by the level before it."""
    for_good = np.log(model.zero) + np.asarray(dead)[..., None]
    found: Floats = chain.wrong + np.logaddexp(for_good, np.log1p(-model.zero) + lucky)
    return found


def joint_of(chain: Chain, model: ValueModel, rows: Rows, leaf: Leaf) -> Joint:
    """The posterior of a solution of K steps."""
    steps = len(rows.alive)
    luck = rows.lucky[:0:-1].cumsum(axis=0)[::-1] + leaf.lucky  # row t-1: from prefix t on
    good = rows.dead[:0:-1].cumsum()[::-1] + leaf.dead
    after = np.vstack((died(chain, model, good, luck), leaf.last, leaf.none))
    top = rows.alive.max(axis=1, keepdims=True)
    likely = np.exp(rows.alive - top)
    onward = np.exp(chain.right)[:, None] * chain.onward
    ahead, scale = _forward(chain.first, onward, likely)
    log = np.log(np.maximum(ahead, 1e-300)) + (scale + top[:, 0].cumsum())[:, None]
    before = np.append(np.arange(steps), steps - 1)  # the prefix before step T
    weights = log[before] + after
    most = weights.max()
    weights = np.exp(weights - most)
    total = weights.sum()
    lucky = np.zeros_like(weights)
    mended = chain.wrong + np.log1p(-model.zero) + luck
    lucky[:-2] = np.exp(log[: steps - 1] + mended - most) / total
    first_error = weights.sum(axis=1) / total
    return Joint(first_error, _backward(onward, likely, ahead, after, first_error), lucky)


def _forward(first: Floats, onward: Floats, likely: Floats) -> tuple[Floats, Floats]:
    """(K, G): level of prefix k given the counts of 0..k, all alive; (K,): log of the scale."""
    ahead = np.empty_like(likely)
    scale = np.empty(len(likely))
    for k, row in enumerate(likely):
        first = first * row
        scale[k] = whole = first.sum()
        ahead[k] = first / whole
        first = ahead[k] @ onward
    return ahead, np.log(scale).cumsum()


def _backward(
    onward: Floats, likely: Floats, ahead: Floats, after: Floats, first_error: Floats
) -> Floats:
    """(K, K+1, G): probability of T and the level of prefix k < T.

    `below` holds, for each T, the likelihood of all that comes after prefix k, by its level; each
    T has a scale of its own, which the probability of T, known beforehand, makes good.
    """
    steps, size = likely.shape
    ends = np.exp(after - after.max(axis=1, keepdims=True))
    moves = onward * likely[:, None, :]  # (K, G, G)
    found = np.empty((steps, size, steps + 1))
    below = np.zeros((size, steps + 1))
    below[:, -1] = ends[-1]
    for k in range(steps - 1, -1, -1):
        below[:, k] = ends[k]
        found[k] = below
        below = moves[k] @ below
        if k % _EVERY == 0:
            below /= np.maximum(below.max(axis=0), 1e-300)
    found *= ahead[:, :, None]
    whole = found.sum(axis=1, keepdims=True)
    found *= np.divide(first_error, whole, out=np.zeros_like(whole), where=whole > 0)
    return found.transpose(0, 2, 1)
