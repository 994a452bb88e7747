"""measured.py - one number of an audit with its bootstrap replicates, before it becomes a row."""

from dataclasses import dataclass
from typing import NamedTuple

from labeler.audit.chains import Floats
from labeler.audit.estimates import estimate
from labeler.audit.findings import Contrast, Row

_SHARES = frozenset(
    {
        "hard_wrong",
        "hard_false_good",
        "hard_false_bad",
        "zero_share",
        "rank_inversion",
        "rank_tie",
        "located_exact",
        "located_early",
        "located_late",
        "located_undecided",
        "progress_sign",
        "trace_error",
        "rises",
        "label_soft",
        "calibration",
        "label_decided",
        "label_exact",
    }
)
"""Measures that are shares of items: 0 and 1 of them are no certainty."""


class Key(NamedTuple):
    """Which number it is; the fields of a row."""

    measure: str
    reference: str = ""
    rule: str = ""
    n: int | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """A number, its replicates, and what it rests on."""

    key: Key
    replicates: Floats
    """(1+B,): the number itself first."""
    over: float
    """Items."""
    problems: int

    def row(self) -> Row:
        """Its row."""
        found = estimate(
            self.replicates, self.over, self.problems, is_share=self.key.measure in _SHARES
        )
        return Row(*self.key, found.value, found.low, found.high, found.over)


def contrast(first: Measured, second: Measured) -> Contrast:
    """How far the second is above the first, replicate by replicate; keys are the same."""
    apart = second.replicates - first.replicates
    found = estimate(apart, second.over, min(first.problems, second.problems))
    return Contrast(first.row(), second.row(), found.value, found.low, found.high)
