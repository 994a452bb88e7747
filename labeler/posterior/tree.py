"""tree.py - the prefixes of a problem's solutions as a tree.

Node 0 is the bare question. Each solution is a path of nodes, prefix 0 to K-1; the whole solution
is no node, since no rollout speaks of it. Prefixes that solutions share are one node, and a node's
number is larger than that of the one before it.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from labeler.model import Task


@dataclass(frozen=True)
class Tree:
    """The prefixes of a problem's solutions."""

    paths: tuple[tuple[int, ...], ...]
    """For each solution, the nodes of prefix 0..K-1; at least one."""
    own: tuple[bool | None, ...]
    """For each solution, whether its own answer is right; None: it could not be graded."""

    @staticmethod
    def of(keys: Sequence[Sequence[Hashable]], own: Sequence[bool | None]) -> "Tree":
        """The tree of solutions given by the keys of their prefixes 0..K-1.

        Nodes are numbered by content, so that sums over them do not depend on the order of the
        solutions. A prefix that two solutions reach by different steps, since their steps are cut
        differently, is a node for each, and its counts speak twice.

        Raises ValueError where a solution has no prefix, or their first ones differ.
        """
        if not all(keys) or len({path[0] for path in keys}) > 1 or len(keys) != len(own):
            raise ValueError("solutions of one problem start at one prefix 0, and have an `own`")
        names: dict[tuple[int, Hashable], int] = {}
        paths: list[list[int]] = [[] for _ in keys]
        for solution in sorted(range(len(keys)), key=lambda s: [*map(repr, keys[s]), repr(own[s])]):
            node = -1
            for key in keys[solution]:
                node = names.setdefault((node, key), len(names))
                paths[solution].append(node)
        return Tree(tuple(map(tuple, paths)), tuple(own))

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """For each node the one before it; -1 for the root."""
        found = {child: node for path in self.paths for node, child in pairwise(path)}
        return (-1, *(found[node] for node in range(1, len(found) + 1)))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each node those after it."""
        found: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents):
            if node:
                found[parent].append(node)
        return tuple(map(tuple, found))

    @cached_property
    def ends(self) -> tuple[tuple[int, ...], ...]:
        """For each node the solutions of which it is the last prefix."""
        found: list[list[int]] = [[] for _ in self.parents]
        for solution, path in enumerate(self.paths):
            found[path[-1]].append(solution)
        return tuple(map(tuple, found))

    @cached_property
    def tails(self) -> tuple[tuple[int, int] | None, ...]:
        """For each node that one solution alone runs through, it and its nodes from there on."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.parents]
        for solution, path in enumerate(self.paths):
            for k, node in enumerate(path):
                found[node].append((solution, len(path) - k))
        return tuple(held[0] if len(held) == 1 else None for held in found)


def tree_of(task: Task) -> Tree:
    """The tree of a problem's solutions; ValueError where it has none, or one without steps."""
    keys = [[task.prefix(s, k).key for k in range(len(s.steps))] for s in task.solutions]
    own = [None if s.id in task.unknown else s.id in task.right for s in task.solutions]
    return Tree.of(keys, own)
