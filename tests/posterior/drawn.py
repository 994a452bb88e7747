"""Worlds drawn from the value model itself, and trees for Hypothesis.

    world = draw_world(rng, MODEL)     # a few solutions that share steps, what is true of them
    belief = world.belief(rng, MODEL, 8)  # what n rollouts of each prefix say

The drawing follows the package's docstring step by step and shares no code with what is tested.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import expit, logit

from labeler.posterior import Tree, ValueModel
from labeler.posterior.belief import Belief

Rng = np.random.Generator
ALIVE, DEAD, LUCKY = range(3)
MODEL = ValueModel(
    v_a=1, v_b=1, drift=0.1, walk=0.7, jump=0.05, hazard=0.1, steepness=0.2, zero=0.5,
    recovery=0.08, scaling=0.5, kappa_dead=8, slip=0.02, mended=0.05, grid=24,
)  # fmt: skip
"""For tests that state numbers: it stays when the defaults are vetted anew."""


def tree_from(choices: Sequence[Sequence[int]], own: Sequence[bool | None]) -> Tree:
    """The tree of solutions whose steps, but the last, are these choices."""
    keys = [[tuple(path[:k]) for k in range(len(path) + 1)] for path in choices]
    return Tree.of(keys, own)


@dataclass(frozen=True, slots=True)
class World:
    """A problem with what is true of it."""

    tree: Tree
    values: NDArray[np.float64]
    """(nodes,)"""
    first_errors: tuple[int, ...]
    """Of each solution; 0 is none."""

    def belief(self, rng: Rng, model: ValueModel, n: int) -> Belief:
        """What n rollouts of each prefix say."""
        found = Belief(self.tree, model)
        correct = rng.binomial(n, self.values)
        found.observe(range(len(correct)), [n] * len(correct), correct.tolist())
        return found


def draw_world(rng: Rng, model: ValueModel, most: int = 3, steps: int = 8) -> World:
    """A problem with 1 to `most` solutions of 1 to `steps` steps."""
    choices: list[list[int]] = []
    for i in range(int(rng.integers(1, most + 1))):
        shared = choices[int(rng.integers(i))] if i else []
        kept = shared[: int(rng.integers(len(shared) + 1))]
        more = int(rng.integers(1, steps + 1)) - 1 - len(kept)
        choices.append(kept + [i] * max(0, more))
    tree = tree_from(choices, [None] * len(choices))
    levels, states = _drawn(rng, model, tree)
    ends = [_end(rng, model, [(states[i], levels[i]) for i in path]) for path in tree.paths]
    low = model.recovery * levels**model.scaling
    lucky = rng.beta(model.kappa_dead * low, model.kappa_dead * (1 - low))
    values = np.choose(states, (levels, np.zeros_like(levels), lucky))
    own = tuple(right for _, right in ends)
    return World(Tree(tree.paths, own), values, tuple(first for first, _ in ends))


def _drawn(rng: Rng, model: ValueModel, tree: Tree) -> tuple[NDArray[np.float64], list[int]]:
    """Of each node its value if it is alive, or else the last one before the error; its state."""
    levels = rng.beta(model.v_a, model.v_b, len(tree.parents)).clip(1e-9, 1 - 1e-9)
    states = [ALIVE] * len(levels)
    for node, parent in list(enumerate(tree.parents))[1:]:
        states[node] = states[parent]
        if states[parent] == ALIVE and rng.random() < hazard_at(model, levels[parent]):
            states[node] = DEAD if rng.random() < model.zero else LUCKY
        if states[node] != ALIVE:
            levels[node] = levels[parent]
        elif rng.random() >= model.jump:
            moved = logit(levels[parent]) + model.drift + model.walk * rng.normal()
            levels[node] = expit(moved)
    return levels, states


def hazard_at(model: ValueModel, level: float) -> float:
    """Probability that the step after a prefix of this value is wrong."""
    return float(expit(logit(model.hazard) - model.steepness * logit(level)))


def _end(rng: Rng, model: ValueModel, path: Sequence[tuple[int, float]]) -> tuple[int, bool]:
    """First error and own answer of a solution with these states and levels of prefix 0..K-1."""
    states, (last, level) = [state for state, _ in path], path[-1]
    if last == ALIVE:
        wrong = rng.random() < hazard_at(model, level) or rng.random() < model.slip
        return (len(path), False) if wrong else (0, True)
    first = next(k for k, state in enumerate(states) if state != ALIVE)
    return first, bool(last == LUCKY and rng.random() < model.mended)


models = st.builds(
    ValueModel,
    v_a=st.sampled_from([0.7, 1.0, 3.0]),
    drift=st.sampled_from([-0.5, 0.0, 0.3]),
    walk=st.sampled_from([0.2, 0.7, 2.0]),
    jump=st.sampled_from([0.01, 0.05, 0.5]),
    hazard=st.sampled_from([0.05, 0.1, 0.4]),
    steepness=st.sampled_from([0.0, 0.2, 1.0]),
    zero=st.sampled_from([0.2, 0.5, 0.9]),
    recovery=st.sampled_from([0.03, 0.08, 0.3]),
    slip=st.sampled_from([0.001, 0.02, 0.2]),
    mended=st.sampled_from([0.05, 0.3]),
)


@st.composite
def beliefs(
    draw: st.DrawFn,
    *,
    grid: int = 8,
    most: int = 3,
    steps: int = 4,
    n: int = 9,
    model: st.SearchStrategy[ValueModel] = models,
    own: Sequence[bool | None] = (True, False, None),
) -> Belief:
    """Small trees with shared prefixes, counts (at some nodes none) and any own answers."""
    path = st.lists(st.integers(0, 1), max_size=steps - 1)
    choices = draw(st.lists(path, min_size=1, max_size=most))
    answers = [draw(st.sampled_from(own)) for _ in choices]
    belief = Belief(tree_from(choices, answers), draw(model).model_copy(update={"grid": grid}))
    nodes = range(len(belief.tree.parents))
    whole = [draw(st.integers(0, n)) for _ in nodes]
    belief.observe(nodes, whole, [draw(st.integers(0, m)) for m in whole])
    return belief


def coherent(grid: int = 8, steps: int = 4) -> st.SearchStrategy[Belief]:
    """Beliefs without wrong siblings, of which only a part is evidence: all else is one whole."""
    alone = beliefs(grid=grid, most=1, steps=steps)
    return alone | beliefs(grid=grid, most=2, steps=steps, own=(True, None))


def observed(belief: Belief, tree: Tree | None = None, order: Sequence[int] = ()) -> Belief:
    """The same counts in a new belief, taken in one node after another."""
    again = Belief(tree or belief.tree, belief.model)
    for node in order or range(len(belief.n)):
        again.observe([node], [int(belief.n[node])], [int(belief.correct[node])])
    return again


def with_more(belief: Belief, node: int, n: int, correct: int) -> Belief:
    """The belief after n further rollouts of a node."""
    again = observed(belief)
    again.observe([node], [int(belief.n[node]) + n], [int(belief.correct[node]) + correct])
    return again
