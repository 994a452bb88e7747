"""quarantine.py - quarantine.jsonl: what could not be used, each thing once.

1. One JSON object a line, {position, reason, row}, in the order of first sight.
2. The file is cumulative and written whole; a line that it holds already is not added again.
3. Any text fits: lone surrogates are written as escapes, a large row is cut to about 10 kB.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

from labeler import files
from labeler.files import FileError, RunDir
from labeler.problems.nouns import Rejected, as_json

_MOST_CHARS = 10_000
_MOST_KEYS = 50


def add_quarantine(run: RunDir, entries: Iterable[Rejected]) -> int:
    """Add what a later stage found; return how many of the entries were new.

    Raises FileError where the file cannot be written.
    """
    with closing(sqlite3.connect("")) as db:  # a private database that spills to disk
        create(db)
        for entry in entries:
            stage(db, entry)
        return flush(db, run.quarantine)


def count_quarantine(run: RunDir) -> dict[str, int]:
    """Entries by reason. Raises FileError where the file is damaged."""
    if not run.quarantine.exists():
        return {}
    try:
        with run.quarantine.open(encoding="utf-8") as held:
            return dict(Counter(json.loads(line)["reason"] for line in held))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(
            f"cannot read {run.quarantine}: {error}. Move it and manifest/ out of the run "
            "directory and run `labeler run` again: what it held is found anew."
        ) from error


def create(db: sqlite3.Connection) -> None:
    """Make the table that `stage` fills."""
    db.execute("CREATE TABLE quarantine (key TEXT UNIQUE, line BLOB)")


def stage(db: sqlite3.Connection, entry: Rejected) -> None:
    """Note an entry; one that is noted already changes nothing."""
    line = line_of(entry)
    db.execute("INSERT OR IGNORE INTO quarantine VALUES (?, ?)", (_key(line), line))


def flush(db: sqlite3.Connection, path: Path) -> int:
    """Append the noted entries that the file does not hold; return how many."""
    if path.exists():
        with path.open("rb") as held:
            keys = ((_key(line.rstrip(b"\n")),) for line in held)
            db.executemany("DELETE FROM quarantine WHERE key = ?", keys)
    (new,) = db.execute("SELECT count(*) FROM quarantine").fetchone()
    if new:
        files.write_bytes(path, lambda temporary: _write(db, path, temporary))
    return int(new)


def _write(db: sqlite3.Connection, path: Path, temporary: Path) -> None:
    with temporary.open("wb") as out:
        if path.exists():
            with path.open("rb") as held:
                for line in held:
                    out.write(line.rstrip(b"\n") + b"\n")
        for (line,) in db.execute("SELECT line FROM quarantine ORDER BY rowid"):
            out.write(line + b"\n")


def _key(line: bytes) -> str:
    return blake2b(line, digest_size=16).hexdigest()


def line_of(entry: Rejected) -> bytes:
    """The entry as one line of JSON in UTF-8, without the newline."""
    value = {"position": entry.position, "reason": str(entry.reason), "row": _clipped(entry.row)}
    # What UTF-8 cannot hold is a lone surrogate inside a string: its escape is valid JSON there.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _clipped(row: Mapping[str, Any] | str) -> Any:  # noqa: ANN401 - a JSON value
    """The row, as JSON can hold it, or its beginnings where it is large."""
    if isinstance(row, str):
        return _cut(row, _MOST_CHARS)
    text = as_json(row)
    if len(text) <= _MOST_CHARS:
        try:
            # By way of text, so that dates and decimals become strings; NaN is no JSON.
            return json.loads(text, parse_constant=str)
        except ValueError:
            return text
    kept = list(row.items())[:_MOST_KEYS]
    share = _MOST_CHARS // len(kept)
    texts = ((str(k), v if isinstance(v, str) else as_json(v)) for k, v in kept)
    return {_cut(key, 100): _cut(text, share) for key, text in texts}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"
