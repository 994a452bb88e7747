"""kept.py - the problems of an audit's sample, and value models fitted to them."""

from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labeler.model import Problem, Task, digest
from labeler.posterior import ValueModel, tree_of
from labeler.posterior.evidence import Counted
from labeler.posterior.fitting import fit

ENOUGH = 10
"""Problems that a value model is fitted to, at least."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Which problems are kept."""

    solutions: int = 0
    """About so many they have in all."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Pool:
    """The rollouts of one prefix, as far as a replay needs them."""

    n: int
    correct: int
    tokens: float
    """Mean tokens of one."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A problem of the sample."""

    task: Task
    """With the solutions that were worked on, own answers known."""
    pools: Mapping[str, Pool]
    """By prefix key; of each prefix 0..K-1."""
    truth: Mapping[str, int]
    """First errors by solution id, where the truth is known."""


class Keeper:
    """Takes problems into a sample: those first by the digests of their questions and the seed."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self._kept: list[tuple[tuple[str, str], Kept]] = []
        """By rank, in order."""
        self._solutions = 0

    @property
    def kept(self) -> list[Kept]:
        """The sample."""
        return [kept for _, kept in self._kept]

    def offer(self, problem: Problem, make: Callable[[], Kept]) -> None:
        """Take the problem, if its rank is low enough; `make` is called only then."""
        wanted = self._sample.solutions
        rank = digest("audit", str(self._sample.seed), problem.question_key), problem.id
        if self._solutions >= wanted and (not self._kept or rank > self._kept[-1][0]):
            return
        kept = make()
        if len(kept.task.solutions) > wanted:  # a search of so many takes too long
            return
        insort(self._kept, (rank, kept), key=lambda row: row[0])
        self._solutions += len(kept.task.solutions)
        while self._solutions - len(self._kept[-1][1].task.solutions) >= wanted:
            self._solutions -= len(self._kept.pop()[1].task.solutions)


def models(kept: Sequence[Kept], held: ValueModel) -> list[ValueModel]:
    """The value model that each problem is searched with.

    That of the run, if it has one of its own. Else one that is fitted to this log, without truth:
    for each half of the problems to the other half, as `labeler calibrate` does it; the default
    where halves are too small for that.
    """
    if not is_default(held) or len(kept) < 2 * ENOUGH:
        return [held] * len(kept)
    fitted = [fit([_counted(each) for each in kept[half::2]], held).model for half in (1, 0)]
    return [fitted[i % 2] for i in range(len(kept))]


def is_default(model: ValueModel) -> bool:
    """Whether nobody fitted it; its grid is no parameter, but how finely it is computed."""
    default = ValueModel()
    return model.model_copy(update={"grid": default.grid}) == default


def _counted(kept: Kept) -> Counted:
    tree = tree_of(kept.task)
    counts = np.zeros((2, len(tree.parents)), dtype=np.int64)
    for solution, path in zip(kept.task.solutions, tree.paths, strict=True):
        for k, node in enumerate(path):
            pool = kept.pools[kept.task.prefix(solution, k).key]
            counts[:, node] = pool.n, pool.correct
    return Counted(tree, counts[0], counts[1])
