"""batches.py - problems with the places where their prefixes are counted, on the way to Chains."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from labeler.apps.audit.counts import Ints, Places
from labeler.apps.audit.kept import Kept, Pool
from labeler.audit.chains import UNKNOWN, Chains
from labeler.model import Prefix, Problem, Solution, Task


class Located(NamedTuple):
    """What the labels say of a solution."""

    first_error: int = UNKNOWN
    """-1: undecided."""
    confidence: float = math.nan


class Told(NamedTuple):
    """What is known of a solution beside its counts."""

    right: int
    """Its own answer: 1 right, 0 wrong, -1 ungradable."""
    truth: int
    """Its first error in truth; -1: unknown."""
    located: Located


class Held:
    """A problem, and where its prefixes are counted."""

    def __init__(self, task: Task, places: Places) -> None:
        gold = task.problem.gold_key
        self.task = task
        self._keys = [_keys(task.problem, s, task.template) for s in task.solutions]
        self.paths = [[places.add(key, gold) for key in path] for path in self._keys]
        """Of each solution the places of prefix 0..K."""

    def kept(self, told: Mapping[int, Told], table: Ints) -> Kept:
        """The problem as the sample holds it, with the solutions that something is told of."""
        solutions = {i: self.task.solutions[i] for i in told}
        task = Task(
            self.task.problem,
            tuple(solutions.values()),
            self.task.template,
            frozenset(s.id for i, s in solutions.items() if told[i].right == 1),
            frozenset(s.id for i, s in solutions.items() if told[i].right == UNKNOWN),
        )
        pools = {
            key: _pool(table[place].tolist())
            for i in told
            for key, place in zip(self._keys[i][:-1], self.paths[i][:-1], strict=True)
        }
        truth = {s.id: told[i].truth for i, s in solutions.items() if told[i].truth != UNKNOWN}
        return Kept(task, pools, truth)


def _pool(row: Sequence[int]) -> Pool:
    n, correct, _, ungradable, tokens = row
    return Pool(n, correct, tokens / max(n + ungradable, 1))


def _keys(problem: Problem, solution: Solution, template: str) -> list[str]:
    """The keys of prefix 0..K."""
    text, found = "", []
    for k, step in enumerate(solution.steps):
        found.append(Prefix(problem.question, text, k, template).key)
        text += step.text + step.separator
    return [*found, Prefix(problem.question, text, len(solution.steps), template).key]


@dataclass(slots=True)
class Batch:
    """Solutions on their way into Chains."""

    prefixes: int = 0
    places: int = 0
    """Of the units before the present one: keys start there."""
    _names: list[tuple[str, str, str, str]] = field(default_factory=list)
    """Problem, solution, source, generator; of each solution, as all below."""
    _told: list[Told] = field(default_factory=list)
    _keys: list[Ints] = field(default_factory=list)
    """(K,)"""
    _columns: list[Ints] = field(default_factory=list)
    """(K, 5): n, correct, truncated, ungradable, tokens."""

    def add(self, held: Held, told: Mapping[int, Told], table: Ints) -> None:
        """Add the solutions of a problem that something is told of; `table` is by place."""
        problem = held.task.problem
        for i, what in told.items():
            solution, path = held.task.solutions[i], held.paths[i][:-1]
            self._names.append((problem.id, solution.id, problem.source, solution.generator))
            self._told.append(what)
            self._keys.append(np.array(path) + self.places)
            self._columns.append(table[path])
            self.prefixes += len(path)

    def chains(self) -> Chains:
        """All of them; at least one."""
        problems, solutions, sources, generators = zip(*self._names, strict=True)
        right, truth, labels = zip(*self._told, strict=True)
        located, confidence = zip(*labels, strict=True)
        columns = np.concatenate(self._columns)
        n, correct, truncated, ungradable, tokens = columns.T
        return Chains(
            problem_ids=problems,
            solution_ids=solutions,
            sources=sources,
            generators=generators,
            right=np.array(right),
            first=np.cumsum([0, *map(len, self._keys)]),
            n=n,
            correct=correct,
            truncated=truncated,
            ungradable=ungradable,
            tokens=tokens,
            keys=np.concatenate(self._keys),
            truth=np.array(truth),
            located=np.array(located),
            confidence=np.array(confidence),
        )
