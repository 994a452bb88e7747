"""counts.py - what a set of labels holds, added up a file at a time.

So it needs no more memory for more labels.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from labeler.files import read_table


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """What a set of labels holds, added up over its files."""

    solutions: int = 0
    right: int = 0
    wrong: int = 0
    steps: int = 0
    targets: Mapping[str, int] = field(default_factory=dict)
    """Steps by target: true, false, undecided."""
    bases: Mapping[str, int] = field(default_factory=dict)
    """Steps by basis: measured, inferred, undecided."""
    ratings: Mapping[str, int] = field(default_factory=dict)
    """Steps by rating: -1, 0, 1, undecided; empty where none is rated (`labels.neutral`)."""
    first_errors: Mapping[int | None, int] = field(default_factory=dict)
    """Solutions by first error; 0 is none, None is undecided."""
    consensus: Mapping[str, int] = field(default_factory=dict)
    """Solutions that consensus filtering keeps ("kept"), and those it drops, by reason; empty
    without a judge."""
    rollouts: int = 0
    """A rollout of a prefix that several solutions share counts in each of them."""
    tokens: int = 0
    adaptive: int = 0
    """Solutions whose numbers of rollouts depended on the outcomes."""
    with_failures: int = 0
    """Solutions with a prefix that could not be rolled out."""
    step_rollouts: int = 0
    """Rollouts of prefixes 1..K-1: the denominator of the two shares."""
    truncated: int = 0
    ungradable: int = 0

    def share(self, count: int) -> float:
        """`count` of the rollouts of prefixes 1..K-1; zero where there are none."""
        return count / self.step_rollouts if self.step_rollouts else 0.0


def count_labels(paths: Sequence[Path]) -> LabelCounts:
    """Counts of these label files, one in memory at a time. Raises FileError."""
    totals: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    bases: Counter[str] = Counter()
    ratings: Counter[str] = Counter()
    first_errors: Counter[int | None] = Counter()
    consensus: Counter[str] = Counter()
    columns = ["is_correct", "first_error", "labels", "n_rollouts", "n_tokens", "failures"]
    columns += ["keep", "drop_reason"]
    for path in paths:
        table = read_table(path, columns)
        labels = pc.list_flatten(table["labels"])
        totals.update(_totals(table, labels))
        for key, count in _tally(pc.struct_field(labels, "target")).items():
            targets["undecided" if key is None else str(key).lower()] += count
        bases.update(_tally(pc.struct_field(labels, "basis")))
        for rating, count in _tally(pc.struct_field(labels, "rating")).items():
            ratings["undecided" if rating is None else str(rating)] += count
        first_errors.update(_tally(table["first_error"]))
        consensus["kept"] += _tally(table["keep"]).get(True, 0)
        consensus.update({why: n for why, n in _tally(table["drop_reason"]).items() if why})
    return LabelCounts(
        **totals,
        targets=dict(targets),
        bases=dict(bases),
        ratings=dict(ratings) if ratings.keys() - {"undecided"} else {},
        first_errors=dict(first_errors),
        consensus=dict(+consensus),
    )


def _tally(column: pa.ChunkedArray) -> dict[Any, int]:
    return {row["values"]: row["counts"] for row in pc.value_counts(column).to_pylist()}


def _totals(table: pa.Table, labels: pa.ChunkedArray) -> dict[str, int]:
    """The sums of one file. Step K's n is its own answer's verdict, not a rollout."""
    own = _tally(table["is_correct"])
    stopping = pc.struct_field(pc.list_element(table["labels"], 0), "stopping")
    right, wrong = own.get(True, 0), own.get(False, 0)
    graded, truncated, ungradable = (
        pc.sum(pc.struct_field(labels, name), min_count=0).as_py()
        for name in ("n", "truncated", "ungradable")
    )
    return {
        "solutions": table.num_rows,
        "right": right,
        "wrong": wrong,
        "steps": len(labels),
        "rollouts": pc.sum(table["n_rollouts"], min_count=0).as_py(),
        "tokens": pc.sum(table["n_tokens"], min_count=0).as_py(),
        "adaptive": _tally(stopping).get("adaptive", 0),
        "with_failures": pc.sum(
            pc.greater(pc.list_value_length(table["failures"]), 0), min_count=0
        ).as_py(),
        "step_rollouts": graded - right - wrong + ungradable,
        "truncated": truncated,
        "ungradable": ungradable,
    }
