"""evidence.py - the marginal likelihood of many problems' counts, all trees at once.

Own answers are given as a whole: it is the likelihood of all own answers and outcomes together,
less that of the own answers alone. (A belief takes those of wrong siblings one by one: it must not
be misled by who chose the solutions, a fit needs to know where their errors are.) The sums run from
the deepest nodes up, over the nodes of one height in all trees together: a fit asks for it hundreds
of times.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from labeler.posterior.chain import Betas, Chain, Floats, chain_of
from labeler.posterior.path import NEVER, died, leaf_of
from labeler.posterior.tree import Tree
from labeler.posterior.value_model import ValueModel

Ints = NDArray[np.int64]
_OWN = (False, True, None)


@dataclass(frozen=True, slots=True)
class Counted:
    """A problem's tree with the counts of its nodes."""

    tree: Tree
    n: Ints
    """(nodes,): graded rollouts."""
    correct: Ints


class Evidence:
    """What is the same for every model: the shapes of the trees, and their counts."""

    def __init__(self, problems: Sequence[Counted]) -> None:
        sizes = [len(p.tree.parents) for p in problems]
        starts = np.cumsum([0, *sizes[:-1]])
        counts = np.array([(n, c) for p in problems for n, c in zip(p.n, p.correct, strict=True)])
        self._counts, self._which = np.unique(counts, axis=0, return_inverse=True)
        """The pairs of counts that there are, and which of them each node has."""
        self._parents = np.concatenate(
            [np.array(p.tree.parents) + start for p, start in zip(problems, starts, strict=True)]
        )
        self._roots = starts
        self._ends = np.concatenate([_ends(p.tree) for p in problems])
        """(nodes, 3): solutions whose last prefix it is, by what their own answers are."""
        heights = np.concatenate([_heights(p.tree) for p in problems])
        heights[starts] = -1  # a root sends no message
        self._layers = [np.flatnonzero(heights == h) for h in range(heights.max() + 1)]

    def of(self, model: ValueModel) -> float:
        """Log marginal likelihood of all rollouts' outcomes, given the own answers, in nats."""
        chain = chain_of(model)
        alive, lucky = (_likelihood(self._counts, b) for b in (chain.alive, chain.lucky))
        dead = np.where(self._counts[:, 1] > 0, NEVER, 0.0)
        counted = self._whole(model, alive[self._which], dead[self._which], lucky[self._which])
        shape = len(self._which), model.grid
        given = self._whole(model, np.zeros(shape), np.zeros(shape[0]), np.zeros(shape))
        return float((counted - given).sum())

    def _whole(self, model: ValueModel, alive: Floats, dead: Floats, lucky: Floats) -> Floats:
        """Log likelihood of each tree, from that of each of its nodes by its state."""
        chain = chain_of(model)
        leaves = [leaf_of(own, model) for own in _OWN]
        alive += self._ends @ np.array([np.logaddexp(leaf.none, leaf.last) for leaf in leaves])
        dead += self._ends @ np.array([leaf.dead for leaf in leaves])
        lucky += (self._ends @ np.array([leaf.lucky for leaf in leaves]))[:, None]
        for layer in self._layers:
            fell = died(chain, model, dead[layer], lucky[layer])
            said = np.logaddexp(_went_on(chain, alive[layer]), fell)
            above = self._parents[layer]
            np.add.at(alive, above, said)
            np.add.at(dead, above, dead[layer])
            np.add.at(lucky, above, lucky[layer])
        roots = alive[self._roots]
        top = roots.max(axis=1)
        found: Floats = top + np.log(np.exp(roots - top[:, None]) @ chain.first)
        return found


def _likelihood(counts: Ints, betas: Betas) -> Floats:
    """(pairs, G): log likelihood of each pair of counts at each level."""
    a, b = betas
    right = counts[:, 1:]
    found: Floats = betaln(a + right, b + counts[:, :1] - right) - betaln(a, b)
    return found


def _went_on(chain: Chain, alive: Floats) -> Floats:
    """(nodes, G): log likelihood of alive nodes, by the level before them."""
    top = alive.max(axis=1, keepdims=True)
    found: Floats = top + chain.right + np.log(np.exp(alive - top) @ chain.onward.T)
    return found


def _ends(tree: Tree) -> Ints:
    found = np.zeros((len(tree.parents), len(_OWN)), dtype=np.int64)
    for node, ends in enumerate(tree.ends):
        for solution in ends:
            found[node, _OWN.index(tree.own[solution])] += 1
    return found


def _heights(tree: Tree) -> Ints:
    """For each node how far the deepest node below it is."""
    found = np.zeros(len(tree.parents), dtype=np.int64)
    for node in range(len(found) - 1, 0, -1):
        above = tree.parents[node]
        found[above] = max(found[above], found[node] + 1)
    return found
