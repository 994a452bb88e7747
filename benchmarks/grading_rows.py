"""Rows to grade: public cases, MATH-500's golds, GSM8K model solutions.

They are read where LABELER_SHARED names a folder and never copied. What this module does not
know: any grader, and how golds are mutated (grading_mutations.py).
"""

import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SLOW_ELSEWHERE = ("resource", "long_deep", "bomb")
"""Ids of rows that cost another checker seconds begin so."""

DECIDED = {
    "decimal_rounding-03": True, "decimal_rounding-05": True, "decimal_rounding-10": False,
    "decimal_rounding-19": False, "degrees-06": True, "expression-01": True,
    "expression-08": False, "fraction-18": True, "inequality-08": True, "log-05": False,
    "log-06": True, "mcq-08": True, "percent-05": True, "set_list-20": False,
    "set_list-21": False, "tuple-08": False, "units-04": False,
}  # fmt: skip
"""Debatable cases that a written convention decides, by id; the others are not scored."""


@dataclass(frozen=True, slots=True)
class Row:
    """A gold and a completion's text with the verdict that it deserves."""

    id: str
    gold: str
    text: str
    wanted: bool | None
    """None: no convention decides it."""


def shared() -> Path | None:
    """The folder with the public data, where there is one."""
    folder = os.environ.get("LABELER_SHARED")
    return Path(folder) if folder and Path(folder).is_dir() else None


def lines(name: str) -> Iterator[dict[str, Any]]:
    with Path(str(shared()), name).open(encoding="utf-8") as rows:
        yield from map(json.loads, rows)


def boxed(answer: str) -> str:
    return f"The answer is $\\boxed{{{answer}}}$."


def cases(marker: str) -> list[Row]:
    """The hard cases; an injected file would appear at `marker`."""
    return [
        Row(
            row["id"],
            row["gold"],
            row["pred"].replace("{marker}", marker),
            DECIDED.get(row["id"]) if row["expected"] == "debatable" else row["expected"],
        )
        for row in lines("cases/answers.jsonl")
    ]


def golds() -> list[str]:
    return [row["answer"] for row in lines("data/math500.jsonl")]


def mutated(name: str, wanted: bool, change: Callable[[str], str | None]) -> list[Row]:
    """MATH-500's golds with a mutation, where it applies."""
    changed = [(i, gold, change(gold)) for i, gold in enumerate(golds())]
    return [
        Row(f"{name} {i}", gold, boxed(answer), wanted)
        for i, gold, answer in changed
        if answer is not None
    ]


def gsm8k() -> list[Row]:
    """Model solutions with the published verdict."""
    return [
        Row(f"{by} {i}", row["ground_truth"].rsplit("A:", 1)[1], s["solution"], s["is_correct"])
        for i, row in enumerate(lines("data/gsm8k_model_solutions.jsonl"))
        for by, s in row.items()
        if isinstance(s, dict)
    ]


def sample(rows: list[Row], size: int) -> list[Row]:
    """A seeded sample with at most one row of those that take Math-Verify seconds."""
    mixed = random.Random(f"{rows[0].id} {len(rows)}").sample(rows, len(rows))
    slow = [row for row in mixed if row.id.startswith(SLOW_ELSEWHERE)]
    return [*[row for row in mixed if row not in slow][:size], *slow[:1]]
