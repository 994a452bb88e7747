"""files.py - the rows of a file, or of the data files of a folder, streaming."""

from collections.abc import Iterator
from pathlib import Path

from labeler.model import LabelerError
from labeler.problems import ProblemsConfig
from labeler.problems.sources import Found, rows

_ENDINGS = (".jsonl", ".ndjson", ".json", ".parquet")
_LISTS = ("decontaminated.jsonl", "refused.jsonl")
"""Beside an export, and no part of it."""


def data_files(path: Path) -> list[Path]:
    """The file, or the data files right in the folder. Raises LabelerError where there is none."""
    if path.is_file():
        if path.suffix.lower() not in _ENDINGS:
            raise LabelerError(f"{path}: cannot tell what it is: {', '.join(_ENDINGS)} are read.")
        return [path]
    if not path.is_dir():
        raise LabelerError(f"there is no file or folder {path}")
    found = [
        file
        for file in sorted(path.iterdir())
        if file.suffix.lower() in _ENDINGS
        and not file.name.startswith(".")
        and file.name not in _LISTS
    ]
    if not found:
        raise LabelerError(f"{path} holds no data file ({', '.join(_ENDINGS)})")
    return found


def all_rows(files: list[Path]) -> Iterator[Found]:
    """Every row with its position, or what cannot be read as one. Raises LabelerError."""
    for file in files:
        yield from rows(ProblemsConfig(path=str(file)))
