"""values.py - the values of a solution's prefixes under the belief: means and intervals."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from labeler.posterior.belief import Belief
from labeler.posterior.chain import Floats
from labeler.posterior.path import Joint, leaf_of

_TINY = 1e-300  # keeps a division by an empty share finite


@dataclass(frozen=True, slots=True)
class Posterior:
    """What the counts say of a solution of K steps."""

    first_error: Floats
    """(K+1,): probability of first error 1, ..., K, and last of none. Sums to one."""
    mean: Floats
    """(K+1,): posterior mean of the value of prefix 0, ..., K."""
    low: Floats
    """(K+1,): lower end of each value's equal-tailed credible interval."""
    high: Floats
    """(K+1,): its upper end; zero where the value is surely zero."""


@dataclass(frozen=True, slots=True)
class _Value:
    """Values of prefix 0..K-1: an atom at zero, and the moments of the rest."""

    atom: Floats
    mean: Floats
    variance: Floats


def posterior_of(belief: Belief, solution: int, confidence: float = 0.95) -> Posterior:
    """The posterior of one of the belief's solutions.

    The intervals hold `confidence` of each value's posterior: the part above zero is matched to
    one Beta by its mean and variance, the atom at zero is exact.
    """
    joint = belief.joint(solution)
    value = _values(belief, solution, joint)
    low, high = _interval(value, confidence)
    own_mean, own_low, own_high = _own_value(belief, solution, joint, confidence)
    return Posterior(
        first_error=joint.first_error,
        mean=np.append((1 - value.atom) * value.mean, own_mean),
        low=np.append(low, own_low),
        high=np.append(high, own_high),
    )


def _values(belief: Belief, solution: int, joint: Joint) -> _Value:
    betas = belief.predictive(belief.tree.paths[solution])
    steps = len(joint.alive)
    alive = joint.alive.sum(axis=1)  # (K, G)
    lucky = np.zeros_like(alive)
    lucky[1:] = joint.lucky[: steps - 1].cumsum(axis=0)  # row k: T <= k
    first = second = np.zeros(steps)
    for weight, (a, b) in zip((alive, lucky), betas, strict=True):
        mean = a / (a + b)
        first = first + (weight * mean).sum(axis=1)
        second = second + (weight * mean * (a + 1) / (a + b + 1)).sum(axis=1)
    share = alive.sum(axis=1) + lucky.sum(axis=1)
    mean = first / np.maximum(share, _TINY)
    variance = second / np.maximum(share, _TINY) - mean**2
    return _Value(np.clip(1 - share, 0.0, 1.0), mean, variance)


def _interval(value: _Value, confidence: float) -> tuple[Floats, Floats]:
    """Equal-tailed interval of each value."""
    mean = np.clip(value.mean, 1e-12, 1 - 1e-12)
    variance = np.maximum(value.variance, _TINY)
    size = np.maximum(mean * (1 - mean) / variance - 1, 1e-6)
    share = np.maximum(1 - value.atom, _TINY)
    tails = np.array([[(1 - confidence) / 2], [(1 + confidence) / 2]])
    inside = np.clip((tails - value.atom) / share, 0.0, 1.0)
    ends = np.where(tails <= value.atom, 0.0, betaincinv(mean * size, (1 - mean) * size, inside))
    return ends[0], ends[1]


def _own_value(
    belief: Belief, solution: int, joint: Joint, confidence: float
) -> tuple[float, float, float]:
    """Mean and interval of the whole solution's value: known, or one of zero and one."""
    own = belief.tree.own[solution]
    if own is not None:
        return float(own), float(own), float(own)
    right, both = leaf_of(True, belief.model), leaf_of(None, belief.model)
    ends = joint.alive[-1]  # rows K and none: the level of prefix K-1
    told = ends[-1] @ np.exp(right.none - both.none) + ends[-2] @ np.exp(right.last - both.last)
    told += joint.lucky.sum() * np.exp(right.lucky - both.lucky)
    mean = float(min(1.0, told))
    tail = (1 - confidence) / 2
    return mean, float(1 - mean < tail), float(mean > tail)
