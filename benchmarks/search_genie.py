r"""What is possible: a lower bound on the cost of any policy, even one that knows all values.

A genie knows, of a solution of K steps with a wrong answer, what each prefix k = 1..K-1 is worth
alive (a_k) and dead (d_k), and the distribution pi of the first error T; only T is hidden. Under
T = t prefix k has the value d_k where k >= t, else a_k. A rollout of prefix k costs c_k. Let e_t be
the probability that T = t is named wrongly when it is true. Two demands on the expected cost C:

1. To tell neighbours. T = k and T = k + 1 differ in prefix k alone. For the event "k is named" the
information inequality for sequential tests (Kaufmann, Cappe, Garivier 2016, lemma 1; Wald 1945)
says of the number N_k of rollouts of prefix k
    E_k[N_k] KL(d_k, a_k) >= kl(1 - e_k, e_{k+1}),
    E_{k+1}[N_k] KL(a_k, d_k) >= kl(1 - e_{k+1}, e_k),
with zero on the right where it is no better than a guess (1 - e_k <= e_{k+1}). Other pairs demand
less of sums of these N_k, so an allocation that meets the neighbours' demands meets all, and
    C >= sum_k c_k [pi_k kl(1 - e_k, e_{k+1}) / KL(d_k, a_k)
                    + pi_{k+1} kl(1 - e_{k+1}, e_k) / KL(a_k, d_k)].

2. To learn T at all (Fano; Burnashev and Zigangirov 1974 for noisy bisection). A rollout of prefix
k says one of two things of T, alive or dead, through a binary channel of capacity I_k, so
    C >= (H(pi) - h(e) - e log2(K - 1)) / max_k (I_k / c_k),    e = pi.e_.

A policy may err where a solution is dear and not where it is cheap. Of a population, the least mean
cost at a mean error of at most 1 - A is by duality
    cost(A) >= max over x of [mean over solutions of min over errors of (C + x e)] - x (1 - A).
The first minimum is a shortest path along e_1, ..., e_K over cells of errors, with each cell's
lower end in x e and its upper end in kl, which falls in both; the second is over cells likewise.

It is a bound on planted worlds without slips. Of the pool the values are not known: there it is a
reference, from a problem's mean alive and mean dead rollouts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, rel_entr

Floats = NDArray[np.float64]
PRICES = np.geomspace(2.0, 3000.0, 14)
"""What an error may cost, in the unit of `cost`: the x above."""
_CELLS = np.concatenate(([0.0], np.geomspace(1e-3, 1.0, 63)))


@dataclass(frozen=True, slots=True)
class Known:
    """One solution, as the genie knows it."""

    alive: Floats
    """(K-1,): of prefixes 1..K-1."""
    dead: Floats
    """(K-1,)"""
    first: Floats
    """(K,): distribution of T."""
    cost: Floats
    """(K-1,): of one rollout."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The least mean cost by accuracy."""

    floors: Floats
    """For each of PRICES the least mean of cost and price times error."""

    def cost(self, accuracy: float) -> float:
        """No policy of this accuracy costs less, on average over the solutions."""
        return float(max(0.0, (self.floors - PRICES * (1 - accuracy)).max()))


def bound(solutions: Sequence[Known]) -> Bound:
    """The bound for a population of solutions."""
    return Bound(np.mean([floors(known) for known in solutions], axis=0))


def floors(known: Known) -> Floats:
    """(len(PRICES),): the least of cost and price times error, for one solution."""
    return np.maximum(_telling_neighbours(known), _learning(known))


def _telling_neighbours(known: Known) -> Floats:
    low, high = _CELLS[:-1], _CELLS[1:]
    x, y = 1 - high[:, None], high[None, :]
    demand = np.where(x > y, divergence(x, y), 0.0)  # [i, j]: e_k in cell i, e_{k+1} in cell j
    dying = known.cost * known.first[:-1] / np.maximum(divergence(known.dead, known.alive), 1e-6)
    living = known.cost * known.first[1:] / np.maximum(divergence(known.alive, known.dead), 1e-6)
    paid = PRICES[:, None] * low
    least: Floats = paid * known.first[0]
    for k in range(len(known.cost)):
        step = dying[k] * demand + living[k] * demand.T
        least = (least[:, :, None] + step).min(axis=1) + paid * known.first[k + 1]
    found: Floats = least.min(axis=1)
    return found


def _learning(known: Known) -> Floats:
    low, high = _CELLS[:-1], _CELLS[1:]
    most = 1 - 1 / len(known.first)  # Fano's left side falls up to here
    at = np.minimum(high, most)
    unknown = entropy(at) + at * np.log2(max(len(known.first) - 1, 1))
    bits = -(known.first * np.log2(np.maximum(known.first, 1e-300))).sum()
    rate = max((capacity(known.alive, known.dead) / known.cost).max(), 1e-9)
    found: Floats = (np.maximum(bits - unknown, 0.0) / rate + PRICES[:, None] * low).min(axis=1)
    return found


def capacity(one: Floats, other: Floats) -> Floats:
    """Bits that a Bernoulli of one of two means can tell of which it is, at most."""
    same = np.abs(one - other) < 1e-6
    slope = (entropy(one) - entropy(other)) / np.where(same, 1.0, one - other)
    return np.where(same, 0.0, np.logaddexp2(0.0, -slope) - entropy(other) + other * slope)


def entropy(p: Floats) -> Floats:
    """Bits of a Bernoulli."""
    found: Floats = (entr(p) + entr(1 - p)) / np.log(2)
    return found


def divergence(p: Floats, q: Floats) -> Floats:
    """KL of Bernoullis; infinite where q rules out what p does not."""
    found: Floats = rel_entr(p, q) + rel_entr(1 - p, 1 - q)
    return found
