"""rulings.py - what a comparison says, and which rule of it decided."""

from dataclasses import dataclass
from enum import StrEnum

from labeler.model import Reason


class Rule(StrEnum):
    """What decided; `labeler grade --explain` prints the words."""

    TEXT = "the same text"
    NUMBERS = "exact numbers"
    ROUNDED = "a correctly rounded decimal"
    PERCENT = "percent as a number"
    UNITS = "different units"
    LETTERS = "choice letters"
    WORDS = "words, or a word and no word"
    BASES = "digits and base"
    KINDS = "kinds that cannot be equal"
    LENGTH = "different numbers of parts"
    PARTS = "parts in order"
    MEMBERS = "parts in any order"
    STRUCTURE = "the same structure, or one that differs by a number"
    POINTS = "exact values at random points"
    DIGITS = "values to 60 digits and more"
    RATIO = "sides in a constant ratio"
    REGION = "sets of real numbers"
    SIMPLIFY = "simplification"
    READING = "what could be read"
    EXTRACTION = "what the completion states"
    LIMITS = "limits of the grader"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The outcome of one comparison."""

    reason: Reason | None
    """MATCH, WRONG, or why it cannot be graded; None where only a worker can tell."""
    rule: Rule

    @property
    def equal(self) -> bool:
        """Whether the two are equal."""
        return self.reason is Reason.MATCH


UNDECIDED = Ruling(None, Rule.NONE)


def ruled(rule: Rule, *, equal: bool) -> Ruling:
    """A ruling that decides."""
    return Ruling(Reason.MATCH if equal else Reason.WRONG, rule)


@dataclass(frozen=True, slots=True)
class Judged:
    """A worker's ruling."""

    ruling: Ruling
    millis: float
    """Since a worker was free for the job."""
