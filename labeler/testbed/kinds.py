"""kinds.py - the words in which a step is judged; `truth` says what each means exactly."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a step is, given the problem and the steps before it."""

    RIGHT = "right"
    SLIP = "slip"
    STATE = "state"
    CARRIED = "carried"


class Reason(StrEnum):
    """Why a step is a slip or a state error."""

    NONE = ""
    OPERAND = "operand"
    """An operand or the operation is not the problem's."""
    ARITHMETIC = "arithmetic"
    """The equation does not hold."""
    LABEL = "label"
    """The numbers of another, pending line."""
    LEAP = "leap"
    """Uses a right number whose own line is not written."""
    RESTATED = "restated"
    """Said before, and nothing needs it again."""
    IDLE = "idle"
    """Wrong, about a quantity that the answer does not need."""
    ORDER = "order"
    """A move that does not commute with one left out."""
    REPEATED = "repeated"
    """A move done twice."""
    FINAL = "final"
    """States another number than the one reached."""
    LEFT_OUT = "left_out"
    """States the number reached although something was left out."""
    UNREADABLE = "unreadable"
    """Outside the grammar, or about nothing in the problem."""


@dataclass(frozen=True, slots=True)
class StepTruth:
    """The judgement of one step."""

    kind: Kind
    reason: Reason = Reason.NONE
    repaired: bool = False
    """The state was wrong before this step and is sound after it."""

    @property
    def is_error(self) -> bool:
        """Whether the step is wrong by itself."""
        return self.kind in (Kind.SLIP, Kind.STATE)


class Judgement(NamedTuple):
    """What one line is; whether it repaired anything is seen from the ledger."""

    kind: Kind
    reason: Reason = Reason.NONE


RIGHT = Judgement(Kind.RIGHT)
CARRIED = Judgement(Kind.CARRIED)


def slip(reason: Reason) -> Judgement:
    """A slip."""
    return Judgement(Kind.SLIP, reason)


def wrong(reason: Reason) -> Judgement:
    """A state error."""
    return Judgement(Kind.STATE, reason)
