"""From results to numbers with intervals: sums a problem, then ratios of sums.

Intervals are 95% percentile ones from BOOTSTRAP resamples of the problems (solutions of one
problem are not independent), all resamples at once. Of a contender with several lucks the sums of
a problem are taken over them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from search_cases import Truth
from search_rules import Contender, Decision, Result

Floats = NDArray[np.float64]
BOOTSTRAP = 1000


@dataclass(slots=True)
class Sums:
    """Of one problem, over its solutions."""

    solutions: float = 0
    right: float = 0
    """First state errors found at their step."""
    right_any: float = 0
    """First errors of any kind found at their step."""
    agreed: float = 0
    """Same first error as the value reference."""
    early: float = 0
    """Solutions whose first state error is in the first third of the steps."""
    right_early: float = 0
    late: float = 0
    right_late: float = 0
    undecided: float = 0
    decided_right: float = 0
    rollouts: float = 0
    tokens: float = 0
    searches: float = 0
    rounds: float = 0

    @staticmethod
    def of(result: Result, reference: Result | None = None) -> "Sums":
        """What a contender made of the problem, under one luck; and one to compare it with."""
        played = result.play
        sums = Sums(
            rollouts=played.rollouts, tokens=played.tokens, rounds=played.rounds, searches=1
        )
        for solution in result.case.task.solutions:
            truth = result.case.truths[solution.id]
            said = result.decisions[solution.id]
            sums._add(truth, len(solution.steps), said)
            if reference:
                sums.agreed += said.first_error == reference.decisions[solution.id].first_error
        return sums

    def _add(self, truth: Truth, steps: int, said: Decision) -> None:
        right = said.first_error == (truth.state or 0)
        early = truth.state is not None and 3 * truth.state <= steps
        self.solutions += 1
        self.right += right
        self.right_any += said.first_error == (truth.any or 0)
        self.early += early
        self.right_early += right and early
        self.late += not early
        self.right_late += right and not early
        self.undecided += said.undecided
        self.decided_right += right and not said.undecided


NAMES = tuple(f.name for f in fields(Sums))


@dataclass(frozen=True, slots=True)
class Score:
    """The sums of all problems of a contender."""

    contender: Contender
    sums: Floats
    """(problems, len(NAMES))"""

    def of(self, *names: str) -> Floats:
        """(len(names),): totals."""
        total: Floats = self.sums.sum(axis=0)[[NAMES.index(name) for name in names]]
        return total

    def ratio(self, top: str, bottom: str = "solutions") -> float:
        """A mean a solution, or another ratio of sums."""
        above, below = self.of(top, bottom)
        return float(above / below) if below else float("nan")

    def interval(self, top: str, bottom: str = "solutions") -> tuple[float, float]:
        """Its bootstrap interval."""
        totals = weights(len(self.sums)) @ self.sums
        above, below = totals[:, NAMES.index(top)], totals[:, NAMES.index(bottom)]
        low, high = np.percentile(above / np.maximum(below, 1e-9), [2.5, 97.5])
        return float(low), float(high)

    @property
    def sure(self) -> float:
        """Of those decided, the share that is right."""
        decided = self.of("solutions")[0] - self.of("undecided")[0]
        return float(self.of("decided_right")[0] / decided) if decided else float("nan")


def weights(problems: int) -> Floats:
    """(BOOTSTRAP, problems): how often each resample holds each problem; the same every time."""
    rng = np.random.default_rng(problems)
    drawn: Floats = rng.multinomial(problems, np.full(problems, 1 / problems), BOOTSTRAP)
    return drawn.astype(np.float64)


def scored(
    contenders: Sequence[Contender], rows: Iterable[tuple[str, Sequence[Sums]]]
) -> list[Score]:
    """The scores of contenders from (problem id, each one's sums); ids may come several times."""
    held: dict[str, Floats] = {}
    for problem, row in rows:
        table = np.array([[getattr(sums, name) for name in NAMES] for sums in row], dtype=float)
        held[problem] = held[problem] + table if problem in held else table
    whole = np.array(list(held.values()))
    return [Score(contender, whole[:, i]) for i, contender in enumerate(contenders)]
