"""show.py - a comparison as a person reads it, and as JSON."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table

from labeler.apps.compare import Compared
from labeler.apps.compare.agreement import Number
from labeler.scores import PLACES

if TYPE_CHECKING:
    from rich.console import Console


def show(found: Compared, console: "Console") -> None:
    """Print what was joined, the numbers and the confusion table."""
    for line in _joined(found):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print(_numbers(found))
    console.print(_confusion(found))
    for line in _traces(found):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def show_json(found: Compared, console: "Console") -> None:
    """Print the same as one JSON object."""
    read, joined = found.read, found.joined
    numbers = asdict(found.numbers)
    traces = {name: numbers.pop(name) for name in ("traces", "traces_found", "traces_ours")}
    whole = {
        "run": found.run,
        "against": found.against,
        "format": read.format,
        "rows": read.rows,
        "refused": read.refused,
        "refused_first": read.first,
        "joined": {
            "matched": len(joined.pairs),
            "ambiguous": joined.ambiguous,
            "ours_alone": joined.ours_alone,
            "theirs_alone": joined.theirs_alone,
            "ours_with_other_steps": joined.other_steps,
        },
        **numbers,
        "trace_errors": traces,
    }
    console.print(json.dumps(whole, indent=2), markup=False, highlight=False, soft_wrap=True)


def _joined(found: Compared) -> Iterator[str]:
    read, joined = found.read, found.joined
    yield f"{found.run} against {found.against} ({read.format}), which is taken as true"
    yield (
        f"solutions: {len(joined.pairs):,} matched, of {found.numbers.problems:,} problems; "
        f"{joined.ambiguous:,} ambiguous, {joined.ours_alone:,} only ours "
        f"({joined.other_steps:,} of them with a question of the file, but other steps), "
        f"{joined.theirs_alone:,} only theirs"
    )
    if read.refused:
        yield f"rows: {read.refused:,} of {read.rows:,} could not be read; the first:"
        yield from (f"  {line}" for line in read.first)


def _numbers(found: Compared) -> Table:
    numbers = found.numbers
    table = Table(box=SIMPLE)
    table.add_column("number")
    for name in ("value", "95% interval", "of"):
        table.add_column(name, justify="right")
    rows = {
        "first error the same": (numbers.accuracy, "solutions"),
        "  undecided: counts as wrong": (numbers.undecided, "solutions"),
        "ProcessBench F1": (numbers.f1, "solutions"),
        "  wrong step found exactly": (numbers.error, "with one"),
        "  none, and none found": (numbers.right, "without one"),
        "hard labels the same": (numbers.steps, "steps"),
        "soft labels, RMSE": (numbers.soft, "steps"),
    }
    for name, (number, what) in rows.items():
        table.add_row(name, *_cells(number), f"{number.of:,} {what}")
    return table


def _cells(number: Number) -> tuple[str, str]:
    if number.value is None:
        return "-", "-"
    spread = "-" if number.low is None else f"{number.low:.3f} to {number.high:.3f}"
    return f"{number.value:.3f}", spread


def _confusion(found: Compared) -> Table:
    table = Table(box=SIMPLE)
    table.add_column("theirs \\ ours names")
    for name in PLACES:
        table.add_column(name, justify="right")
    names = {"error": "a wrong step", "none": "no wrong step"}
    for truth, counts in found.numbers.confusion.items():
        cells = (
            "" if truth == "none" and p in ("exact", "late") else f"{counts[p]:,}" for p in PLACES
        )
        table.add_row(names[truth], *cells)
    return table


def _traces(found: Compared) -> Iterator[str]:
    numbers = found.numbers
    yield (
        f"right answer, yet a wrong step: {numbers.traces:,} by theirs, of which ours names "
        f"{numbers.traces_found:,} at the same step; {numbers.traces_ours:,} by ours"
    )
