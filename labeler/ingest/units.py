"""units.py - the tables of one unit: problems/<unit>.parquet, solutions/<unit>.parquet.

A unit is a bucket of questions: the bucket's number is the question's key modulo the number of
units, which is fixed when the run directory gets its first problems (units.json). So all rows
with one question are in one unit, whatever is added later; units only grow.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from labeler import files
from labeler.files import FileError, RunDir
from labeler.model import Problem, Solution, Step, digest

TableRow = dict[str, Any]
_PUT_BACK = (
    'put it back as {"units": N}, where N is what the first run had: its problems over unit_size, '
    "rounded up."
)


def unit_name(bucket: int) -> str:
    """The unit's name: its number, zero-padded so that names sort."""
    return f"{bucket:04d}"


def bucket_named(table: Path) -> int:
    """The number of the unit whose table this is. Raises FileError for any other file."""
    if not table.stem.isdecimal():
        raise FileError(f"{table} is no table of this run: move it out of {table.parent}.")
    return int(table.stem)


def bucket_of(question_key: str, units: int) -> int:
    """Which of the units a question belongs to."""
    return int(question_key, 16) % units


def read_unit_count(run: RunDir) -> int | None:
    """The fixed number of units; None before the first problems. Raises FileError if damaged."""
    path = run.root / "units.json"
    if not path.exists():
        if files.parts(run.problems):
            raise FileError(f"{path} is missing, but {run.problems} holds problems: {_PUT_BACK}")
        return None
    try:
        count = json.loads(path.read_text(encoding="utf-8"))["units"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(f"cannot read {path}: {error}; {_PUT_BACK}") from error
    if not isinstance(count, int) or count < 1:
        raise FileError(f"{path} does not hold a number of units: {_PUT_BACK}")
    return count


def write_unit_count(run: RunDir, units: int) -> None:
    """Fix the number of units for good."""
    files.write_json(run.root / "units.json", {"units": units})


def held(path: Path) -> list[TableRow]:
    """Rows of a table that may not be there."""
    return files.read_table(path).to_pylist() if path.exists() else []


def grow(path: Path, schema: pa.Schema, new: Sequence[TableRow], config_hash: str) -> None:
    """Add rows to a table, in order of position; without new rows it is left as it is."""
    if new:
        key = schema.names[0]
        rows = sorted([*held(path), *new], key=lambda r: (r["position"], r[key]))
        files.write_table(path, pa.Table.from_pylist(rows, schema=schema), config_hash)


def problem_content(question: str, gold: str) -> str:
    """What two rows with one id must agree in."""
    return digest(question, gold)


def solution_content(row: Mapping[str, Any]) -> str:
    """Digest of everything in a solution's row but its position."""
    return digest(row["problem_id"], row["generator"], *row["steps"], *row["separators"])


def read_unit(run: RunDir, unit: str) -> tuple[tuple[Problem, tuple[Solution, ...]], ...]:
    """The problems of a unit with their solutions, given and generated, each in input order.

    Nothing where there is no such unit. Raises FileError where a table is torn.
    """
    solutions: dict[str, dict[str, Solution]] = {}
    found = files.read_rows(files.parts(run.solutions, unit))
    for row in sorted(found, key=lambda r: (r["position"], r["solution_id"])):
        steps = tuple(map(Step, row["steps"], row["separators"]))
        solution = Solution(row["solution_id"], row["problem_id"], steps, row["generator"])
        solutions.setdefault(solution.problem_id, {}).setdefault(solution.id, solution)
    table = held(run.problems / f"{unit}.parquet")
    rows = sorted(table, key=lambda r: (r["position"], r["problem_id"]))
    problems = [Problem(r["problem_id"], r["question"], r["gold"], r["source"]) for r in rows]
    return tuple((p, tuple(solutions.get(p.id, {}).values())) for p in problems)
