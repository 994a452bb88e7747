"""Runs as an older grader left them: the real run's verdicts under another version's name."""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from labeler import manifest
from labeler.files import VERDICTS, RunDir, parts, read_rows, write_table

Row = dict[str, Any]
OLD = "older1+engine-1.0"


def as_it_was(row: Row) -> Row:
    return row


def age(
    root: Path,
    change: Callable[[Row], Row | None] = as_it_was,
    units: Collection[str] | None = None,
    grader: str = OLD,
) -> None:
    """Make units of a run (all of them) ones that `grader` graded.

    `change` gives what it said instead of a verdict row, or None where it never judged.
    """
    run = RunDir(root)
    for entry in manifest.read(run).values():
        if units is not None and entry.unit not in units:
            continue
        held = parts(run.verdicts(entry.grader), entry.unit)
        rows = [changed for row in read_rows(held) if (changed := change(row)) is not None]
        for part in held:
            part.unlink()
        table = pa.Table.from_pylist(rows, schema=VERDICTS)
        write_table(run.verdicts(grader) / f"{entry.unit}.parquet", table, "hash")
        manifest.commit(run, replace(entry, grader=grader))


def all_right(row: Row) -> Row:
    """Every rollout correct; solutions' own answers as they were."""
    if row["completer"] == "solution":
        return row
    return row | {"verdict": "correct", "reason": "match"}


def first_two(row: Row) -> Row | None:
    """The verdicts that labels.n=2 looks at."""
    return row if row["index"] < 2 else None


def verdict_rows(root: Path, grader: str) -> list[Row]:
    """All verdicts of one grader, in a fixed order, times left out."""
    rows = read_rows(parts(RunDir(root).verdicts(grader)))
    return sorted(({**row, "millis": 0} for row in rows), key=repr)


def files_of(root: Path) -> dict[str, bytes]:
    """Everything a run directory holds, hidden files aside."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }
