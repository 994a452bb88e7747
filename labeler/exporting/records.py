"""records.py - one row of labels/*.parquet -> the record that a format writes, or why not.

A row that is not taken says why by a Drop, and every Drop is counted: rows in = rows out + drops.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from labeler.exporting.options import ExportOptions
from labeler.formats.record import Record

LabelRow = Mapping[str, Any]


class Drop(StrEnum):
    """Why a solution is not exported."""

    UNDECIDED = "first error undecided"
    LOW_CONFIDENCE = "first error less sure than min_confidence"
    NO_CONFIDENCE = "no confidence of the first error to compare with min_confidence"
    NOT_KEPT = "not kept by consensus filtering"
    NO_CONSENSUS = "consensus filtering has not looked at it"
    UNLABELLED = "a step without a label of the kind asked for"
    CONTAMINATED = "its problem overlaps a benchmark"
    REFUSED = "the format cannot hold it (see refused.jsonl)"
    BALANCE = "left out to balance"


COLUMNS = (
    "problem_id", "solution_id", "question", "gold", "steps", "answer", "is_correct", "source",
    "generator", "first_error", "first_error_confidence", "keep",
    *(f"labels.list.element.{name}" for name in (
        "n", "truncated", "ungradable", "soft", "low", "high", "soft_posterior", "credible_low",
        "credible_high", "hard", "target",
    )),
)  # fmt: skip
"""What an export reads of a row, as Parquet calls it."""


def record_of(row: LabelRow, options: ExportOptions, *, soft: bool) -> Record | Drop:
    """The record of a row, or why there is none. `soft`: the format keeps soft labels.

    A format that keeps them gets them in `Record.soft`; for hard labels these are 0 and 1. Any
    other gets both, so that it can write soft values into a column of their own.
    """
    if (drop := _filtered(row, options)) is not None:
        return drop
    steps, first_error = tuple(row["steps"]), row["first_error"]
    hard, values = _hard(row, options), _soft(row["labels"])
    if options.after_error == "cut" and first_error:
        steps, hard, values = steps[:first_error], hard[:first_error], values[:first_error]
    if None in (values if options.labels == "soft" else hard):
        return Drop.UNLABELLED
    if soft and options.labels == "hard":
        values = tuple(None if good is None else float(good) for good in hard)
    whole = len(steps) == len(row["steps"])
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
    )


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
    return None


def _hard(row: LabelRow, options: ExportOptions) -> tuple[bool | None, ...]:
    """(K,): the steps' targets; with after_error=hard their own `hard` beyond the first error."""
    labels, first_error = row["labels"], row["first_error"]
    targets = tuple(step["target"] for step in labels)
    if options.after_error != "hard" or not first_error:
        return targets
    return targets[:first_error] + tuple(step["hard"] for step in labels[first_error:])


def _soft(labels: Sequence[Mapping[str, Any]]) -> tuple[float | None, ...]:
    """(K,): the posterior means; the raw means of a row that lacks one of them."""
    posterior = tuple(step["soft_posterior"] for step in labels)
    return tuple(step["soft"] for step in labels) if None in posterior else posterior
