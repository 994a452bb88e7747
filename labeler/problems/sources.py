"""sources.py - files and datasets -> rows as dicts, streaming.

1. It holds one row, or one small batch of a Parquet file, at a time.
2. What cannot be read as a row comes back as Rejected with its place; the rest goes on. Only a
   source that cannot be read at all (no file, a torn Parquet file, a dataset that does not
   load) is a LabelerError.
3. Positions name files relative to what was asked for: they are the same on every machine.

It does not know what the columns mean.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from labeler.model import LabelerError
from labeler.problems.config import ProblemsConfig
from labeler.problems.nouns import Rejected, Rejection

Found = tuple[str, Mapping[str, Any]] | Rejected
_FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".parquet": "parquet"}
_SAVED = ("dataset_info.json", "dataset_dict.json", "state.json")
_SHARD = re.compile(r"-\d{5}-of-\d{5}")
_BOM = b"\xef\xbb\xbf"


def rows(config: ProblemsConfig) -> Iterator[Found]:
    """Every row of the source, in order, with its position. Raises LabelerError (see above)."""
    path = expand(config.path)
    place = Path(path)
    if config.format == "hub" or (config.format == "auto" and _is_dataset(place)):
        from labeler.problems.hub import hub_rows

        yield from hub_rows(path, config)
        return
    if not place.exists():
        raise LabelerError(
            f"problems: there is no file or directory {path!r} (seen from {Path.cwd()})."
        )
    for file, name in _files(place, config.format):
        yield from _read(file, name, config)


def expand(path: str) -> str:
    """The path with `$NAME`, `${NAME}` and `~` replaced. An unset variable is a LabelerError."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name not in os.environ:
            raise LabelerError(
                f"problems: the path {path!r} needs the environment variable {name}, "
                f"which is not set. Set it (export {name}=...) or write the path out."
            )
        return os.environ[name]

    return os.path.expanduser(re.sub(r"\$(?:\{(\w+)\}|(\w+))", value, path))


def _is_dataset(place: Path) -> bool:
    """Whether `auto` means a Hugging Face dataset: a saved one, a downloaded one, or a name."""
    if place.is_dir():
        saved = any((place / name).exists() for name in _SAVED)
        return saved or any(_SHARD.search(p.name) for p in place.rglob("*.*"))
    is_name = re.fullmatch(r"[\w.-]+(/[\w.-]+)?", str(place)) and not place.name.startswith(".")
    return not place.exists() and bool(is_name) and place.suffix not in _FORMATS


def _files(place: Path, wanted: str) -> Iterator[tuple[Path, str]]:
    """The data files, each with its name in positions."""
    if place.is_file():
        yield place, _as_text(place.name)
        return
    seen = False
    for file in sorted(place.rglob("*")):
        name = _as_text(file.relative_to(place).as_posix())
        kind = _FORMATS.get(file.suffix.lower())
        hidden = any(part.startswith((".", "_")) for part in name.split("/"))
        if kind and not hidden and wanted in ("auto", kind) and file.is_file():
            seen = True
            yield file, name
    if not seen:
        raise LabelerError(
            f"problems: no {'data' if wanted == 'auto' else wanted} file in {place}."
        )


def _as_text(name: str) -> str:
    """The name as UTF-8 can hold it: on some file systems a name is any bytes."""
    return name.encode("utf-8", "replace").decode()


def _read(file: Path, name: str, config: ProblemsConfig) -> Iterator[Found]:
    kind = _FORMATS.get(file.suffix.lower()) if config.format == "auto" else config.format
    if kind is None:
        raise LabelerError(
            f"problems: cannot tell the format of {file} by its name: set problems.format to "
            "jsonl, json or parquet."
        )
    if kind == "parquet":
        yield from _parquet(file, name)
        return
    try:
        with file.open("rb") as stream:
            if kind == "json" and _is_array(stream):
                from labeler.problems.arrays import array_rows

                yield from array_rows(stream, name, config.max_row_bytes)
            else:
                yield from _lines(stream, name, config.max_row_bytes)
    except OSError as error:
        raise LabelerError(f"problems: cannot read {file}: {error}") from error


def _is_array(stream: BinaryIO) -> bool:
    """Whether the JSON file is one array (else it holds an object a line)."""
    start = stream.read(4096).removeprefix(_BOM).lstrip()
    stream.seek(0)
    return start.startswith(b"[")


def _lines(stream: BinaryIO, name: str, most: int) -> Iterator[Found]:
    number = 0
    while line := stream.readline(most + 1):
        number += 1
        position = f"{name}:{number}"
        if len(line) > most and not line.endswith(b"\n"):
            yield Rejected(position, Rejection.TOO_LONG, line[:100_000].decode("utf-8", "replace"))
            while line and not line.endswith(b"\n"):
                line = stream.readline(most)
            continue
        line = line.removeprefix(_BOM) if number == 1 else line
        if line.strip():
            yield _line(line, position)


def _line(line: bytes, position: str) -> Found:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        shown = line.decode("utf-8", "backslashreplace")
        return Rejected(position, Rejection.NOT_UTF8, shown)
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return Rejected(position, Rejection.MALFORMED, text.rstrip("\r\n"))
    if not isinstance(row, dict):
        return Rejected(position, Rejection.MALFORMED, text.rstrip("\r\n"))
    return position, row


def _parquet(file: Path, name: str) -> Iterator[Found]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        number = 0
        with pq.ParquetFile(file) as table:
            for batch in table.iter_batches(batch_size=256):
                for i in range(batch.num_rows):
                    number += 1
                    position = f"{name}:{number}"
                    try:
                        yield position, batch.slice(i, 1).to_pylist()[0]
                    except UnicodeDecodeError as error:
                        yield Rejected(position, Rejection.NOT_UTF8, repr(error.object))
                    except (ValueError, OverflowError) as error:  # such as a date beyond year 9999
                        yield Rejected(position, Rejection.MALFORMED, str(error))
    except (pa.ArrowException, OSError) as error:
        raise LabelerError(f"problems: cannot read {file} as Parquet: {error}") from error
