"""A run directory loads as it is: `datasets` at once and streaming, and DuckDB."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from labeler.apps.run import run
from labeler.config import load
from tests.runs import Row, label_rows, planted_config


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loaded")
    run(load(planted_config(folder)))
    return folder / "run"


def by_solution(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row["solution_id"])


def test_datasets_loads_a_run_directory(root: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    found = datasets.load_dataset(str(root), split="train", cache_dir=str(tmp_path))
    assert by_solution(found) == label_rows(root)


def test_datasets_streams_a_run_directory(root: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    found = datasets.load_dataset(str(root), split="train", streaming=True, cache_dir=str(tmp_path))
    assert by_solution(found) == label_rows(root)
    assert not list(tmp_path.rglob("*.arrow"))


def test_duckdb_queries_a_run_directory(root: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    files = root / "labels" / "*.parquet"
    found = duckdb.sql(
        f"SELECT solution_id, first_error, [l.target for l in labels] AS targets FROM '{files}' "
        "ORDER BY solution_id"
    ).fetchall()
    assert found == [
        (row["solution_id"], row["first_error"], [step["target"] for step in row["labels"]])
        for row in label_rows(root)
    ]
    [[steps, rollouts]] = duckdb.sql(
        f"SELECT count(*), sum(l.n) FROM (SELECT unnest(labels) AS l FROM '{files}')"
    ).fetchall()
    labels = [step for row in label_rows(root) for step in row["labels"]]
    assert (steps, rollouts) == (len(labels), sum(step["n"] for step in labels))
