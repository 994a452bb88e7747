"""belief.py - the joint posterior of values, first errors and recovery, from counts.

The tree is a hidden Markov model. A node is alive at one of G levels, or dead for good, or dead
but for luck (which remembers the level before the error); only alive nodes become anything else.
What hangs below a node tells of it through one *message* for each state. Logarithms throughout,
but for sums over levels, which are taken after the largest is divided out.

Own answers are given. Of a sibling with a wrong one only the counts speak, given that it is wrong:
who chose the solutions may have chosen wrong ones, and then many of them would make the steps that
they share look wrong. A sibling with a right answer vouches for these, chosen or not.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import betaln

from labeler.posterior.chain import Betas, Floats, chain_of
from labeler.posterior.path import NEVER, Joint, Leaf, Rows, died, joint_of, leaf_of
from labeler.posterior.tree import Tree
from labeler.posterior.value_model import ValueModel


class Message(NamedTuple):
    """Log likelihood of what hangs below a node, given the node's state."""

    alive: Floats
    """(G,)"""
    dead: float
    lucky: Floats
    """(G,)"""


class Belief:
    """What is known of one problem's solutions; counts go in, posteriors come out."""

    def __init__(self, tree: Tree, model: ValueModel) -> None:
        self.tree = tree
        self.model = model
        self.chain = chain_of(model)
        nodes = len(tree.parents)
        self.n = np.zeros(nodes)
        """Graded rollouts of each node."""
        self.correct = np.zeros(nodes)
        self._norms = [betaln(*betas) for betas in (self.chain.alive, self.chain.lucky)]
        self._alive, self._lucky = np.zeros((2, nodes, model.grid))
        self._dead = np.zeros(nodes)
        self._leaves = [leaf_of(own, model) for own in tree.own]
        self._messages: dict[int, Message] = {}
        """Of nodes to the one before them, as far as they are known."""

    def observe(self, nodes: Sequence[int], n: Sequence[int], correct: Sequence[int]) -> None:
        """Set the counts of some nodes (all their graded rollouts, not further ones).

        Raises ValueError unless 0 <= correct <= n.
        """
        at = np.asarray(nodes, dtype=np.intp)
        whole, right = np.asarray(n, dtype=np.float64), np.asarray(correct, dtype=np.float64)
        if (right < 0).any() or (right > whole).any():
            raise ValueError("correct rollouts must lie between 0 and the graded ones")
        self.n[at], self.correct[at] = whole, right
        alive, lucky = self.predictive(nodes)
        self._alive[at] = betaln(*alive) - self._norms[0]
        self._lucky[at] = betaln(*lucky) - self._norms[1]
        self._dead[at] = np.where(right > 0, NEVER, 0.0)
        for node in nodes:
            self._forget(node)

    def predictive(self, nodes: Sequence[int]) -> tuple[Betas, Betas]:
        """The Betas of nodes' values given their counts, (nodes, G): alive, dead but for luck."""
        at = np.asarray(nodes, dtype=np.intp)
        right = self.correct[at, None]
        wrong = self.n[at, None] - right
        alive, lucky = ((a + right, b + wrong) for a, b in (self.chain.alive, self.chain.lucky))
        return alive, lucky

    def evidence(self) -> float:
        """Log marginal likelihood of the outcomes of all rollouts, given the own answers.

        Of many problems evidence.py has it faster.
        """
        return self._whole() - Belief(self.tree, self.model)._whole()

    def joint(self, solution: int) -> Joint:
        """The posterior of one solution, given the counts of all of them."""
        path = self.tree.paths[solution]
        rows = Rows(*(a[list(path)] for a in (self._alive, self._dead, self._lucky)))
        for k, node in enumerate(path):
            onward = path[k + 1] if k + 1 < len(path) else -1
            for m in self._hanging(node, onward, solution):
                rows.alive[k] += m.alive
                rows.dead[k] += m.dead
                rows.lucky[k] += m.lucky
        if self.tree.own[solution] is False:
            rows.alive[0] -= unseen(len(path) - 1, self.model).alive
        return joint_of(self.chain, self.model, rows, self._leaves[solution])

    def _whole(self) -> float:
        root = self._alive[0] + sum(m.alive for m in self._hanging(0, -1, -1))
        top = root.max()
        return float(top + np.log(self.chain.first @ np.exp(root - top)))

    def _forget(self, node: int) -> None:
        """A message that is known rests on known ones: beyond an unknown one none is to forget."""
        self._messages.pop(node, None)
        node = self.tree.parents[node]
        while node in self._messages:
            del self._messages[node]
            node = self.tree.parents[node]

    def _hanging(self, node: int, onward: int, solution: int) -> list[Message]:
        """What hangs below a node, beside the next node and the end of a solution's path."""
        tree = self.tree
        found = [self._sibling(child) for child in tree.children[node] if child != onward]
        ends = (s for s in tree.ends[node] if s != solution and tree.own[s] is not False)
        return found + [_ended(self._leaves[s]) for s in ends]

    def _sibling(self, node: int) -> Message:
        """What a node and all below it say to one that others go on from, too."""
        message, tail = self._message(node), self.tree.tails[node]
        if tail is None or self.tree.own[tail[0]] is not False:
            return message
        alive, dead, lucky = unseen(tail[1], self.model)
        return Message(message.alive - alive, message.dead - dead, message.lucky - lucky)

    def _message(self, node: int) -> Message:
        """What a node and all below it say to the node before it."""
        for at in self._unknown(node):
            hanging = self._below(at)
            alive = self._alive[at] + sum(m.alive for m in hanging)
            dead = float(self._dead[at] + sum(m.dead for m in hanging))
            lucky = self._lucky[at] + sum(m.lucky for m in hanging)
            self._messages[at] = _said(self.model, Message(alive, dead, lucky))
        return self._messages[node]

    def _below(self, node: int) -> list[Message]:
        """What hangs below a node; of a tail all of it, its own answer included."""
        tail = self.tree.tails[node]
        if tail is None:
            return self._hanging(node, -1, -1)
        children = self.tree.children[node]
        return [self._message(children[0])] if children else [_ended(self._leaves[tail[0]])]

    def _unknown(self, node: int) -> list[int]:
        """The nodes below (and with) a node whose messages are not known, the deepest first."""
        found = [node] if node not in self._messages else []
        for at in found:
            found += [child for child in self.tree.children[at] if child not in self._messages]
        return found[::-1]


def _said(model: ValueModel, node: Message) -> Message:
    """What a node says to the one before it, from what is known of it by its own state."""
    chain = chain_of(model)
    top = node.alive.max()
    through = top + chain.right + np.log(chain.onward @ np.exp(node.alive - top))
    fell = died(chain, model, node.dead, node.lucky)
    return Message(np.logaddexp(through, fell), node.dead, node.lucky)


@lru_cache(maxsize=1 << 12)
def unseen(nodes: int, model: ValueModel) -> Message:
    """What so many nodes without counts say that end in a wrong answer: that there is an error."""
    return _said(model, unseen(nodes - 1, model)) if nodes else _ended(leaf_of(False, model))


def _ended(leaf: Leaf) -> Message:
    """A leaf as the message to the node above it."""
    size = np.zeros_like(leaf.last)
    return Message(np.logaddexp(leaf.none, leaf.last), leaf.dead, leaf.lucky + size)
