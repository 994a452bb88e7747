"""theirs.py - a file of labels that are not ours -> records, streaming.

A row that the format does not allow is counted, and the first ones are kept to be shown. Where no
row is of the format, or the format cannot be told, or rating 0 is met without a word on how to read
it, there is nothing to compare: an error.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from labeler.apps.export import settings
from labeler.apps.row_files import all_rows, data_files
from labeler.config import ConfigError
from labeler.formats import (
    FORMATS,
    BadRowError,
    Format,
    Prm800k,
    Record,
    Row,
    recognise,
)
from labeler.formats.fields import first_error
from labeler.problems import Rejected

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is read."""

    path: Path
    format: str | None = None
    """None: told by the first row."""
    zero: str | None = None
    """How rating 0 of PRM800K is read: good or bad."""
    threshold: float | None = None
    """A step with a soft label is good above it. None: soft labels say nothing of first errors."""
    placeholder: str | None = None
    """What ends a step in the file; None: what is usual in the format."""


@dataclass(slots=True)
class Read:
    """What became of the rows."""

    format: str = ""
    rows: int = 0
    refused: int = 0
    first: list[str] = field(default_factory=list)
    """The first refused rows: where, and why."""


def records(how: Reading, read: Read) -> Iterator[Record]:
    """Every record of the file; `read` is filled meanwhile.

    Raises ConfigError where the file is not there, no row fits, or an option is missing or wrong;
    LabelerError where it cannot be read.
    """
    files = data_files(how.path, "--against")
    form = format_of(how, how.format) if how.format is not None else None
    for found in all_rows(files):
        read.rows += 1
        if isinstance(found, Rejected):
            _refuse(read, found.position, f"no row: {found.told}")
            continue
        position, row = found
        form = form or _recognised(how, position, row)
        read.format = form.name
        try:
            yield from (_decided(one, how.threshold) for one in form.read(row))
        except BadRowError as error:
            if error.field_name == "rating":
                raise ConfigError(f"{how.path}: {position}: {error}") from error
            _refuse(read, position, str(error))
    _any_row(how, read)


def format_of(how: Reading, name: str) -> Format:
    """The format of this name with the options that were given.

    Raises ConfigError for a name that no format has, or an option that this one does not know.
    """
    plain = settings.format_of(name, how.placeholder)
    if how.zero not in (None, "good", "bad"):
        raise ConfigError(f"--zero is good or bad, not {how.zero!r}")
    if how.zero is not None and name != "prm800k":
        raise ConfigError(f"--zero says how ratings of prm800k are read; {name} has none")
    if how.threshold is not None and not 0 <= how.threshold <= 1:
        raise ConfigError(f"--threshold: a value between 0 and 1 is needed, not {how.threshold:g}")
    if how.threshold is not None and not plain.carries_soft:
        raise ConfigError(f"--threshold is for soft labels; {name} holds hard ones")
    if name == "prm800k":
        return Prm800k(zero="good" if how.zero == "good" else "bad" if how.zero else None)
    return plain


def _decided(record: Record, threshold: float | None) -> Record:
    """The record with hard labels, where it has soft ones alone and a threshold is stated."""
    if threshold is None or record.hard is not None or record.soft is None:
        return record
    hard = tuple(None if value is None else value > threshold for value in record.soft)
    return replace(record, hard=hard, first_error=first_error(hard))


def _recognised(how: Reading, position: str, row: Row) -> Format:
    name = recognise(row)
    if name is None:
        raise ConfigError(
            f"{how.path}: {position} has the columns {', '.join(map(str, row)) or 'none'}, which "
            f"are those of no format: name it by --format ({', '.join(FORMATS)})"
        )
    return format_of(how, name)


def _refuse(read: Read, position: str, why: str) -> None:
    read.refused += 1
    if len(read.first) < _SHOWN:
        read.first.append(f"{position}: {why}")


def _any_row(how: Reading, read: Read) -> None:
    """Refuse a file of which nothing could be used."""
    if not read.rows:
        raise ConfigError(f"--against: {how.path} holds no row")
    if read.refused == read.rows:
        other = f" (is it no {read.format}? --format names another)" if read.format else ""
        raise ConfigError(
            f"--against: none of the {read.rows} rows of {how.path} can be read{other}: "
            f"{read.first[0]}"
        )
