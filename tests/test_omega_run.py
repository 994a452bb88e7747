"""OmegaPRM's tree as a user grows it: the shipped config, real vLLM in a real Ray actor.

Bare problems go in; solutions, states and pairs come out, and are read as a trainer reads them.
"""

from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from labeler.apps.label import label
from labeler.testbed import problems as testbed
from labeler.testbed.measure import judged
from tests.conftest import ROOT
from tests.processes import finished
from tests.runs import doubles, rollout_rows

pytestmark = [pytest.mark.engine, pytest.mark.cluster, pytest.mark.timeout(900)]

TABLES = ("labels", "states", "pairs")


def read(root: Path) -> dict[str, list[dict[str, Any]]]:
    return {name: ds.dataset(root / name).to_table().to_pylist() for name in TABLES}


def test_bare_problems_become_solutions_states_and_pairs(tmp_path: Path) -> None:
    root = tmp_path / "run"
    arguments = [
        "run", ROOT / "configs/omega.yaml", f"run_dir={root}", "problems.limit=3",
        "policy.searches=4", "flush_seconds=0.5",
    ]  # fmt: skip
    code, output = finished(*arguments)
    assert code == 0, output
    assert "0 quarantined" in output
    tables, rollouts = read(root), rollout_rows(root)
    labels, states, pairs = (tables[name] for name in TABLES)

    assert 0 < len(labels) <= 12
    assert len({row["solution_id"] for row in labels}) == len(labels)
    known = {p.id: p for p in testbed.load(ROOT / "data/testbed/problems.jsonl")}
    for row in labels:
        assert row["is_correct"] is False
        assert not judged(known[row["problem_id"]], "\n".join(row["steps"])).solved
    assert len({row["prefix_key"] for row in states}) == len(states)
    for row in states:
        found = [r for (_, key, _), r in rollouts.items() if key == row["prefix_key"]]
        assert len(found) == row["n"] + row["ungradable"]
        assert sum(r["n_tokens"] for r in found) == row["n_tokens"]
        assert {r["step"] for r in found} == {len(row["steps"])}
    assert sum(row["visits"] for row in states) == len(labels)
    begun = {(row["problem_id"], tuple(row["steps"])) for row in states}
    for pair in pairs:
        assert pair["preferred"] != pair["rejected"]
        assert (pair["problem_id"], tuple(pair["steps"])) in begun
        assert pair["rejected_value"]["n"] > 0

    again, said = finished(*arguments)
    assert (again, "\n0 rollouts sampled" in said) == (0, True), said
    for name in TABLES:
        for part in (root / name).iterdir():
            part.unlink()
    for part in (root / "staged").iterdir():
        part.unlink()
    label(root, [])
    assert read(root) == tables
    assert doubles(root) == 0

    datasets = pytest.importorskip("datasets")
    for name, rows in tables.items():
        loaded = datasets.load_dataset(
            "parquet", data_files=str(root / name / "*.parquet"), cache_dir=str(tmp_path / "cache")
        )["train"]
        assert loaded.num_rows == len(rows)
        assert loaded["question"][:] == [row["question"] for row in rows]
