"""rows.py - a run's labels as plain rows, a small batch in memory at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from labeler.exporting import COLUMNS
from labeler.files import SCHEMA_VERSION, FileError, RunDir, parts, refuse_lacking
from labeler.model import LabelerError

BATCH = 256
"""Rows of labels in memory."""


@dataclass(frozen=True, slots=True)
class LabelFiles:
    """The published label files of a run, as they were when they were looked for.

    They can be read several times. A set that was published meanwhile is another set, and
    `unchanged` says so; files that are open when it takes its place stay readable.
    """

    folder: Path
    files: Sequence[Path]
    stamp: tuple[int, int]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every row, with the columns that an export reads. Raises FileError."""
        for path in self.files:
            yield from _rows(path)

    def unchanged(self) -> None:
        """Raises LabelerError where other labels have been published since."""
        if _stamp(self.folder) != self.stamp:
            raise LabelerError(
                f"{self.folder} was published anew while it was read: run the same command again."
            )


def label_files(where: RunDir) -> LabelFiles:
    """The run's label files. Raises LabelerError where there are none."""
    stamp = _stamp(where.labels)
    files = parts(where.labels)
    if stamp is None or not files:
        raise LabelerError(
            f"{where.root} has no labels: there is no file in labels/. `labeler run` writes them."
        )
    return LabelFiles(where.labels, files, stamp)


def _stamp(folder: Path) -> tuple[int, int] | None:
    """What changes when a set takes the folder's place."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with pq.ParquetFile(path) as file:
            _check(file.schema_arrow.metadata or {}, path)
            refuse_lacking(path, file.schema_arrow.names, COLUMNS)
            for batch in file.iter_batches(batch_size=BATCH, columns=list(COLUMNS)):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise FileError(
            f"cannot read {path}: {error}. `labeler label` writes the labels anew from the log."
        ) from error


def _check(metadata: dict[bytes, bytes], path: Path) -> None:
    found = metadata.get(b"labeler.schema_version", b"").decode()
    if found != SCHEMA_VERSION:
        raise FileError(
            f"{path} has schema version {found or 'none'}; this labeler reads {SCHEMA_VERSION}."
        )
