"""grade_rows.py - pairs of gold and completion from a file of JSON lines, checked before graded.

A row is an object with `gold` and `pred`: a completion's text, which states its answer as in a
run (boxed, after `####`, after "the answer is"). A number in `pred` is an answer alone.
`finish`, where there, is "stop" or "length". Blank lines are no rows. The file is read twice, so
it has to be an ordinary one, and never as a whole.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labeler.config import ConfigError
from labeler.model import Finish

LONGEST_LINE = 64 << 20
"""Bytes; a longer line is no row of JSON lines but another kind of file."""
BLOCK = 500
"""Rows that are graded side by side, and written together."""
BLOCK_BYTES = 8 << 20
"""A block of long rows ends earlier: after this much of the file."""
LISTED = 10
"""Bad lines named in the error; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of the input."""

    row: dict[str, Any]
    gold: str
    text: str
    finish: Finish
    size: int
    """Bytes of its line."""


def count_pairs(source: Path) -> int:
    """How many pairs there are. ConfigError that lists the lines that are none."""
    total, bad = 0, 0
    listed: list[str] = []
    for number, found in _lines(source):
        if isinstance(found, Pair):
            total += 1
            continue
        bad += 1
        if bad <= LISTED:
            listed.append(f"\n  line {number}: {found}")
    if bad:
        more = f"\n  and {bad - LISTED} more" if bad > LISTED else ""
        raise ConfigError(
            f"{source}: {bad} of {total + bad} rows are no pairs, so nothing was graded:"
            f"{''.join(listed)}{more}"
        )
    return total


def _lines(source: Path) -> Iterator[tuple[int, Pair | str]]:
    """Each row's line number, with its pair or with what is wrong with it."""
    try:
        with source.open("rb") as file:
            lines = iter(lambda: file.readline(LONGEST_LINE), b"")
            for number, line in enumerate(lines, 1):
                if len(line) == LONGEST_LINE:
                    yield number, f"is longer than {LONGEST_LINE >> 20} MiB"
                    return
                if not line.isspace():
                    yield number, _pair(line)
    except OSError as error:
        raise ConfigError(f"cannot read {source}: {error.strerror}") from error


def _pair(line: bytes) -> Pair | str:
    try:
        row = json.loads(line.decode("utf-8-sig"))
        if not isinstance(row, dict):
            return "is no JSON object"
        pred = _text(row, "pred")
        text = pred if isinstance(row["pred"], str) else f"\\boxed{{{pred}}}"
        return Pair(row, _text(row, "gold"), text, _finish(row), len(line))
    except UnicodeDecodeError as error:
        return f"is not UTF-8 ({error.reason} at byte {error.start})"
    except json.JSONDecodeError as error:
        return f"is not JSON ({error.msg} at character {error.pos + 1})"
    except RecursionError:
        return "is nested too deeply"
    except ValueError as error:
        return str(error)


def _text(row: dict[str, Any], key: str) -> str:
    """A field that is text, or a number's text. ValueError for anything else."""
    if key not in row:
        raise ValueError(f"has no `{key}`")
    value = row[key]
    if isinstance(value, str):
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"`{key}` is {json.dumps(value)[:40]}, neither text nor a number")
    return str(value)


def _finish(row: dict[str, Any]) -> Finish:
    value = row.get("finish")
    if value not in (None, Finish.STOP, Finish.LENGTH):
        raise ValueError(f"`finish` is {json.dumps(value)[:40]}, neither stop nor length")
    return Finish(value or Finish.STOP)


def blocks(source: Path) -> Iterator[list[Pair]]:
    """Pairs in blocks. ConfigError where the file has changed since it was looked through."""
    block: list[Pair] = []
    size = 0
    for number, pair in _lines(source):
        if isinstance(pair, str):
            raise ConfigError(f"{source} has changed meanwhile: line {number} {pair}")
        block.append(pair)
        size += pair.size
        if len(block) == BLOCK or size > BLOCK_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block
