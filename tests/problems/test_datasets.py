"""Data sets: of a hub, in a directory, without the extra, and the public ones."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labeler.model import LabelerError
from labeler.problems import Columns, ProblemsConfig, Rejected, Rejection, Row, read
from labeler.problems.rows import last_boxed
from tests.problems.reading import outcomes

# Datasets


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    datasets = pytest.importorskip("datasets", reason="the extra `hub` is not installed")
    rows = {"question": ["q1", "q2"], "answer": ["x\n#### 1", "x\n#### 2"]}
    splits = {"train": datasets.Dataset.from_dict(rows), "test": datasets.Dataset.from_dict(rows)}
    datasets.DatasetDict(splits).save_to_disk(str(tmp_path / "dict"))
    splits["test"].save_to_disk(str(tmp_path / "single"))
    (tmp_path / "files" / "data").mkdir(parents=True)
    for split in splits:
        path = tmp_path / "files" / "data" / f"{split}-00000-of-00001.parquet"
        pq.write_table(pa.table(rows), path)
    return tmp_path


@pytest.mark.parametrize("kind", ["dict", "single", "files"])
def test_a_dataset_in_a_directory(saved: Path, kind: str) -> None:
    found = list(read(ProblemsConfig(path=str(saved / kind), split="test")))
    assert outcomes(found) == [(f"{kind}/test:1", "1"), (f"{kind}/test:2", "2")]


def test_a_directory_of_jsonl_read_as_a_dataset(tmp_path: Path) -> None:
    pytest.importorskip("datasets", reason="the extra `hub` is not installed")
    (tmp_path / "train.jsonl").write_text('{"question": "q", "answer": "1"}\n')
    found = list(read(ProblemsConfig(path=str(tmp_path), format="hub")))
    assert [o[1] for o in outcomes(found)] == ["1"]


def test_a_split_that_is_not_there(saved: Path) -> None:
    with pytest.raises(LabelerError, match=r"splits train, test, not 'dev'"):
        list(read(ProblemsConfig(path=str(saved / "dict"), split="dev")))


def test_a_dataset_that_cannot_be_had() -> None:
    pytest.importorskip("datasets", reason="the extra `hub` is not installed")
    with pytest.raises(LabelerError, match=r"no-such/dataset.*no file or directory"):
        list(read(ProblemsConfig(path="no-such/dataset")))


def in_a_fresh_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_without_the_extra_the_error_names_it() -> None:
    code = """
import sys
sys.modules["datasets"] = None
from labeler.problems import ProblemsConfig, read
try:
    list(read(ProblemsConfig(path="some/dataset")))
except Exception as error:
    print(type(error).__name__, error)
"""
    assert "LabelerError" in (said := in_a_fresh_process(code))
    assert "labeler[hub]" in said


def test_importing_the_configuration_is_light() -> None:
    code = """
import sys, labeler.problems, labeler.steps
print(sorted({"pyarrow", "datasets", "torch", "sqlite3"} & set(sys.modules)))
"""
    assert in_a_fresh_process(code) == "[]"


# Public data


@pytest.mark.parametrize(
    ("name", "config", "rows", "golds"),
    [
        ("gsm8k_test.jsonl", {}, 1319, ["18", "3", "70000"]),
        ("gsm8k_train.jsonl", {}, 7473, ["72", "10", "5"]),
        ("math500.jsonl", {}, 500, ["\\left( 3, \\frac{\\pi}{2} \\right)", "p - q"]),
        ("gsm8k_model_solutions.jsonl",
         {"columns": Columns(gold="ground_truth", solution="*.solution"), "answer_marker": "A:"},
         1319, ["18", "3", "70000"]),
    ],
)  # fmt: skip
def test_public_data(
    shared_data: Path, name: str, config: dict[str, Any], rows: int, golds: list[str]
) -> None:
    found = list(read(ProblemsConfig(path=str(shared_data / name), **config)))
    assert len(found) == rows
    assert all(isinstance(r, Row) for r in found)
    assert [o[1] for o in outcomes(found)][: len(golds)] == golds


def test_math500_boxes_hold_its_answers(shared_data: Path) -> None:
    with (shared_data / "math500.jsonl").open() as file:
        rows = [json.loads(line) for line in file]
    same = sum(last_boxed(r["solution"]) == r["answer"] for r in rows)
    assert same >= 0.95 * len(rows)


@pytest.mark.parametrize(
    ("name", "rows"), [("processbench_gsm8k.json", 400), ("processbench_math.json", 1000)]
)
def test_processbench(shared_data: Path, name: str, rows: int) -> None:
    path = str(shared_data / name)
    assert {r.reason for r in read(ProblemsConfig(path=path)) if isinstance(r, Rejected)} == {
        Rejection.MISSING_GOLD
    }
    found = list(read(ProblemsConfig(path=path, columns=Columns(gold="final_answer"))))
    assert len(found) == rows
    with_a_gold = ProblemsConfig(path=path, columns=Columns(gold="label"))
    assert all(isinstance(r, Row) and len(r.solutions) == 1 for r in read(with_a_gold))
