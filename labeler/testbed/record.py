"""record.py - records the pool: 64 rollouts of every prefix of testbed solutions.

    python -m labeler.testbed.record --work runs --out data/testbed/pool.parquet

Four stages, each an ordinary run or a function of one, so that a killed recording goes on:
1. The testbed model writes eight solutions of each held-out problem (run `pool_solutions`).
2. Of those with 3 to 10 steps at most five a problem with a wrong answer are taken, and one with
   a right one, in the order of their ids, which are digests of their texts.
3. Every prefix of theirs is rolled out (run `pool_rollouts`, exhaustive).
4. Verdicts, token counts and truth are packed into one file (see `pool.py`).
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from labeler.apps.run import run
from labeler.config import RunConfig, parse
from labeler.files import write_table, write_text
from labeler.testbed import pool
from labeler.testbed.measure import table

TESTBED = Path("data/testbed")
STEPS = range(3, 11)
WRITTEN, WRONG, RIGHT = 8, 5, 1
"""Solutions a problem: written, and taken with a wrong and with a right answer."""
N = 64


def config_of(name: str, work: Path, problems: Path, **more: object) -> RunConfig:
    """A run of the testbed model over problems of the testbed."""
    data: dict[str, Any] = {
        "name": name,
        "run_dir": str(work / name),
        "problems": {"path": str(problems)},
        "completer": {
            "kind": "vllm",
            "model": str(TESTBED / "model"),
            "dtype": "float32",
            "max_model_len": 512,
            "sampling": {"temperature": 1.0, "max_tokens": 256},
        },
    }
    return parse(data | more, name)


def write_solutions(work: Path) -> RunConfig:
    """Stage 1. The policy is the cheapest there is: only the solutions are wanted."""
    config = config_of(
        "pool_solutions",
        work,
        TESTBED / "problems.jsonl",
        generator={"per_problem": WRITTEN},
        policy={"kind": "scan", "n": 1},
    )
    run(config)
    return config


def chosen(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Stage 2: rows of labels to input rows, one a problem."""
    taken: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row["solution_id"]):
        held = sum(other["is_correct"] == row["is_correct"] for other in taken[row["problem_id"]])
        if len(row["steps"]) in STEPS and held < (RIGHT if row["is_correct"] else WRONG):
            taken[row["problem_id"]].append(row)
    for problem, solutions in sorted(taken.items()):
        texts = ["\n".join(s["steps"]) for s in solutions]
        first: Mapping[str, Any] = solutions[0]
        yield {
            "id": problem,
            "question": first["question"],
            "answer": first["gold"],
            "solutions": texts,
        }


def roll_out(work: Path, solutions: RunConfig) -> RunConfig:
    """Stages 2 and 3."""
    table = ds.dataset(solutions.root / "labels").to_table(
        columns=["problem_id", "solution_id", "question", "gold", "steps", "is_correct"]
    )
    given = work / "pool_solutions.jsonl"
    lines = (json.dumps(row) for row in chosen(table.to_pylist()) if row["solutions"])
    write_text(given, "\n".join(lines) + "\n")
    config = config_of("pool_rollouts", work, given, policy={"kind": "exhaustive", "n": N})
    run(config)
    return config


def main() -> None:
    """Record, and say what is in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("runs"))
    parser.add_argument("--out", type=Path, default=TESTBED / "pool.parquet")
    arguments = parser.parse_args()
    config = roll_out(arguments.work, write_solutions(arguments.work))
    packed = pool.pack(config, TESTBED / "problems.jsonl")
    write_table(arguments.out, packed, config.hash)
    print(table("the pool", pool.describe(pool.load(arguments.out))))


if __name__ == "__main__":
    main()
