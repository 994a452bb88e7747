"""writers.py - rows of a format to files, streaming: JSON lines, one JSON array, or Parquet."""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from labeler.exporting import specimen_row
from labeler.formats import Format
from labeler.model import LabelerError

BATCH = 1024
"""Rows of a Parquet row group: what a Parquet writer holds."""

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


class RowWriter(AbstractContextManager["RowWriter"], Protocol):
    """A file that takes rows one by one, and is whole when it is closed."""

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a row."""


class JsonWriter:
    """One row a line; with `array`, all of them as one JSON array."""

    def __init__(self, path: Path, *, array: bool = False) -> None:
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self._array, self._rows = array, 0

    def __enter__(self) -> "JsonWriter":
        return self

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a row."""
        if self._array:
            self._file.write(",\n" if self._rows else "[\n")
        self._file.write(_ENCODE(row))
        if not self._array:
            self._file.write("\n")
        self._rows += 1

    def __exit__(self, *_: object) -> None:
        with self._file:
            if self._array:
                self._file.write("\n]\n" if self._rows else "[]\n")


class ParquetWriter:
    """Row groups of BATCH rows."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._file = pq.ParquetWriter(path, schema, compression="zstd")
        self._schema, self._rows = schema, list[Mapping[str, Any]]()

    def __enter__(self) -> "ParquetWriter":
        return self

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a row. Raises LabelerError for a column that other rows do not have."""
        if strange := [name for name in row if name not in self._schema.names]:
            raise LabelerError(f"a row has columns that others do not have: {', '.join(strange)}")
        self._rows.append(row)
        if len(self._rows) == BATCH:
            self._flush()

    def _flush(self) -> None:
        self._file.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
        self._rows.clear()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with ExitStack() as stack:
            stack.callback(self._file.close)
            if kind is None and self._rows:
                self._flush()


def file_name(stem: str, to: Format) -> str:
    """What a split's file is called."""
    return f"{stem}.{to.file}"


def writer(path: Path, to: Format) -> RowWriter:
    """A writer of rows of this format."""
    if to.file == "parquet":
        return ParquetWriter(path, schema_of(to))
    return JsonWriter(path, array=to.file == "json")


def schema_of(to: Format) -> pa.Schema:
    """The Arrow schema of the format's rows."""
    return pa.Table.from_pylist([specimen_row(to)]).schema
