"""nouns.py - what reading yields: rows, and rows that cannot be used with the reason."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from labeler.model import Problem


class Rejection(StrEnum):
    """Why an input row, or one solution of it, cannot be used."""

    MALFORMED = "malformed"
    """No JSON object, or a column holds what it cannot hold."""
    NOT_UTF8 = "not_utf8"
    """Bytes that are no UTF-8, or a lone surrogate, which no UTF-8 file can hold."""
    MISSING_ID = "missing_id"
    """The mapped id column is not there."""
    MISSING_QUESTION = "missing_question"
    MISSING_GOLD = "missing_gold"
    MISSING_SOLUTION = "missing_solution"
    """A mapped solution column is not there."""
    TOO_LONG = "too_long"
    NO_STEPS = "no_steps"
    TOO_MANY_STEPS = "too_many_steps"
    DUPLICATE_ID = "duplicate_id"
    """Another problem has this id already."""
    TRUNCATED = "truncated"
    """A sampled solution that ran out of tokens."""
    UNPARSED_GOLD = "unparsed_gold"
    """The gold, graded against itself, is not correct. Found by whoever grades, not here."""


@dataclass(frozen=True, slots=True)
class RawSolution:
    """A solution as it was given, not yet cut into steps."""

    content: str | tuple[str, ...]
    """The text, or the steps; of a faulty one what stood there, as text."""
    generator: str = ""
    fault: Rejection | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row that holds a problem, with the solutions that it gives (perhaps none)."""

    position: str
    """Where it was: file and line (`train.jsonl:17`), file and row, or dataset, split and row."""
    problem: Problem
    solutions: tuple[RawSolution, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row, or one solution of a row, that cannot be used."""

    position: str
    reason: str
    """A Rejection's value, or what a later stage calls its reason."""
    row: Mapping[str, Any] | str
    """What was there, as far as it could be read."""

    @property
    def told(self) -> str:
        """The reason in words, of what cannot be read as a row at all."""
        return _UNREADABLE.get(self.reason, self.reason)


_UNREADABLE: Mapping[str, str] = {
    Rejection.MALFORMED: "no JSON object, or a value that cannot be read",
    Rejection.NOT_UTF8: "no UTF-8, or half of a surrogate pair",
    Rejection.TOO_LONG: "longer than any row",
}


def as_json(value: Any) -> str:  # noqa: ANN401 - any value of a row
    """The value as JSON for people to read. It never raises; lone surrogates stay in it."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return f"({type(value).__name__} that has no JSON form)"
