"""faults.py - what can be wrong with a data set for a trainer."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

SHOWN = 20
"""Faults that are told one by one."""


class Kind(StrEnum):
    """What sort of fault it is."""

    UNREADABLE = "unreadable"
    """No row: no JSON object, or not UTF-8."""
    SHAPE = "shape"
    """A column is missing, or holds what the format does not allow."""
    DOUBLED = "doubled id"
    """Another row has its id, by which predictions are joined to it."""
    SOFT = "soft label"
    """A label between true and false where the trainer drops or refuses it."""
    MIXED = "mixed labels"
    """Labels of several kinds: booleans, numbers, signs."""
    TAG = "tag in text"
    """A text holds the tag or separator that marks the ends of steps."""
    ROUND_TRIP = "round trip"
    """Read and written again, the row is another."""
    TOKENS = "tokens"
    """What has to be one token is several, or another one where it stands."""
    LOST = "labels lost"
    """The trainer sees fewer labels than there are steps: the text is too long."""


class Partly(StrEnum):
    """Why a row itself was not written and compared; each is told in one sentence."""

    SEVERAL = "rows hold several solutions: each was written and read again, the row was not"
    UNEVEN = (
        "rows have steps that people wrote or left unrated: the solution was written and read "
        "again, the row was not"
    )
    NONE = "rows hold no labelled solution: there was nothing to write"
    ONLY_READ = "rows were only read: nothing writes this format"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, where, and how to mend it."""

    kind: Kind
    position: str
    """File and row (`train.jsonl:3`); of the whole data set, what was looked at."""
    field: str
    problem: str
    fix: str

    def __str__(self) -> str:
        return f"{self.position} {self.field}: {self.problem}. {self.fix}"


@dataclass(slots=True)
class Report:
    """Faults by kind, with the first of them."""

    rows: int = 0
    counts: Counter[Kind] = field(default_factory=Counter)
    first: list[Fault] = field(default_factory=list)
    """The first SHOWN."""
    looks_like: str | None = None
    """The format whose columns the first row has."""
    partly: Counter[Partly] = field(default_factory=Counter)
    """Rows whose round trip was not that of the row itself."""

    @property
    def faults(self) -> int:
        """How many there are."""
        return self.counts.total()

    def add(self, fault: Fault) -> None:
        """Count a fault."""
        self.counts[fault.kind] += 1
        if len(self.first) < SHOWN:
            self.first.append(fault)
