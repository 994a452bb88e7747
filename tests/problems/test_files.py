"""Files and directories of rows: every kind, and every fault of one."""

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.model import LabelerError
from labeler.problems import Columns, ProblemsConfig, RawSolution, Rejected, Row, read
from tests.problems.reading import outcomes, read_bytes

# Files


def test_bad_lines_are_refused_with_their_place_and_the_rest_goes_on(tmp_path: Path) -> None:
    good = b'{"question": "q", "answer": "%d"}'
    lines = [b"\xef\xbb\xbf" + good % 1, b"", b"{", b"[1]", b'{"question": "\xff"}', b"null",
             b"[" * 100_000, b"1" * 5000, good % 2 + b"\r", good % 3]  # fmt: skip
    assert outcomes(read_bytes(tmp_path, b"\n".join(lines))) == [
        ("in.jsonl:1", "1"), ("in.jsonl:3", "malformed"), ("in.jsonl:4", "malformed"),
        ("in.jsonl:5", "not_utf8"), ("in.jsonl:6", "malformed"), ("in.jsonl:7", "malformed"),
        ("in.jsonl:8", "malformed"), ("in.jsonl:9", "2"), ("in.jsonl:10", "3"),
    ]  # fmt: skip


def test_a_huge_line_is_refused_unread(tmp_path: Path) -> None:
    row = b'{"question": "q", "answer": "1"}\n'
    data = row + b"x" * 1000 + b"\n" + row + b"y" * 500
    assert outcomes(read_bytes(tmp_path, data, max_row_bytes=100)) == [
        ("in.jsonl:1", "1"), ("in.jsonl:2", "too_long"), ("in.jsonl:3", "1"),
        ("in.jsonl:4", "too_long"),
    ]  # fmt: skip


ROWS = st.lists(
    st.fixed_dictionaries({"question": st.text(min_size=1, max_size=9), "answer": st.integers()})
    | st.integers()
    | st.lists(st.integers(), max_size=2)
)


@given(rows=ROWS, indent=st.sampled_from([None, 0, 2]), ascii_=st.booleans())
def test_an_array_reads_as_its_lines_do(
    rows: list[Any], indent: int | None, ascii_: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("array")
    text = json.dumps(rows, indent=indent, ensure_ascii=ascii_)
    array = read_bytes(folder, text.encode("utf-8", "surrogatepass"), "in.json")
    lines = read_bytes(folder, "\n".join(map(json.dumps, rows)).encode())
    assert [o[1] for o in outcomes(array)] == [o[1] for o in outcomes(lines)]


def test_an_array_larger_than_its_window(tmp_path: Path) -> None:
    rows = [{"question": f"é{i}" * (i % 900), "answer": i} for i in range(1, 400)]
    data = json.dumps(rows, ensure_ascii=False, indent=1).encode()
    assert len(data) > 200_000
    assert [r.problem.gold for r in read_bytes(tmp_path, data, "in.json")] == [
        str(i) for i in range(1, 400) if i % 900
    ]


def test_a_number_at_the_edge_of_the_window_is_not_cut(tmp_path: Path) -> None:
    data = b"[" + b",".join([b"123456"] * 20_000) + b"]"
    found = read_bytes(tmp_path, data, "in.json")
    assert len(found) == 20_000
    assert {r.row for r in found} == {"123456"}


@pytest.mark.parametrize(
    ("data", "outcome"),
    [
        (b"[]", []),
        (b'[{"question": "q", "answer": 1}', ["1", "malformed"]),
        (b'[{"question": "q", "answer": 1}, oops, {}]', ["1", "malformed"]),
        (b'[{"question": "q", "answer": 1} {}]', ["1", "malformed"]),
        (b'[{"question": "q", "answer": 1}]\n[{"question": "q", "answer": 2}]', ["1", "malformed"]),
        (b'[{"question": "q", "answer": 1}] junk', ["1", "malformed"]),
        (b'[{"question": "q", "answer": 1}] \n\n', ["1"]),
        (b"[]]", ["malformed"]),
        (
            b"[" + b'{"question": "q", "answer": 1}, ' * 4000 + b"{}]" + b" " * 200_000 + b"1",
            ["1"] * 4000 + ["missing_question", "malformed"],
        ),
        (b'[{"question": "\xff", "answer": 1}, {"question": "q", "answer": 2}]', ["not_utf8", "2"]),
        (b"[" + b"[" * 100_000, ["malformed"]),
        (b'[{"question": "' + b"x" * 300_000 + b'"}]', ["too_long"]),
        (b'{"question": "q", "answer": 1}\n{"question": "q", "answer": 2}', ["1", "2"]),
    ],
)
def test_arrays_that_are_not_whole(tmp_path: Path, data: bytes, outcome: list[str]) -> None:
    found = read_bytes(tmp_path, data, "in.json", max_row_bytes=200_000)
    assert [o[1] for o in outcomes(found)] == outcome


def test_parquet(tmp_path: Path) -> None:
    table = {"question": ["q", None, "q3"], "answer": [1, 2, 3], "solutions": [["s"], [], None]}
    pq.write_table(pa.table(table), tmp_path / "in.parquet")
    found = list(read(ProblemsConfig(path=str(tmp_path / "in.parquet"))))
    assert outcomes(found) == [
        ("in.parquet:1", "1"), ("in.parquet:2", "missing_question"), ("in.parquet:3", "3"),
    ]  # fmt: skip
    assert found[0].solutions == (RawSolution("s"),)


def test_parquet_with_bytes_that_are_no_text(tmp_path: Path) -> None:
    raw = pa.array([b"q", b"\xff"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"question": raw, "answer": ["1", "2"]}), tmp_path / "in.parquet")
    found = list(read(ProblemsConfig(path=str(tmp_path / "in.parquet"))))
    assert [o[1] for o in outcomes(found)] == ["1", "not_utf8"]


