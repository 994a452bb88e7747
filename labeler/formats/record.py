"""record.py - one solution with what somebody says of its steps: what every format is about.

Rows of trainers' and benchmarks' formats are read into records and written from them, one module a
format. A record says nothing about who labelled it or how: rollouts, people, an older tool.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from labeler.model import LabelerError

Row = Mapping[str, Any]
FileKind = Literal["jsonl", "json", "parquet"]


@dataclass(frozen=True, slots=True)
class Record:
    """A solution of K steps with its labels."""

    question: str
    steps: tuple[str, ...]
    """K texts, without separators."""
    id: str = ""
    problem_id: str = ""
    gold: str | None = None
    answer: str | None = None
    is_correct: bool | None = None
    """Whether its own answer is right; None is unknown."""
    first_error: int | None = None
    """1-based; 0 is none, None is unknown or undecided."""
    hard: tuple[bool | None, ...] | None = None
    """(K,): whether each step is good; an entry None is unlabelled. None: no hard labels."""
    soft: tuple[float | None, ...] | None = None
    """(K,): the value after each step, 0 to 1. None: no soft labels."""
    source: str = ""
    generator: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What the format has besides, by its own names, so that a row can be written back."""


class BadRowError(LabelerError):
    """A row that the format does not allow: which field, what is wrong, how to mend it."""

    def __init__(self, field_name: str, problem: str, fix: str) -> None:
        super().__init__(f"{field_name}: {problem}. {fix}")
        self.field_name, self.problem, self.fix = field_name, problem, fix


class Format(Protocol):
    """A format: how its rows are read and written."""

    @property
    def name(self) -> str:
        """As `--format` calls it."""

    @property
    def file(self) -> FileKind:
        """How its rows are stored when it is written."""

    @property
    def carries_soft(self) -> bool:
        """Whether its readers keep soft labels."""

    def read(self, row: Row) -> list[Record]:
        """The solutions of one row. Raises BadRowError."""

    def write(self, record: Record) -> dict[str, Any]:
        """One row. Raises BadRowError for a record that the format cannot hold."""
