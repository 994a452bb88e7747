"""A small run with judge and prover whose texts try to break out of a page, and what that holds."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console

from labeler.apps.report import report
from labeler.apps.run import run
from labeler.config import load
from labeler.files import ROLLOUTS, RunDir, parts, read_rows, write_table
from labeler.shards.tables import LABELS
from tests.prover_runs import CUT
from tests.runs import label_rows, planted_config, write_problems

EVIL = (
    "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"
    "<!--<script>\u2028 & \" ' ]]>"
)
"""What a model might write."""


def evil_run(folder: Path) -> Path:
    """A planted run with a judge, of which question, steps, source and rollouts hold EVIL."""
    data = write_problems(folder / "evil.jsonl", 30)
    rows = [json.loads(line) for line in data.read_text().splitlines()]
    for row in rows:
        row["question"] = f"{EVIL} {row['question']}"
        row["solutions"] = [s.replace("\n", f" {EVIL}\n", 1) for s in row["solutions"]]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    config = planted_config(
        folder,
        problems={"path": str(data)},
        judge={"samples": 3},
        seed=3,
        completer={"kind": "planted", "truncated": 0.1},
        labels={"decided": 0.9, "neutral": 0.3},
        completers=[CUT],
        unit_size=100,
    )
    run(load(config))
    where = RunDir(folder / "run")
    _rewrite_rollouts(where)
    _rewrite_sources(where)
    return where.root


def _rewrite_rollouts(where: RunDir) -> None:
    for path in parts(where.rollouts):
        rows = [row | {"text": f"{row['text']} {EVIL}"} for row in read_rows([path])]
        write_table(path, pa.Table.from_pylist(rows, schema=ROLLOUTS), "")


def _rewrite_sources(where: RunDir) -> None:
    """Every third solution is of another source."""
    for path in parts(where.labels):
        rows = [
            row | {"source": EVIL if i % 3 == 0 else "plain"}
            for i, row in enumerate(read_rows([path]))
        ]
        write_table(path, pa.Table.from_pylist(rows, schema=LABELS), "")


def write_truth(root: Path, path: Path) -> dict[str, int]:
    """What the planted steps say themselves, except that some first errors lie a step later."""
    told = {}
    for i, row in enumerate(label_rows(root)):
        values = [float(re.findall(r"Value (\d[.\d]*)\.", step)[0]) for step in row["steps"]]
        first = next((k for k, value in enumerate(values, 1) if value <= 0.05), 0)
        told[row["solution_id"]] = min(first + 1, len(values)) if first and i % 4 == 0 else first
    lines = (json.dumps({"solution_id": s, "first_error": k}) + "\n" for s, k in told.items())
    path.write_text("".join(lines))
    return told


def made(root: Path, out: Path, truth: Path | None = None, max_mb: float = 16.0) -> Path:
    """The page of a run."""
    return report(root, out, truth, max_mb, None, Console(quiet=True))


def block(page: Path, name: str) -> Any:  # noqa: ANN401 - JSON
    """A block of JSON of a page."""
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', _text(page))
    assert found
    return json.loads(found[1])


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def has_truncated(row: Mapping[str, Any]) -> bool:
    return any(step["truncated"] for step in row["labels"])
