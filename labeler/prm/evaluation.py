"""evaluation.py - how well a model finds first errors, against a file that knows them.

Trace errors, wrong steps in solutions whose own answer is right, are counted in every evaluation:
a model that takes a right answer for a right solution shows there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from labeler.formats import Record
from labeler.model import LabelerError
from labeler.prm.network import RewardModel
from labeler.prm.scoring import RULES, Rule, Scores, first_below, scores_of, solution_score
from labeler.scores import F1, f1


@dataclass(frozen=True, slots=True)
class TraceErrors:
    """Among solutions whose own answer is right."""

    right_answers: int
    true: int
    """That have a wrong step."""
    located: int
    """Of these, where the model names that very step."""
    claimed: int
    """Right answers in which the model names any step."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The report."""

    solutions: int
    with_error: int
    cut: int
    """Solutions with steps beyond max_length, which have no score."""
    unknown: int
    """Solutions that were left out since their first error is not known."""
    threshold: float
    score: F1
    trace: TraceErrors
    auc: dict[Rule, float | None]
    """How often a solution with a right answer scores above one with a wrong one, by the rule
    that makes one score of its steps; None where all are of one kind."""

    def lines(self) -> list[str]:
        """For people; the last line is name=value pairs."""
        t = self.trace
        values = {
            "f1": self.score.f1,
            "accuracy_error": self.score.error,
            "accuracy_right": self.score.right,
            "threshold": self.threshold,
            **{f"auc_{rule}": value for rule, value in self.auc.items()},
        }
        counts = {
            "solutions": self.solutions,
            "with_error": self.with_error,
            "cut": self.cut,
            "trace_errors": t.true,
            "trace_errors_located": t.located,
            "right_answers_with_an_error_claimed": t.claimed,
        }
        return [
            f"{self.solutions} solutions, {self.with_error} with a wrong step; {self.unknown} more "
            "whose first error is not known were left out; first error: the first step whose score "
            f"is below {self.threshold:.3f}",
            f"{self.cut} solutions have steps beyond max_length, in which no error is looked for",
            f"right answers: {t.right_answers}, {t.true} of them with a wrong step (trace errors), "
            f"{t.located} of these located; the model names a wrong step in {t.claimed}",
            " ".join(
                [f"{name}={'na' if v is None else f'{v:.4f}'}" for name, v in values.items()]
                + [f"{name}={count}" for name, count in counts.items()]
            ),
        ]


def evaluate(
    model: RewardModel, records: Sequence[Record], threshold: float | None = None
) -> Evaluation:
    """Score the solutions whose first error is known; without a threshold, the model's own.

    Raises LabelerError for a threshold that is no probability.
    """
    limit = model.threshold if threshold is None else threshold
    if not 0 <= limit <= 1:
        raise LabelerError(f"a threshold is a probability from 0 to 1, not {limit}")
    known = [(r, r.first_error) for r in records if r.first_error is not None]
    scores = scores_of(model, [(r.question, r.steps) for r, _ in known])
    predicted = [first_below(row, limit) for row in scores]
    pairs = [(true, said) for (_, true), said in zip(known, predicted, strict=True)]
    answers = [r.is_correct for r, _ in known]
    return Evaluation(
        solutions=len(pairs),
        with_error=sum(true > 0 for true, _ in pairs),
        cut=sum(len(row) < len(r.steps) for (r, _), row in zip(known, scores, strict=True)),
        unknown=len(records) - len(known),
        threshold=limit,
        score=f1(pairs),
        trace=trace_errors(pairs, answers),
        auc={rule: _auc(scores, answers, rule) for rule in RULES},
    )


def trace_errors(pairs: Sequence[tuple[int, int]], answers: Sequence[bool | None]) -> TraceErrors:
    """Count them in pairs of true and predicted first errors (1-based, 0 none)."""
    right = [pair for pair, answer in zip(pairs, answers, strict=True) if answer]
    return TraceErrors(
        right_answers=len(right),
        true=sum(true > 0 for true, _ in right),
        located=sum(true == said > 0 for true, said in right),
        claimed=sum(said > 0 for _, said in right),
    )


def _auc(scores: Sequence[Scores], answers: Sequence[bool | None], rule: Rule) -> float | None:
    """Mann and Whitney's statistic as a share of pairs; ties count one half."""
    from scipy.stats import rankdata

    kept = [(solution_score(s, rule), a) for s, a in zip(scores, answers, strict=True) if s]
    right = [score for score, answer in kept if answer]
    wrong = [score for score, answer in kept if answer is False]
    if not right or not wrong:
        return None
    ranks = rankdata([*right, *wrong])[: len(right)].sum()
    return float((ranks - len(right) * (len(right) + 1) / 2) / (len(right) * len(wrong)))
