"""files.py - a run directory and its tables: the only code that writes files of a run.

1. A file is whole or absent: it is written under a temporary name, synced and renamed.
2. Readers never see temporary names; leftovers of a killed writer are removed by `sweep`.
3. Each table carries the schema version, the config's hash and the package version.
4. A file that cannot be written (disk full) or read (torn) is a FileError that names it and
   says what to do; what was committed before stays as it was.

It knows where tables lie and what columns they have, not what rows mean.
"""

import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from labeler.model import LabelerError

SCHEMA_VERSION = "1"

PROBLEMS = pa.schema(
    [("problem_id", pa.string()), ("question", pa.string()), ("gold", pa.string()),
     ("source", pa.string()), ("position", pa.int64())]
)  # fmt: skip
SOLUTIONS = pa.schema(
    [("solution_id", pa.string()), ("problem_id", pa.string()),
     ("steps", pa.list_(pa.string())), ("separators", pa.list_(pa.string())),
     ("generator", pa.string()), ("position", pa.int64())]
)  # fmt: skip
ROLLOUTS = pa.schema(
    [("prefix_key", pa.string()), ("problem_id", pa.string()), ("step", pa.int32()),
     ("index", pa.int32()), ("completer", pa.string()), ("seed", pa.int64()),
     ("text", pa.large_string()), ("finish", pa.string()), ("n_tokens", pa.int32()),
     ("prompt_tokens", pa.int32()), ("created_at", pa.float64())]
)  # fmt: skip
VERDICTS = pa.schema(
    [("prefix_key", pa.string()), ("completer", pa.string()), ("index", pa.int32()),
     ("gold_key", pa.string()), ("verdict", pa.string()), ("reason", pa.string()),
     ("answer", pa.string()), ("millis", pa.float32())]
)  # fmt: skip
JUDGEMENTS = pa.schema(
    [("solution_id", pa.string()), ("index", pa.int32()), ("step", pa.int32()),
     ("first_error", pa.int32()), ("score", pa.float64()), ("text", pa.large_string()),
     ("finish", pa.string()), ("n_tokens", pa.int32())]
)  # fmt: skip


class FileError(LabelerError):
    """A file of the run could not be written or read."""


@dataclass(frozen=True, slots=True)
class RunDir:
    """Where everything of one run lies."""

    root: Path

    @property
    def config(self) -> Path:
        """The resolved configuration, as JSON."""
        return self.root / "config.json"

    @property
    def problems(self) -> Path:
        """One Parquet file a unit."""
        return self.root / "problems"

    @property
    def solutions(self) -> Path:
        """One Parquet file a unit for given solutions, one for generated ones."""
        return self.root / "solutions"

    @property
    def rollouts(self) -> Path:
        """Parts named by unit, attempt and sequence; one part a unit once it is committed."""
        return self.root / "rollouts"

    def verdicts(self, grader: str) -> Path:
        """Verdicts of one grader version, in parts named like those of the rollouts."""
        return self.root / "verdicts" / grader

    def judgements(self, judge: str) -> Path:
        """What one judge said, a Parquet file a unit."""
        return self.root / "judgements" / judge

    @property
    def manifest(self) -> Path:
        """One JSON file a committed unit."""
        return self.root / "manifest"

    @property
    def staged(self) -> Path:
        """Parts that manifest entries name, published as one set."""
        return self.root / "staged"

    @property
    def labels(self) -> Path:
        """The published labels of solutions."""
        return self.root / "labels"

    @property
    def states(self) -> Path:
        """The published states of search trees; not there without any."""
        return self.root / "states"

    @property
    def pairs(self) -> Path:
        """The published pairs of next steps; not there without search trees."""
        return self.root / "pairs"

    @property
    def quarantine(self) -> Path:
        """Input rows that could not be used, one JSON object a line."""
        return self.root / "quarantine.jsonl"

    @property
    def card(self) -> Path:
        """The dataset card."""
        return self.root / "README.md"


def write_bytes(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file, then sync it and give it its name.

    Raises FileError where the disk is full or the directory cannot be written; the temporary
    file is gone then, and an older file of that name is untouched.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.rename(path)
        _sync_directory(path.parent)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise FileError(_explain(path, error)) from error


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _explain(path: Path, error: OSError) -> str:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    cause = "the disk is full" if full else str(error)
    return (
        f"cannot write {path}: {cause}. Everything committed before is safe: "
        "make room (or mend the directory) and run the same command again."
    )


def write_text(path: Path, text: str) -> None:
    """Write a small text file whole (see `write_bytes`)."""
    write_bytes(path, lambda p: _fill(p, text))


def _fill(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON object whole (see `write_bytes`)."""
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


def write_table(path: Path, table: pa.Table, config_hash: str) -> None:
    """Write a Parquet file whole (see `write_bytes`), with its origin in the metadata."""
    stamped = table.replace_schema_metadata(
        {
            **(table.schema.metadata or {}),
            "labeler.schema_version": SCHEMA_VERSION,
            "labeler.config_hash": config_hash,
            "labeler.version": version("labeler"),
        }
    )
    write_bytes(path, lambda p: pq.write_table(stamped, p, compression="zstd"))


def parts(directory: Path, prefix: str = "") -> list[Path]:
    """Finished Parquet files of a directory, by name; `prefix` is a unit's name."""
    pattern = f"{prefix}.parquet" if prefix else "*.parquet"
    found = [*directory.glob(pattern), *(directory.glob(f"{prefix}-*.parquet") if prefix else [])]
    return sorted(p for p in found if not p.name.startswith("."))


def read_table(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read one Parquet file. Raises FileError where it is torn or of another schema version."""
    try:
        table = pq.ParquetFile(path).read(columns=columns)
    except (pa.ArrowException, OSError) as error:
        raise FileError(
            f"cannot read {path}: {error}. The file is damaged: move it and manifest/ out of the "
            "run directory and run `labeler run` again; what it held is made anew, from the log "
            "where that has it."
        ) from error
    found = (table.schema.metadata or {}).get(b"labeler.schema_version", b"").decode()
    if found != SCHEMA_VERSION:
        raise FileError(
            f"{path} has schema version {found or 'none'}; this labeler reads {SCHEMA_VERSION}."
        )
    refuse_lacking(path, table.schema.names, columns or [])
    return table


def refuse_lacking(path: Path, held: Sequence[str], columns: Sequence[str]) -> None:
    """Raises FileError where a file's columns are not all there that are to be read."""
    if lacking := sorted({name.split(".")[0] for name in columns} - set(held)):
        raise FileError(
            f"{path} has no column {', '.join(lacking)}. Something else than labeler wrote it: "
            "`labeler label` writes labels anew from the log."
        )


def read_rows(
    paths: Sequence[Path], columns: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Rows of several Parquet files as dicts, one file in memory at a time."""
    for path in paths:
        yield from read_table(path, columns).to_pylist()


def count_rows(paths: Sequence[Path]) -> int:
    """Rows of several Parquet files, from their footers."""
    return sum(read_table(path, []).num_rows for path in paths)


def sweep(root: Path) -> None:
    """Remove temporary files that a killed writer left. Only for the sole owner of a run."""
    for path in root.rglob(".*.tmp"):
        path.unlink(missing_ok=True)
