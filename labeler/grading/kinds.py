"""kinds.py - what an answer is read as: its kind, and per kind its number, parts or name."""

from dataclasses import dataclass
from enum import StrEnum

from labeler.grading.numerals import Numeral


class Kind(StrEnum):
    """The outer shape of an answer."""

    NUMBER = "number"
    LETTER = "letter"
    CHOICE = "choice"
    """A choice letter with the value that it stands for."""
    WORD = "word"
    BASE = "base"
    RATIO = "ratio"
    TUPLE = "tuple"
    SET = "set"
    LIST = "list"
    UNION = "union"
    MATRIX = "matrix"
    EQUATION = "equation"
    RELATION = "relation"
    EXPRESSION = "expression"


BOUND = "bound"
"""The name of a relation whose variable is a set-builder's own: it counts for nothing."""


@dataclass(frozen=True, slots=True)
class Value:
    """One answer: its shape, and per shape its number, its parts or its name."""

    kind: Kind
    text: str
    """Normalised, without unit: equal texts are equal values."""
    number: Numeral | None = None
    unit: str = ""
    parts: tuple["Value", ...] = ()
    name: str = ""
    """Brackets of a tuple, bars of a determinant, base of a numeral, letter of a choice, lone
    variable of an equation."""


def about_reals(value: Value) -> bool:
    """Whether a value says of numbers which of them are meant: an inequality, a union, ..."""
    if any(part.kind in (Kind.RELATION, Kind.UNION) for part in (value, *value.parts)):
        return True
    return any(sign in value.text for sign in (r"\mathbb", r"\setminus", r"\emptyset"))
