"""The value model by plain enumeration of all states of all nodes: what a belief must agree with.

    brute = Brute(belief)
    brute.evidence, brute.first_errors

It shares no code with what is tested, and needs small trees and grids.
"""

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb, logit
from scipy.stats import beta, betabinom, norm

from labeler.posterior.belief import Belief
from tests.posterior.drawn import ALIVE, DEAD, LUCKY, hazard_at

Floats = NDArray[np.float64]
State = tuple[int, int]
"""Alive at a level, or dead after one."""


class Brute:
    """Evidence (not its logarithm), and of each solution the probabilities of T = 1..K, none."""

    def __init__(self, belief: Belief) -> None:
        self.tree, self.model = belief.tree, belief.model
        model, size = belief.model, belief.model.grid
        cuts = np.sin(np.linspace(0, np.pi / 2, size + 1)) ** 2
        self.levels = np.sin((np.arange(size) + 0.5) / size * np.pi / 2) ** 2
        self.first = np.diff(beta.cdf(cuts, model.v_a, model.v_b))
        moved = logit(self.levels) + model.drift
        reached = norm.cdf((logit(cuts) - moved[:, None]) / model.walk)
        self.onward = (1 - model.jump) * np.diff(reached) + model.jump * self.first
        self.counts = list(zip(belief.n.astype(int), belief.correct.astype(int), strict=True))
        seen = self._summed()
        self.first_errors = [s / s.sum() for s in seen]
        self.counts = [(0, 0)] * len(self.counts)
        self.evidence = seen[0].sum() / self._summed()[0].sum()

    def _summed(self) -> list[Floats]:
        """(K+1,) of each solution: probability of T, the counts and all own answers."""
        found = [np.zeros(len(path) + 1) for path in self.tree.paths]
        for states, weight in self._assignments([], 1.0):
            ends = [self._ends(s, states) for s in range(len(self.tree.paths))]
            for s, end in enumerate(ends):
                found[s] += weight * end * prod(e.sum() for i, e in enumerate(ends) if i != s)
        return found

    def _assignments(
        self, states: list[State], weight: float
    ) -> Iterator[tuple[list[State], float]]:
        node = len(states)
        if node == len(self.counts) or weight == 0:
            yield from [(states, weight)] if weight else []
            return
        for state, p in self._next(states[self.tree.parents[node]] if node else None):
            yield from self._assignments([*states, state], weight * p * self._seen(node, state))

    def _next(self, before: State | None) -> Iterator[tuple[State, float]]:
        """The states of a node with their probabilities, given that of the node before it."""
        if before is None:
            yield from (((ALIVE, i), p) for i, p in enumerate(self.first))
        elif before[0] == ALIVE:
            wrong = hazard_at(self.model, self.levels[before[1]])
            yield (DEAD, before[1]), wrong * self.model.zero
            yield (LUCKY, before[1]), wrong * (1 - self.model.zero)
            yield from (((ALIVE, i), (1 - wrong) * p) for i, p in enumerate(self.onward[before[1]]))
        else:
            yield before, 1.0

    def _seen(self, node: int, state: State) -> float:
        """Probability of a node's outcomes, in their order."""
        n, correct = self.counts[node]
        if state[0] == DEAD:
            return float(correct == 0)
        mean, size = self.levels[state[1]], 12 * self.model.grid**2 / np.pi**2
        if state[0] == LUCKY:
            mean, size = self.model.recovery * mean**self.model.scaling, self.model.kappa_dead
        return float(betabinom.pmf(correct, n, size * mean, size * (1 - mean)) / comb(n, correct))

    def _ends(self, solution: int, states: Sequence[State]) -> Floats:
        """(K+1,): probability of a solution's own answer, and of T, given the states."""
        path, own = self.tree.paths[solution], self.tree.own[solution]
        found = np.zeros(len(path) + 1)
        last, level = states[path[-1]]
        if last == ALIVE:
            wrong = hazard_at(self.model, self.levels[level])
            wrong += (1 - wrong) * self.model.slip
            found[-2] = wrong if own is not True else 0
            found[-1] = 1 - wrong if own is not False else 0
            return found
        first = next(k for k, node in enumerate(path) if states[node][0] != ALIVE)
        right = self.model.mended if last == LUCKY else 0.0
        found[first - 1] = {True: right, False: 1 - right, None: 1.0}[own]
        return found
