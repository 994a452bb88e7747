"""noise.py - how noisy the labels of the exported solutions are, added up a row at a time.

Step K is left out of everything that speaks of rollouts: its label is the own answer's verdict.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Noise:
    """Sums over solutions; the properties are what a card says."""

    solutions: int = 0
    undecided: int = 0
    """Solutions whose first error is undecided."""
    steps: int = 0
    """Steps 1..K-1 of all solutions."""
    measured: int = 0
    """Of these, steps with a graded rollout."""
    graded: int = 0
    truncated: int = 0
    ungradable: int = 0
    widths: float = 0.0
    """Sum of the Jeffreys intervals' widths of the measured steps."""
    credible: int = 0
    """Steps 1..K-1 with a credible interval."""
    credible_widths: float = 0.0

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row of labels."""
        self.solutions += 1
        self.undecided += row["first_error"] is None
        for step in row["labels"][:-1]:
            self.steps += 1
            self.graded += step["n"]
            self.truncated += step["truncated"]
            self.ungradable += step["ungradable"]
            if step["n"]:
                self.measured += 1
                self.widths += step["high"] - step["low"]
            if step["credible_low"] is not None:
                self.credible += 1
                self.credible_widths += step["credible_high"] - step["credible_low"]

    def figures(self) -> dict[str, str]:
        """The figures by what they are, as text; "none" where there is nothing to measure."""
        rollouts = self.graded + self.ungradable
        return {
            "graded rollouts a step, mean": _ratio(self.graded, self.steps, ".2f"),
            "steps without a rollout of their own": _ratio(
                self.steps - self.measured, self.steps, ".1%"
            ),
            "width of a measured step's interval (Jeffreys), mean": _ratio(
                self.widths, self.measured, ".3f"
            ),
            "width of a step's credible interval, mean": _ratio(
                self.credible_widths, self.credible, ".3f"
            ),
            "rollouts that ran out of tokens (truncated)": _ratio(self.truncated, rollouts, ".1%"),
            "rollouts that could not be graded": _ratio(self.ungradable, rollouts, ".1%"),
        }


def _ratio(part: float, whole: int, spelled: str) -> str:
    return format(part / whole, spelled) if whole else "none"
