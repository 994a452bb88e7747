"""Plays contenders on many problems, on two processes, from a description of where these are.

A Source is small and can be sent to another process, which draws or loads its problems itself.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TypeVar

from search_cases import Case, play, pool_cases
from search_rules import Contender, counted_of, results
from search_scores import Score, Sums, scored
from search_worlds import worlds

from labeler.model import digest
from labeler.policies import Exhaustive
from labeler.posterior import ValueModel
from labeler.posterior.fitting import Fit, fit
from labeler.testbed.pool import PoolProblem, load

POOL = Path(__file__).parent.parent / "data/testbed/pool.parquet"
FOLDS = (0, 1)
CHUNK = 10
"""Problems a job."""
T = TypeVar("T")


@lru_cache(maxsize=1)
def pool(path: Path = POOL) -> tuple[PoolProblem, ...]:
    """The recorded pool, its problems in an order without meaning."""
    return tuple(sorted(load(path), key=lambda p: digest(p.task.problem.id)))


@dataclass(frozen=True, slots=True)
class Source:
    """Some problems of the pool or of a family of planted worlds."""

    family: str | None
    """None: the pool."""
    numbers: range
    luck: int = 0
    right: bool | None = False
    """Solutions with a right answer, with a wrong one, or None: both."""

    def cases(self) -> Iterator[Case]:
        """Its problems that have such solutions."""
        if self.family is None:
            problems = pool()
            chosen = [problems[i] for i in self.numbers if i < len(problems)]
            every: Iterator[Case] = pool_cases(chosen, self.luck)
        else:
            every = worlds(self.family, self.luck, self.numbers)
        for case in every:
            kept = case if self.right is None else case.only(right=self.right)
            if kept.task.solutions:
                yield kept

    def parts(self) -> list["Source"]:
        """The same problems in parts of at most CHUNK."""
        starts = range(0, len(self.numbers), CHUNK)
        return [replace(self, numbers=self.numbers[i : i + CHUNK]) for i in starts]


def fold(number: int, luck: int = 0, *, right: bool | None = False, most: int = 10**6) -> Source:
    """One half of the pool's problems: every other one."""
    return Source(None, range(number, min(len(pool()), most), 2), luck, right)


Job = tuple[Source, Sequence[Contender]]
REFERENCE = ("exhaustive 64", "posterior")
"""The contender that is the value reference for the others of its job."""


def each(work: Callable[[Job], T], jobs: Iterable[Job]) -> list[T]:
    """What `work` gives for each part of each job, in order."""
    parts = [(part, contenders) for source, contenders in jobs for part in source.parts()]
    workers = min(2, os.cpu_count() or 1)
    with ProcessPoolExecutor(workers) as processes:
        return list(processes.map(work, parts))


def summed(job: Job) -> list[tuple[str, list[Sums]]]:
    """For each problem of a job, each contender's sums."""
    source, rivals = job
    names = [(c.name, c.rule) for c in rivals]
    at = names.index(REFERENCE) if REFERENCE in names else None
    found = []
    for row in results(rivals, source.cases()):
        reference = None if at is None else row[at]
        sums = [Sums.of(result, reference) for result in row]
        found.append((row[0].case.task.problem.id, sums))
    return found


def score(jobs: Sequence[Job]) -> list[Score]:
    """The scores of contenders; those of several jobs go by name and rule, and are put together."""
    rows = list(chain.from_iterable(each(summed, jobs)))
    return scored(jobs[0][1], rows)


def fitted(sources: Iterable[Source], n: int, start: ValueModel) -> Fit:
    """The value model that fits `n` rollouts of every prefix best; nothing is known of truth."""
    policy = Exhaustive(n=n)
    cases = (case for source in sources for case in source.cases())
    return fit([counted_of(c.task, play(policy, c).counts(c.task)) for c in cases], start)
