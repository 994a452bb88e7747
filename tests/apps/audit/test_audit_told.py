"""What `labeler audit` tells people and machines: tables, cautions, refusals."""

import json
import math
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from labeler.apps.audit import How, findings_of
from labeler.apps.run import run
from labeler.config import ConfigError, load
from tests.apps.audit.printing import EXACT, printed
from tests.apps.audits import planted
from tests.runs import label_rows, planted_config, write_problems


def test_it_prints_one_table_three_sentences_and_cautions(root: Path, truth: Path) -> None:
    shown = printed(root, how=How(sample=0, truth=truth))
    assert "against the truth" in shown
    lines = shown.splitlines()
    assert [line.split()[0] for line in lines if line[:3].strip().isdigit()] == [
        "1", "2", "4", "8", "16"
    ]  # fmt: skip
    said = findings_of(root, how=How(sample=0, truth=truth))
    assert len(said.sentences) == 3
    assert [line for line in lines if line in said.sentences] == list(said.sentences)
    assert [line[2:] for line in lines if line.startswith("- ")] == list(said.cautions)


def test_machines_read_what_people_read(root: Path, tmp_path: Path) -> None:
    how = How(sample=0, grid=(2, 8))
    alone = printed(root, how=how, json=Path("-"))
    shown = printed(root, how=how, json=tmp_path / "a.json", parquet=tmp_path / "a.parquet")
    assert "against all rollouts" in shown
    assert json.loads(alone) == json.loads((tmp_path / "a.json").read_text())
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert {(row.pop("run"), row.pop("side")) for row in rows} == {(str(root), None)}
    assert rows == json.loads(alone)["rows"]
    with pytest.raises(ConfigError, match="is a directory"):
        printed(root, how=how, json=tmp_path)


def test_small_and_hopeless_logs_say_what_cannot_be_concluded(tmp_path: Path) -> None:
    one = planted(tmp_path / "one", problems_count=1, policy={"kind": "exhaustive", "n": 1})
    shown = printed(one, how=How(), json=tmp_path / "one.json")
    assert "nan" not in shown.lower()
    told = json.loads((tmp_path / "one.json").read_text())
    assert any("pool" in caution for caution in told["cautions"])
    assert all(row["low"] is None for row in told["rows"] if row["measure"] == "zero_share")


def test_a_pilot_with_more_rollouts_can_be_asked_about_alone(tmp_path: Path) -> None:
    few = {"path": str(write_problems(tmp_path / "few.jsonl", 4))}
    run(load(planted_config(tmp_path, problems=few, policy={"kind": "exhaustive", "n": 16})))
    run(load(planted_config(tmp_path, 20, policy={"kind": "exhaustive", "n": 4})))
    whole = findings_of(tmp_path / "run", how=EXACT)
    assert whole.run["pool"] == 4
    assert any("--pool" in caution for caution in whole.cautions)
    pilot = findings_of(tmp_path / "run", how=How(sample=0, pool=16))
    assert pilot.run["pool"] == 16
    assert {row.n for row in pilot.rows if row.measure == "zero_share"} >= {1, 2, 4, 8, 16}
    assert any("left out" in caution for caution in pilot.cautions)


def test_it_says_where_it_differs_from_what_was_asked(tmp_path: Path) -> None:
    root = planted(tmp_path, labels={"hard_at_least": 0.5})
    shown = printed(root, how=How(sample=0, grid=(64,)))
    assert "labels.hard_at_least" in shown
    assert "of 64, which were asked for" in shown
    assert "In percent" not in shown  # no table of nothing


def test_a_truth_that_does_not_fit_is_refused(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_text('{"solution_id": "nobody", "first_error": 1}\n')
    told = findings_of(root, how=How(sample=0, truth=path))
    assert any("names none" in caution for caution in told.cautions)
    name = label_rows(root)[0]["solution_id"]
    path.write_text(json.dumps({"solution_id": name, "first_error": 99}) + "\n")
    with pytest.raises(ConfigError, match="99"):
        findings_of(root, truth=path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"grid": "1,x", "max_flip": 0.05}, "--grid"),
        ({"grid": "0,1", "max_flip": 0.05}, "--grid"),
        ({"grid": None, "max_flip": 1.5}, "--max-flip"),
        ({"grid": None, "max_flip": math.nan}, "--max-flip"),
        ({"grid": None, "max_flip": 0.05, "pool": 0}, "--pool"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        How.read(**options)
