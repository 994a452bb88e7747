"""consensus.py - keep what rollouts and judge agree on. Pure.

Monte-Carlo labels measure the completer's luck as well as the step; a judge errs in other ways.
Zhang et al. 2025 (The Lessons of Developing Process Reward Models in Mathematical Reasoning) keep a
solution only when both name the same first wrong step. Nothing is thrown away here: every row of
labels keeps its place and says whether it is kept, and if not, why.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field, NonNegativeInt

from labeler.params import Params


class Bucket(StrEnum):
    """How rollouts and judge stand to each other on one solution."""

    BOTH_NONE = "both_none"
    SAME_STEP = "same_step"
    DISAGREE = "disagree"
    ROLLOUTS_UNDECIDED = "rollouts_undecided"
    JUDGE_UNDECIDED = "judge_undecided"
    """It was not asked, could not be read, or did not agree with itself: `drop_reason` says which
    (labeler.judging.Saying)."""


class ConsensusConfig(Params):
    """What is kept. Changing it asks nobody again."""

    tolerance: NonNegativeInt = 0
    """Steps by which the two may differ and still name the same one."""
    threshold: float = Field(default=0.5, gt=0, lt=1)
    """Of a judge of `kind: verify`: a prefix is wrong where P(yes) is below it."""
    both_none: bool = True
    """Keep solutions in which neither finds an error."""
    same_step: bool = True
    """Keep those in which both name the same step."""
    disagree: bool = False
    """Keep those on which they disagree."""
    rollouts_undecided: bool = False
    """Keep those whose first error rollouts leave undecided."""
    judge_undecided: bool = False
    """Keep those of which the judge names nothing."""

    def keeps(self, bucket: Bucket) -> bool:
        """Whether solutions of a bucket are kept."""
        kept: bool = getattr(self, bucket.value)
        return kept


def bucket(by_rollouts: int | None, by_judge: int | None, tolerance: int = 0) -> Bucket:
    """Where a solution belongs, by the two first errors: 1-based, 0 is none, None undecided."""
    if by_rollouts is None:
        return Bucket.ROLLOUTS_UNDECIDED
    if by_judge is None:
        return Bucket.JUDGE_UNDECIDED
    if by_rollouts == by_judge == 0:
        return Bucket.BOTH_NONE
    both = by_rollouts > 0 and by_judge > 0
    same = both and abs(by_rollouts - by_judge) <= tolerance
    return Bucket.SAME_STEP if same else Bucket.DISAGREE


def decide(
    by_rollouts: int | None, by_judge: int | None, config: ConsensusConfig
) -> tuple[bool, str | None]:
    """Whether a solution is kept, and the reason where it is not."""
    found = bucket(by_rollouts, by_judge, config.tolerance)
    kept = config.keeps(found)
    return kept, None if kept else found.value


def matters(by_rollouts: int | None, steps: int, config: ConsensusConfig) -> bool:
    """Whether what a judge says of a solution of so many steps can change that it is kept."""
    said = (None, *range(steps + 1))
    return len({decide(by_rollouts, named, config)[0] for named in said}) > 1


@dataclass(frozen=True, slots=True)
class Pair:
    """One solution as the two see it."""

    by_rollouts: int | None
    by_judge: int | None
    dropped: str | None
    """Why it is not kept; None where it is."""
    groups: Mapping[str, str]
    """What it is counted under, by the kind of group: source, length, confidence."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How rollouts and judge agree over a set of solutions."""

    solutions: int
    kept: int
    matrix: Mapping[tuple[str, str], int]
    """Solutions by (what rollouts say, what the judge says): see `column`."""
    kappa: float | None
    """Cohen's kappa of the first errors, over solutions on which both are decided; None where
    there are none, or chance alone would agree on all."""
    reasons: Mapping[str, int]
    """Solutions that are not kept, by reason."""
    keep_rates: Mapping[str, Mapping[str, tuple[int, int]]]
    """Kept and all solutions, by kind of group and group."""


ROWS = ("none", "a step", "undecided")
COLUMNS = ("none", "earlier", "same", "later", "a step", "undecided")


def column(by_rollouts: int | None, by_judge: int | None) -> tuple[str, str]:
    """Row and column of a solution in the agreement matrix."""
    row = "undecided" if by_rollouts is None else "a step" if by_rollouts else "none"
    if by_judge is None:
        return row, "undecided"
    if by_judge == 0:
        return row, "none"
    if not by_rollouts:
        return row, "a step"
    if by_judge == by_rollouts:
        return row, "same"
    return row, "earlier" if by_judge < by_rollouts else "later"


def agreement(pairs: Iterable[Pair]) -> Agreement:
    """Count a set of solutions; one at a time is in memory."""
    matrix: Counter[tuple[str, str]] = Counter()
    both: Counter[tuple[int, int]] = Counter()
    groups: dict[str, dict[str, tuple[int, int]]] = {}
    reasons: Counter[str] = Counter()
    for pair in pairs:
        matrix[column(pair.by_rollouts, pair.by_judge)] += 1
        if pair.dropped is not None:
            reasons[pair.dropped] += 1
        if pair.by_rollouts is not None and pair.by_judge is not None:
            both[pair.by_rollouts, pair.by_judge] += 1
        for kind, group in pair.groups.items():
            held = groups.setdefault(kind, {})
            before = held.get(group, (0, 0))
            held[group] = (before[0] + (pair.dropped is None), before[1] + 1)
    solutions = sum(matrix.values())
    kept = solutions - sum(reasons.values())
    return Agreement(solutions, kept, matrix, kappa(both), reasons, groups)


def kappa(counts: Mapping[tuple[int, int], int]) -> float | None:
    """Cohen's kappa (1960) of two raters, from the counts of their pairs of ratings.

    (p_o - p_e) / (1 - p_e), p_e from the two marginals; None where p_e is 1 or there is no pair.
    """
    total = sum(counts.values())
    if not total:
        return None
    seen = sum(n for (a, b), n in counts.items() if a == b) / total
    first, second = _marginals(counts)
    chance = sum(n * second[rating] for rating, n in first.items()) / total**2
    return None if chance >= 1 else (seen - chance) / (1 - chance)


def _marginals(counts: Mapping[tuple[int, int], int]) -> Sequence[Counter[int]]:
    first: Counter[int] = Counter()
    second: Counter[int] = Counter()
    for (a, b), n in counts.items():
        first[a] += n
        second[b] += n
    return first, second
