"""mixture.py - what lies beyond the pool: the distribution of values, by maximum likelihood.

No form is assumed: values lie on a grid of levels, zero among them, and the weights of levels are
those under which the histogram of the pool is likeliest (Kiefer and Wolfowitz 1956; Laird 1978), by
EM. It predicts how many prefixes look dead with N rollouts, sum_g w_g (1 - v_g)^N, also for N above
the pool. How many are truly dead no pool can say: zero and values far below 1/M look the same.

Whatever the distribution, Z(2M) is at least Z(M) (Z(M) / Z(M/2))^2, since log Z is convex in N
(moments of 1 - V), and at most Z(M).
"""

from dataclasses import dataclass

import numpy as np

from labeler.audit.chains import Floats
from labeler.audit.draws import Draws

_LEVELS = 80
_ROUNDS = 400
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Mixture:
    """Distributions of values on the same levels."""

    levels: Floats
    """(G,)"""
    weights: Floats
    """(1+B, G)"""

    def zero_share(self, size: int) -> Floats:
        """(1+B,): the share of prefixes that look dead with so many rollouts."""
        found: Floats = self.weights @ (1 - self.levels) ** size
        return found


def fitted(histograms: Floats) -> Mixture:
    """The likeliest distributions for (1+B, M+1) histograms of correct ones among M, M >= 1.

    Where a histogram is empty its weights are NaN.
    """
    pool = histograms.shape[1] - 1
    far = np.log(8.0 * pool)
    inner = 1 / (1 + np.exp(-np.linspace(-far, far, _LEVELS)))
    levels = np.concatenate(([0.0], inner, [1.0]))
    likelihood = _binomial(pool, levels)
    total = histograms.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = histograms / total
    weights = np.full((len(histograms), len(levels)), 1 / len(levels))
    for _ in range(_ROUNDS):
        predicted = np.maximum(weights @ likelihood, _TINY)
        weights = weights * ((observed / predicted) @ likelihood.T)
    return Mixture(levels, weights)


def _binomial(size: int, levels: Floats) -> Floats:
    """(G, size+1): the probability of x correct ones among `size`, by level."""
    x = np.arange(size + 1)
    whole = Draws(np.array([size]), np.array([size]))
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.where(x == 0, 0.0, x * np.log(levels)[:, None])
        wrong = np.where(x == size, 0.0, (size - x) * np.log1p(-levels)[:, None])
    found: Floats = np.exp(whole.ways(np.full(size + 1, size), x) + right + wrong)
    return found
