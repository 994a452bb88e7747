"""The value model by plain enumeration of all states of all nodes: what a belief must agree with.

    brute = Brute(belief, solution)
    brute.first_error, brute.weight

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


def together(belief: Belief) -> float:
    """Probability of all own answers and outcomes of a belief, whoever chose the solutions."""
    brute, paths = Brute(belief, 0), belief.tree.paths
    return sum(
        weight * prod(float(brute._ends(s, states).sum()) for s in range(len(paths)))
        for states, weight in brute._assignments([], 1.0)
    )


class Brute:
    """For one solution of a belief: probabilities of T = 1..K, none; and all outcomes' weight.

    Its own answer is given, and so is each wrong one of a sibling: a factor for the probability of
    that answer by the state before the steps that are the sibling's alone is taken out.
    """

    def __init__(self, belief: Belief, solution: int) -> None:
        self.tree, self.model, self.solution = belief.tree, belief.model, solution
        model, size = belief.model, belief.model.grid
        cuts = np.sin(np.linspace(0, np.pi / 2, size + 1)) ** 2
        self.levels = np.sin((np.arange(size) + 0.5) / size * np.pi / 2) ** 2
        self.first = np.diff(beta.cdf(cuts, model.v_a, model.v_b))
        moved = logit(self.levels) + model.drift
        reached = norm.cdf((logit(cuts) - moved[:, None]) / model.walk)
        self.onward = (1 - model.jump) * np.diff(reached) + model.jump * self.first
        self.counts = list(zip(belief.n.astype(int), belief.correct.astype(int), strict=True))
        found = np.zeros(len(self.tree.paths[solution]) + 1)
        for states, weight in self._assignments([], 1.0):
            others = (
                self._sibling(s, states) for s in range(len(self.tree.paths)) if s != solution
            )
            found += weight * self._own(states) * prod(others)
        self.weight = found.sum()
        self.first_error = found / self.weight

    def _own(self, states: Sequence[State]) -> Floats:
        path, own = self.tree.paths[self.solution], self.tree.own[self.solution]
        given = 1.0 if own is not False else self._wrong(states[0], len(path) - 1)
        return self._ends(self.solution, states) / given

    def _sibling(self, solution: int, states: Sequence[State]) -> float:
        """What a sibling's own answer says, given all states."""
        path = self.tree.paths[solution]
        said = float(self._ends(solution, states).sum())
        if self.tree.own[solution] is not False:
            return said
        others = {node for i, p in enumerate(self.tree.paths) if i != solution for node in p}
        alone = sum(node not in others for node in path[1:])
        return said / self._wrong(states[path[len(path) - 1 - alone]], alone)

    def _wrong(self, state: State, nodes: int) -> float:
        """Probability that so many nodes after one of this state end in a wrong answer."""
        if not nodes:
            return float(self._answer(False, state).sum())
        return sum(p * self._wrong(after, nodes - 1) for after, p in self._next(state))

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
        at = [k for k, node in enumerate(path) if states[node][0] != ALIVE]
        dead, *ends = self._answer(own, states[path[-1]])
        found[-2:] = ends
        if at:
            found[at[0] - 1] = dead
        return found

    def _answer(self, own: bool | None, state: State) -> Floats:
        """Of an own answer after a prefix: with an error before, at the last step, with none."""
        if state[0] == ALIVE:
            wrong = hazard_at(self.model, self.levels[state[1]])
            wrong += (1 - wrong) * self.model.slip
            return np.array([0.0, wrong * (own is not True), (1 - wrong) * (own is not False)])
        right = self.model.mended if state[0] == LUCKY else 0.0
        return np.array([{True: right, False: 1 - right, None: 1.0}[own], 0.0, 0.0])
