"""tally.py - what an export read, wrote and left out: rows in = rows out + drops."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from labeler.exporting.noise import Noise
from labeler.exporting.records import Drop, LabelRow
from labeler.exporting.selector import Chosen, Left
from labeler.exporting.splits import Split


@dataclass(slots=True)
class SplitCounts:
    """What one split holds."""

    solutions: int = 0
    with_error: int = 0
    undecided: int = 0
    steps: int = 0


@dataclass(slots=True)
class Tally:
    """Counts of an export, a row at a time."""

    rows_in: int = 0
    undecided_in: int = 0
    """Rows read whose first error is undecided."""
    drops: Counter[Drop] = field(default_factory=Counter)
    refused: Mapping[str, Any] | None = None
    """What refused.jsonl says of the first solution that the format cannot hold."""
    splits: dict[Split, SplitCounts] = field(default_factory=dict)
    noise: Noise = field(default_factory=Noise)
    """Of the solutions that are exported."""

    @property
    def rows_out(self) -> int:
        """Solutions written, in all splits."""
        return sum(split.solutions for split in self.splits.values())

    def add(self, row: LabelRow, found: Chosen | Left) -> None:
        """Count what became of a row."""
        self.rows_in += 1
        self.undecided_in += row["first_error"] is None
        if isinstance(found, Left):
            self.drops[found.drop] += 1
            if found.drop is Drop.REFUSED and self.refused is None:
                self.refused = found.listed
            return
        counts = self.splits.setdefault(found.split, SplitCounts())
        counts.solutions += 1
        counts.with_error += bool(found.record.first_error)
        counts.undecided += found.record.first_error is None
        counts.steps += len(found.record.steps)
        self.noise.add(row)
