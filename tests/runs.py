"""Small runs for tests: planted problems, a pool recorded from them, and what a run holds."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from labeler.files import ROLLOUTS, RunDir, parts, read_rows, read_table
from labeler.model import digest
from labeler.samplers.planted import planted_question, planted_solution

Row = dict[str, Any]


def write_problems(path: Path, count: int, solutions: int = 2) -> Path:
    """A JSONL file of planted problems with given solutions."""
    rows = [
        {
            "id": f"planted-{i}",
            "question": planted_question(i, 100 + i, 0.6),
            "answer": str(100 + i),
            "solutions": [_solution(i, j) for j in range(solutions)],
        }
        for i in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _solution(i: int, j: int) -> str:
    """A planted solution; of the first in each problem the answer needs a grading worker."""
    text = planted_solution(100 + i, 0.6, bytes.fromhex(digest(f"{i}/{j}", size=24)))
    if j:
        return text
    steps, _, answer = text.removesuffix(".").rpartition(" ")
    return f"{steps} $\\sqrt{{{int(answer) ** 2}}}$."


def write_config(path: Path, data: Row) -> Path:
    path.write_text(yaml.safe_dump(data))
    return path


def planted_config(folder: Path, count: int = 12, **changes: object) -> Path:
    """The config of an inline planted run in `folder`/run over `count` problems."""
    data: Row = {
        "name": "planted",
        "run_dir": str(folder / "run"),
        "problems": {"path": str(write_problems(folder / "problems.jsonl", count))},
        "completer": {"kind": "planted"},
        "policy": {"kind": "exhaustive", "n": 4},
        "runner": {"kind": "inline"},
        "unit_size": 4,
    }
    return write_config(folder / "config.yaml", data | changes)


def label_rows(root: Path) -> list[Row]:
    """The published labels, by solution."""
    table = pa.concat_tables(read_table(p) for p in parts(RunDir(root).labels))
    return sorted(table.to_pylist(), key=lambda row: row["solution_id"])


def rollout_rows(root: Path) -> dict[tuple[str, str, int], Row]:
    """Every rollout on disk by its place; a double is an error."""
    rows: dict[tuple[str, str, int], Row] = {}
    for row in read_rows(parts(RunDir(root).rollouts)):
        assert list(row) == ROLLOUTS.names
        key = row["completer"], row["prefix_key"], row["index"]
        assert rows.setdefault(key, row) == row, "two different rollouts have one place"
    return rows


def doubles(root: Path) -> int:
    """Rollout and verdict rows on disk beyond one for each place."""
    run = RunDir(root)
    rollouts = [
        (r["completer"], r["prefix_key"], r["index"]) for r in read_rows(parts(run.rollouts))
    ]
    verdicts = [
        (r["completer"], r["prefix_key"], r["index"], r["gold_key"], str(folder))
        for folder in (root / "verdicts").iterdir()
        for r in read_rows(parts(folder))
    ]
    return len(rollouts) - len(set(rollouts)) + len(verdicts) - len(set(verdicts))
