"""row_files.py - the rows of a data file, or of the data files right in a folder, streaming.

What export, validate and compare are given to read. What the columns mean the caller knows.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from labeler.config import ConfigError
from labeler.model import LabelerError
from labeler.problems import ProblemsConfig
from labeler.problems.sources import Found, rows

_ENDINGS = (".jsonl", ".ndjson", ".json", ".parquet")
_LISTS = ("decontaminated.jsonl", "refused.jsonl")
"""Beside an export, and no part of it."""


def data_files(path: Path, option: str = "") -> list[Path]:
    """The file, or the data files right in the folder; a fault begins with the option.

    Raises ConfigError where there is none.
    """
    said = f"{option} {path}".strip().encode("utf-8", "backslashreplace").decode()
    if not path.exists():
        raise ConfigError(f"{said}: there is no such file or folder")
    if _is_run(path) or (path.absolute().name == "labels" and _is_run(path.absolute().parent)):
        raise ConfigError(
            f"{said} holds a run's own labels: make rows of a format of them by `labeler export`"
        )
    if path.is_dir():
        found = [file for file in sorted(path.iterdir()) if _is_data(file)]
        if not found:
            raise ConfigError(f"{said} holds no data file ({', '.join(_ENDINGS)})")
    elif path.suffix.lower() in _ENDINGS:
        found = [path]
    else:
        raise ConfigError(f"{said}: cannot tell what it is: {', '.join(_ENDINGS)} are read")
    for file in found:
        if not str(file).isprintable():
            raise ConfigError(f"{said}: a name that is no UTF-8, or not printable: rename the file")
    return found


def _is_run(folder: Path) -> bool:
    return (folder / "config.json").is_file() and (folder / "labels").is_dir()


def _is_data(file: Path) -> bool:
    is_listed = file.name.startswith(".") or file.name in _LISTS
    return file.suffix.lower() in _ENDINGS and not is_listed and file.is_file()


def all_rows(files: Sequence[Path]) -> Iterator[Found]:
    """Every row with its position, or what cannot be read as one. Raises LabelerError."""
    try:
        for file in files:
            yield from rows(ProblemsConfig(path=str(file)))
    except LabelerError as error:
        raise LabelerError(str(error).removeprefix("problems: ")) from error
