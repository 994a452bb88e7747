"""Scores as text: the table, curves, and the ratios of the last line."""

from collections.abc import Iterator, Sequence
from math import exp, isnan, log, nan

from search_scores import Score

COLUMNS = (
    "policy               rule        right  (95%)        any   early late  value undec. sure   "
    "rollouts  tokens  rounds"
)
HEAD = """right: first error that changes the state found at its step, share of solutions; any:
first error of any kind; early, late: of errors in the first third of the steps, of later ones;
value: the same first error as the value reference (the posterior rule on all 64 rollouts);
undec.: no first error more probable than 0.5 (or none said); sure: right among the others;
rollouts, tokens: a solution, each distinct prefix once, the bare question's included; rounds: a
problem's batches of asks, one after the other."""


def table(scores: Sequence[Score]) -> Iterator[str]:
    """One line a contender."""
    yield COLUMNS
    for score in scores:
        low, high = score.interval("right")
        agreed = shown(score.ratio("agreed") or nan)  # zero where there was no reference
        yield (
            f"{score.contender.name:20} {score.contender.rule:10} {score.ratio('right'):6.3f}  "
            f"({low:.3f}-{high:.3f})  {score.ratio('right_any'):.3f} "
            f"{score.ratio('right_early', 'early'):.3f} {score.ratio('right_late', 'late'):.3f} "
            f"{agreed:>5} {score.ratio('undecided'):.3f} {score.sure:.3f} "
            f"{score.ratio('rollouts'):9.1f} {score.ratio('tokens'):8.0f} "
            f"{score.ratio('rounds', 'searches'):7.1f}"
        )


class Curve:
    """A policy's accuracy by its cost, from its points."""

    def __init__(
        self, scores: Sequence[Score], cost: str = "rollouts", accuracy: str = "right"
    ) -> None:
        points = sorted((s.ratio(cost), s.ratio(accuracy)) for s in scores)
        self.points: list[tuple[float, float]] = []
        """Those that no cheaper one equals, by cost."""
        for spent, right in points:
            if not self.points or right > self.points[-1][1]:
                self.points.append((spent, right))

    def cost(self, accuracy: float) -> float:
        """What this accuracy costs, between points by the cost's logarithm; nan beyond the last.

        Below the first point it is that point's cost: at most, so a ratio is not made better.
        """
        before = self.points[0]
        for point in self.points:
            if point[1] >= accuracy:
                share = (accuracy - before[1]) / (point[1] - before[1]) if point != before else 1.0
                return exp(log(before[0]) + max(share, 0.0) * log(point[0] / before[0]))
            before = point
        return nan

    def accuracy(self, cost: float) -> float:
        """The accuracy at this cost; beyond the last point its, below the first nan."""
        if cost < self.points[0][0]:
            return nan
        before = self.points[0]
        for point in self.points:
            if point[0] >= cost:
                share = log(cost / before[0]) / log(point[0] / before[0]) if point != before else 0
                return before[1] + share * (point[1] - before[1])
            before = point
        return before[1]


def named(scores: Sequence[Score], name: str, rule: str = "first_zero") -> Score:
    """The score of one contender."""
    return next(s for s in scores if (s.contender.name, s.contender.rule) == (name, rule))


def adaptives(scores: Sequence[Score]) -> list[Score]:
    """The points of adaptive's curve."""
    return [s for s in scores if s.contender.name.startswith("adaptive")]


RIVALS = {
    "vs_exhaustive8": "exhaustive 8",
    "vs_bisection8": "bisection 8",
    "vs_bisection8_early": "bisection 8 early",
    "vs_scan8_early": "scan 8 early",
}


def ratios(scores: Sequence[Score], cost: str, accuracy: str = "right") -> dict[str, float]:
    """Adaptive's cost at the accuracy of each rival, as a share of the rival's."""
    curve = Curve(adaptives(scores), cost, accuracy)
    rivals = {key: named(scores, name) for key, name in RIVALS.items()}
    return {key: curve.cost(s.ratio(accuracy)) / s.ratio(cost) for key, s in rivals.items()}


def shown(value: float, digits: int = 3) -> str:
    """A number, or na."""
    return "na" if isnan(value) else f"{value:.{digits}f}"
