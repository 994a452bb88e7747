"""The main job as a user runs it: the quickstart's config, real vLLM in a real Ray actor, killed.

The promise with vLLM: no row lost or doubled, flushed rollouts kept to the byte, labels a
function of the log.
"""

from pathlib import Path

import pytest

from labeler.apps.label import label
from tests.conftest import ROOT
from tests.processes import finished, labeler, until
from tests.runs import doubles, label_rows, rollout_rows

pytestmark = [pytest.mark.engine, pytest.mark.cluster, pytest.mark.timeout(900)]

N = 4


def test_the_quickstart_survives_kills_of_actor_and_driver(tmp_path: Path) -> None:
    root = tmp_path / "run"
    arguments = [
        "run", ROOT / "configs/quickstart.yaml", f"run_dir={root}", "problems.limit=8",
        f"policy.n={N}", "generator.per_problem=2", "unit_size=2", "flush_seconds=0.2",
    ]  # fmt: skip
    with labeler(*arguments) as command:
        until(lambda: list(root.glob("rollouts/*.parquet")), patience=300)
        command.kill(command.pids("CompleterActor")[0])
        until(lambda: list(root.glob("manifest/*.json")), patience=300)
        kept = rollout_rows(root)
        command.kill(command.process.pid)
        assert command.is_gone(patience=120), command.pids()

    code, output = finished(*arguments)
    assert code == 0, output
    rollouts, labels = rollout_rows(root), label_rows(root)
    assert kept.items() <= rollouts.items()
    assert doubles(root) == 0
    assert {row["source"] for row in labels} == {"problems.jsonl"}
    assert all(step["n"] == N for row in labels for step in row["labels"][:-1])
    prefixes = {
        (row["question"], tuple(row["steps"][:k]))
        for row in labels
        for k in range(len(row["steps"]))
    }
    [completer] = {r["completer"] for r in rollouts.values()} - {row["generator"] for row in labels}
    assert sum(r["completer"] == completer for r in rollouts.values()) == N * len(prefixes)

    label(root, [])
    assert label_rows(root) == labels
    for path in (root / "labels").iterdir():
        path.unlink()
    for path in (root / "staged").iterdir():
        path.unlink()
    for path in (root / "manifest").iterdir():
        path.unlink()
    again, said = finished(*arguments, "runner.kind=inline")
    assert again == 0, said
    assert "\n0 rollouts sampled" in said
    assert label_rows(root) == labels