def test_parquet_with_values_that_python_cannot_hold(tmp_path: Path) -> None:
    day = pa.array([2**30, 0], pa.date32())
    table = {"question": ["q", "r"], "answer": ["1", "2"], "day": day}
    pq.write_table(pa.table(table), tmp_path / "in.parquet")
    first, second = read(ProblemsConfig(path=str(tmp_path / "in.parquet")))
    assert isinstance(first, Rejected)
    assert (first.position, first.reason) == ("in.parquet:1", "malformed")
    assert isinstance(second, Row)


def test_names_that_are_no_text_do_not_reach_the_tables(tmp_path: Path) -> None:
    """Neither that of a file, nor that of a generator which a `*` stands for."""
    row = '{"question": "q", "answer": "1", "by": {"\\ud800": {"text": "The answer is 1."}}}\n'
    (tmp_path / os.fsdecode(b"in\xff.jsonl")).write_text(row)
    columns = Columns(solution="by.*.text")
    [found] = read(ProblemsConfig(path=str(tmp_path), columns=columns))
    assert isinstance(found, Row)
    assert (found.position, found.problem.source) == ("in?.jsonl:1", "in?.jsonl")
    assert found.solutions[0].generator == ""


def test_a_directory_is_read_in_order_of_name(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    row = '{"question": "q", "answer": "%s"}\n'
    for name in ("b.jsonl", "sub/a.jsonl", ".hidden.jsonl", "README.md"):
        (tmp_path / name).write_text(row % name)
    assert outcomes(list(read(ProblemsConfig(path=str(tmp_path))))) == [
        ("b.jsonl:1", "b.jsonl"), ("sub/a.jsonl:1", "sub/a.jsonl"),
    ]  # fmt: skip


def test_the_limit_counts_refused_rows(tmp_path: Path) -> None:
    data = b'{\n{"question": "q", "answer": "1"}\n' * 5
    assert len(read_bytes(tmp_path, data, limit=3)) == 3


# Where it lies


def test_variables_in_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.jsonl").write_text('{"question": "q", "answer": "1"}')
    monkeypatch.setenv("SOME_FOLDER", str(tmp_path))
    for path in ("$SOME_FOLDER/x.jsonl", "${SOME_FOLDER}/x.jsonl"):
        assert len(list(read(ProblemsConfig(path=path)))) == 1
    monkeypatch.delenv("SOME_FOLDER")
    with pytest.raises(LabelerError, match=r"SOME_FOLDER.*not set"):
        list(read(ProblemsConfig(path="$SOME_FOLDER/x.jsonl")))


@pytest.mark.parametrize("path", ["/no/such.jsonl", "no/such/file.parquet", "./nothing"])
def test_no_such_file(path: str) -> None:
    with pytest.raises(LabelerError, match="no file or directory"):
        list(read(ProblemsConfig(path=path)))


def test_files_that_are_not_what_they_should_be(tmp_path: Path) -> None:
    (tmp_path / "torn.parquet").write_bytes(b"PAR1 torn")
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "empty").mkdir()
    for name, words in [("torn.parquet", "Parquet"), ("notes.txt", "format"), ("empty", "no data")]:
        with pytest.raises(LabelerError, match=words):
            list(read(ProblemsConfig(path=str(tmp_path / name))))
