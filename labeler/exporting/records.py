"""records.py - one row of labels/*.parquet -> the record that a format writes, or why not.

A row that is not taken says why by a Drop, and every Drop is counted: rows in = rows out + drops.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from labeler.exporting.options import ExportOptions
from labeler.formats.orm import Orm
from labeler.formats.prm800k import RATINGS
from labeler.formats.record import Format, Record

LabelRow = Mapping[str, Any]


class Drop(StrEnum):
    """Why a solution is not exported."""

    UNDECIDED = "first error undecided"
    LOW_CONFIDENCE = "first error less sure than min_confidence"
    NO_CONFIDENCE = "no confidence of the first error to compare with min_confidence"
    NOT_KEPT = "not kept by consensus filtering"
    NO_CONSENSUS = "consensus filtering has not looked at it (a run with a `judge:` does)"
    UNLABELLED = "a step without a label of the kind asked for"
    UNRATED = "no ratings (`labeler label RUN labels.neutral=0.1` writes them)"
    CONTAMINATED = "its problem overlaps a benchmark"
    REFUSED = "the format cannot hold it (see refused.jsonl)"
    BALANCE = "left out to balance (as many with an error as without, in each split)"


COLUMNS = (
    "problem_id", "solution_id", "question", "gold", "steps", "answer", "is_correct", "source",
    "generator", "first_error", "first_error_confidence", "keep",
    *(f"labels.list.element.{name}" for name in (
        "n", "truncated", "ungradable", "soft", "low", "high", "soft_posterior", "credible_low",
        "credible_high", "hard", "target", "rating",
    )),
)  # fmt: skip
"""What an export reads of a row, as Parquet calls it."""


def record_of(row: LabelRow, options: ExportOptions, to: Format) -> Record | Drop:
    """The record of a row for this format, or why there is none.

    A format that keeps soft labels gets them in `Record.soft`; for hard labels these are 0 and 1.
    Any other gets both, so that it can write soft values into a column of their own.
    """
    if (drop := _filtered(row, options)) is not None:
        return drop
    first_error = _first_error(row, options)
    upto = first_error if options.after_error == "cut" and first_error else len(row["steps"])
    steps, labels = tuple(row["steps"][:upto]), row["labels"][:upto]
    hard, values = _hard(labels, first_error, options), _soft(row["labels"])[:upto]
    ratings = tuple(step["rating"] for step in labels)
    if None in (values if options.labels == "soft" else hard) and not _of_outcomes(to, options):
        return Drop.UNLABELLED
    if to.carries_soft and options.labels == "hard":
        values = tuple(None if good is None else float(good) for good in hard)
    whole = upto == len(row["steps"])
    return Record(
        question=row["question"],
        steps=steps,
        id=row["solution_id"],
        problem_id=row["problem_id"],
        gold=row["gold"],
        answer=row["answer"] if whole else None,
        is_correct=row["is_correct"],
        first_error=first_error,
        hard=None if None in hard else hard,
        soft=values,
        source=row["source"],
        generator=row["generator"],
        extra={RATINGS: ratings} if options.labels == "ratings" else {},
    )


def _first_error(row: LabelRow, options: ExportOptions) -> int | None:
    """The row's own; with zero=bad the first neutral step, where that comes before."""
    first: int | None = row["first_error"]
    if first is None or options.zero == "good":
        return first
    neutral = (k for k, step in enumerate(row["labels"], 1) if step["rating"] == 0)
    return next((k for k in neutral if not first or k < first), first)


def _of_outcomes(to: Format, options: ExportOptions) -> bool:
    """Whether rows are about the own answer first, and values may be missing beside it."""
    return isinstance(to, Orm) and options.labels == "soft"


def _filtered(row: LabelRow, options: ExportOptions) -> Drop | None:
    if options.keep_only and row["keep"] is not True:
        return Drop.NO_CONSENSUS if row["keep"] is None else Drop.NOT_KEPT
    if row["first_error"] is None and options.undecided == "drop":
        return Drop.UNDECIDED
    if options.min_confidence is not None:
        confidence = row["first_error_confidence"]
        if confidence is None:
            return Drop.NO_CONFIDENCE
        if confidence < options.min_confidence:
            return Drop.LOW_CONFIDENCE
    wants_ratings = options.labels == "ratings" or options.zero == "bad"
    if wants_ratings and None in (step["rating"] for step in row["labels"]):
        return Drop.UNRATED
    return None


def _hard(
    labels: Sequence[Mapping[str, Any]], first_error: int | None, options: ExportOptions
) -> tuple[bool | None, ...]:
    """(K,): the steps' targets; with after_error=hard their own `hard` beyond the first error.

    With zero=bad a step that is rated 0 is false wherever it stands.
    """
    own = first_error if options.after_error == "hard" and first_error else len(labels)
    return tuple(
        False
        if options.zero == "bad" and step["rating"] == 0
        else step["target" if k < own else "hard"]
        for k, step in enumerate(labels)
    )


def _soft(labels: Sequence[Mapping[str, Any]]) -> tuple[float | None, ...]:
    """(K,): the posterior means; the raw means of a row that lacks one of them."""
    posterior = tuple(step["soft_posterior"] for step in labels)
    return tuple(step["soft"] for step in labels) if None in posterior else posterior
