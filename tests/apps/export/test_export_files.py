"""An export is whole or not there: nothing left, torn labels, kills, full disks; in flat memory."""

import gc
import os
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labeler.apps.export import export
from labeler.apps.export.folder import whole_folder
from labeler.config import ConfigError
from labeler.exporting import Drop
from labeler.files import FileError, RunDir, parts
from labeler.formats import Record, Trl
from labeler.model import LabelerError
from tests.apps.export.exports import read, wish
from tests.processes import finished
from tests.runs import label_rows


def test_nothing_left_is_an_error_that_counts(root: Path, tmp_path: Path) -> None:
    with pytest.raises(
        LabelerError,
        match=r"none of the 24 .* has not looked at it \(a run with a `judge:` does\): 24\)",
    ):
        export(wish(root, tmp_path / "out", keep_only=True))
    assert list(tmp_path.iterdir()) == []


def test_a_format_that_holds_none_of_them_says_why(root: Path, tmp_path: Path) -> None:
    with pytest.raises(LabelerError, match=r"Solution \w+, steps\[0\]: it holds 'Value'"):
        export(wish(root, tmp_path / "out", Trl(separator="Value")))
    assert list(tmp_path.iterdir()) == []


def test_what_the_format_cannot_hold_is_listed(root: Path, tmp_path: Path) -> None:
    facts = export(wish(root, tmp_path / "out", Trl(separator="Step 5")))
    refused = read(tmp_path / "out" / "refused.jsonl")
    assert {row["field"] for row in refused} == {"steps[4]"}
    assert len(refused) == facts.tally.drops[Drop.REFUSED] > 0
    wanted = {row["solution_id"] for row in label_rows(root) if row["first_error"] is not None}
    assert {row["solution_id"] for row in refused} < wanted


def test_no_labels_is_an_error(copy: Path, tmp_path: Path) -> None:
    shutil.rmtree(copy / "labels")
    with pytest.raises(LabelerError, match="has no labels"):
        export(wish(copy, tmp_path / "out"))
    with pytest.raises(ConfigError, match="is not a run directory"):
        export(wish(tmp_path / "absent", tmp_path / "out"))


def test_a_torn_label_file_leaves_nothing(copy: Path, tmp_path: Path) -> None:
    last = parts(RunDir(copy).labels)[-1]
    last.unlink()  # a link to the staged part
    last.write_bytes(b"PAR1")
    with pytest.raises(FileError, match=r"cannot read .* writes the labels anew"):
        export(wish(copy, tmp_path / "out"))
    pq.write_table(pa.table({"question": ["q"]}), last)
    with pytest.raises(FileError, match="has schema version none"):
        export(wish(copy, tmp_path / "out"))
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


class Watched(Trl):
    """TRL rows, with something that happens at every one."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__()
        object.__setattr__(self, "happens", happens)

    def write(self, record: Record) -> dict[str, Any]:
        self.happens()
        return super().write(record)


def test_labels_that_change_meanwhile_are_an_error(copy: Path, tmp_path: Path) -> None:
    def publish_anew() -> None:
        shutil.copytree(copy / "labels", tmp_path / "new", dirs_exist_ok=True)
        shutil.rmtree(copy / "labels")
        (tmp_path / "new").rename(copy / "labels")

    with pytest.raises(LabelerError, match="published anew while it was read"):
        export(wish(copy, tmp_path / "out", Watched(publish_anew)))
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten(root: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    export(wish(root, tmp_path / "out"))
    before = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    with pytest.raises(FileError, match="is there already"):
        export(wish(root, tmp_path / "out"))
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == before


def test_what_a_killed_export_left_is_cleared_away(root: Path, tmp_path: Path) -> None:
    if (pid := os.fork()) == 0:
        with whole_folder(tmp_path / "out") as folder:
            (folder / "old.jsonl").write_text("{}\n")
            os._exit(9)
    os.waitpid(pid, 0)
    assert not (tmp_path / "out").exists()
    export(wish(root, tmp_path / "out"))
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert not (tmp_path / "out" / "old.jsonl").exists()


def test_a_full_disk_leaves_nothing(root: Path, tmp_path: Path) -> None:
    code, output = finished(
        "export", root, "--format", "processbench", "--out", tmp_path / "out", most_bytes=2000
    )
    assert (code, "Nothing was written" in output, "Traceback" in output) == (1, True, False)
    assert list(tmp_path.iterdir()) == []


ROWS = 50_000


@pytest.fixture(scope="module")
def large(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run with each solution so often that there are 50,000, in one file of one row group."""
    folder = tmp_path_factory.mktemp("large") / "run"
    shutil.copytree(root, folder)
    files = parts(RunDir(folder).labels)
    few = pa.concat_tables(pq.read_table(file) for file in files)
    many = pa.concat_tables([few] * (ROWS // few.num_rows + 1)).slice(0, ROWS)
    for file in files:
        file.unlink()
    table = many.replace_schema_metadata(few.schema.metadata)
    pq.write_table(table, files[0], row_group_size=ROWS)
    return folder


def test_memory_does_not_grow_with_the_rows(large: Path, tmp_path: Path) -> None:
    """Counts what has come to life since the start, every 997 rows: no more than the batches."""
    alive: list[int] = []
    rows = count()

    def look() -> None:
        if next(rows) % 997 == 0:
            alive.append(len(gc.get_objects()))

    gc.collect()
    gc.freeze()  # what was there before does not count
    try:
        facts = export(wish(large, tmp_path / "out", Watched(look)))
    finally:
        gc.unfreeze()
    assert facts.tally.rows_in == ROWS
    assert len(alive) > 20
    assert max(alive) < 20_000, "batches hold fewer objects, all rows over a million"


def test_two_writers_of_one_folder(tmp_path: Path) -> None:
    """One makes it whole, the other is refused and touches nothing."""
    with whole_folder(tmp_path / "out") as part:
        (part / "train.jsonl").write_text("first")
        with (
            pytest.raises(FileError, match="another command is writing"),
            whole_folder(tmp_path / "out"),
        ):
            raise AssertionError("two at once")
    assert [f.read_text() for f in (tmp_path / "out").iterdir()] == ["first"]
    with pytest.raises(FileError, match="is there already"), whole_folder(tmp_path / "out"):
        raise AssertionError("it was overwritten")


@pytest.mark.parametrize("column", ["keep", "labels"])
def test_labels_without_a_column_are_told(copy: Path, tmp_path: Path, column: str) -> None:
    for path in (copy / "labels").glob("*.parquet"):
        table = pq.read_table(path)
        pq.write_table(table.drop_columns([column]), path)
    with pytest.raises(FileError, match=f"has no column {column}"):
        export(wish(copy, tmp_path / "out"))
