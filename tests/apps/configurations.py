"""A configuration on the planted completer, its input, and checks by their name."""

import json
from collections.abc import Iterable
from pathlib import Path

from labeler.apps.checks import Check
from labeler.config import RunConfig
from tests.planted_worlds import planted_task


def by_name(checks: Iterable[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


def write_problems(path: Path, golds: list[str | None]) -> None:
    rows = []
    for i, gold in enumerate(golds):
        task = planted_task([[0.6, 0.0], [0.6, 0.7, 0.8]], 0.6, name=i)
        row = {"question": task.problem.question, "solutions": [s.text for s in task.solutions]}
        rows.append(row if gold is None else row | {"gold": gold})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def config_of(folder: Path, **changes: object) -> RunConfig:
    return RunConfig(
        **{
            "name": "checked",
            "run_dir": str(folder / "runs" / "checked"),
            "problems": {"path": str(folder / "in.jsonl")},
            "completer": {"kind": "planted"},
            "runner": {"kind": "inline"},
            **changes,
        }
    )
