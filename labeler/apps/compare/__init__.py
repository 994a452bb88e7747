"""`labeler compare RUN --against FILE`: our labels beside people's, or an older tool's.

`theirs` reads the file, `join` finds the solutions that both have, `agreement` makes the numbers,
`show` prints them. The file's labels are the reference: they are taken as true.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labeler.apps.compare.agreement import Agreement, agreement
from labeler.apps.compare.join import Joined, join
from labeler.apps.compare.theirs import Read, Reading, records
from labeler.config import ConfigError
from labeler.files import RunDir
from labeler.formats import Record

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Compared", "Reading", "compare"]


@dataclass(frozen=True, slots=True)
class Compared:
    """What came out."""

    run: str
    against: str
    read: Read
    joined: Joined
    numbers: Agreement


def compare(root: Path, how: Reading, console: "Console", *, as_json: bool = False) -> Compared:
    """Compare, and print a table, or JSON.

    Raises ConfigError where the file is none of a known format, or has no solution of the run;
    LabelerError where labels or file cannot be read.
    """
    from labeler.apps.compare.show import show, show_json
    from labeler.apps.export.rows import label_files

    ours = label_files(RunDir(root))
    read = Read()
    theirs = records(how, read)
    # The format decides what is no difference, and is known with the first row.
    first = next(theirs, None)
    joined = join(
        map(record_of, ours.rows()),
        _again(first, theirs),
        says_answer=read.format == "math-shepherd",
    )
    if not joined.pairs:
        raise ConfigError(_nothing(root, how, joined))
    found = Compared(str(root), str(how.path), read, joined, agreement(joined.pairs))
    (show_json if as_json else show)(found, console)
    return found


def record_of(row: Mapping[str, Any]) -> Record:
    """A row of labels/*.parquet. Soft is the posterior mean, or the plain one where it is null."""
    return Record(
        question=row["question"],
        steps=tuple(row["steps"]),
        is_correct=row["is_correct"],
        first_error=row["first_error"],
        hard=tuple(step["target"] for step in row["labels"]),
        soft=tuple(
            step["soft"] if step["soft_posterior"] is None else step["soft_posterior"]
            for step in row["labels"]
        ),
    )


def _again(first: Record | None, others: Iterator[Record]) -> Iterator[Record]:
    if first is not None:
        yield first
        yield from others


def _nothing(root: Path, how: Reading, joined: Joined) -> str:
    hint = (
        f"{joined.other_steps} of the run's solutions have a question of the file, but other steps"
        if joined.other_steps
        else "not even a question is the same"
    )
    if joined.ambiguous:
        hint = f"{joined.ambiguous} are in both, with labels that contradict each other"
    return (
        f"{how.path} and {root} have no solution in common that could be compared, of "
        f"{joined.theirs} and {joined.ours}: {hint}"
    )
