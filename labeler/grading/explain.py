"""explain.py - a verdict with what led to it, in words a person reads."""

from dataclasses import dataclass

from labeler.grading.kinds import Kind, Value
from labeler.grading.units import DEGREE, MONEY, PERCENT
from labeler.model import Verdict


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one completion got its verdict."""

    verdict: Verdict
    rule: str
    """What decided, in a short phrase."""
    gold_kind: str
    """What the gold was read as; empty where it says nothing."""
    answer_kind: str
    """What the answer was read as; empty where the completion states none."""


def kind_of(value: Value) -> str:
    """The kind of a value: "mixed number", "interval", "integer in cm"."""
    if value.unit == PERCENT:
        return "percent"
    if value.unit == DEGREE:
        return "degrees"
    if value.unit in MONEY:
        return "money"
    return _plain_kind(value) + (f" in {value.unit}" if value.unit else "")


def _plain_kind(value: Value) -> str:
    if value.number is not None:
        if value.number.places is not None:
            return "decimal"
        if value.number.value.denominator == 1:
            return "integer"
        return "mixed number" if _mixed(value.text) else "rational"
    if value.kind is Kind.BASE:
        return f"base {value.name}"
    if value.kind is Kind.TUPLE and value.name != "()":
        return "interval"
    return _WORDS.get(value.kind, value.kind.value)


def _mixed(text: str) -> bool:
    before = text.lstrip("-").partition("\\frac")[0] if "\\frac" in text else text
    return before[:1].isdigit() and ("\\frac" in text or " " in text)


_WORDS = {Kind.WORD: "text", Kind.LETTER: "choice letter or variable", Kind.UNION: "interval",
          Kind.EQUATION: "relation", Kind.CHOICE: "choice letter with a value"}  # fmt: skip
