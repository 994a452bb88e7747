"""Reading rows: every shape, every fault, every kind of source."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.model import LabelerError
from labeler.problems import Columns, ProblemsConfig, RawSolution, Rejected, Rejection, Row, read
from labeler.problems.rows import answer_of, last_boxed, parse

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["id", "question", "problem", "gold", "answer", "final_answer", "solution", "steps",
     "solutions", "generator", "model.solution"]
)  # fmt: skip
WILD_ROWS = st.dictionaries(NAMES, JSON | st.sampled_from(["q", "x\n#### 3", "\\boxed{2}"]))
COLUMNS = st.builds(Columns, **dict.fromkeys(Columns.model_fields, st.none() | NAMES))


def one(row: dict[str, Any], **config: object) -> Row:
    found = parse("f.jsonl:1", row, ProblemsConfig.model_validate({"path": "f.jsonl", **config}))
    assert isinstance(found, Row), found
    return found


def refused(row: dict[str, Any], **config: object) -> str:
    found = parse("f.jsonl:1", row, ProblemsConfig.model_validate({"path": "f.jsonl", **config}))
    assert isinstance(found, Rejected), found
    assert found.row == row
    return found.reason


def read_bytes(folder: Path, data: bytes, name: str = "in.jsonl", **config: object) -> list[Any]:
    (folder / name).write_bytes(data)
    return list(read(ProblemsConfig.model_validate({"path": str(folder / name), **config})))


def outcomes(found: list[Any]) -> list[tuple[str, str]]:
    return [(r.position, r.reason if isinstance(r, Rejected) else r.problem.gold) for r in found]


@given(WILD_ROWS, COLUMNS, st.booleans())
def test_no_row_raises_and_what_is_kept_can_be_written(
    row: dict[str, Any], columns: Columns, label_reference: bool
) -> None:
    config = ProblemsConfig(path="f", columns=columns, label_reference=label_reference)
    found = parse("f:1", row, config)
    if isinstance(found, Row):
        problem = found.problem
        assert problem.question.strip()
        assert problem.gold.strip()
        "".join([problem.id, problem.question, problem.gold]).encode()
        for solution in found.solutions:
            if solution.fault is None:
                "".join([*solution.content, solution.generator]).encode()
    else:
        assert found.reason in Rejection


# Shapes


def test_our_shape() -> None:
    found = one({"id": 7, "question": " q ", "answer": 3, "solution": "a\nb", "generator": "g"})
    assert (found.problem.id, found.problem.question, found.problem.gold) == ("7", "q", "3")
    assert found.problem.source == "f.jsonl"
    assert found.solutions == (RawSolution("a\nb", "g"),)


def test_gold_comes_before_answer() -> None:
    assert one({"question": "q", "gold": "1", "answer": "2"}).problem.gold == "1"


def test_rows_of_prm800k_have_their_columns_in_the_question() -> None:
    about = {"problem": "q", "ground_truth_answer": "4", "pre_generated_steps": ["a", "b"]}
    row = {"labeler": "x", "question": about, "label": {"steps": []}}
    found = one(row)
    assert (found.problem.question, found.problem.gold) == ("q", "4")
    assert found.solutions == (RawSolution(("a", "b")),)
    assert one({**row, "question": {**about, "pre_generated_steps": None}}).solutions == ()
    assert refused({**row, "question": {"problem": "q"}}) == Rejection.MISSING_GOLD
    mapped = {"question": "question.problem", "gold": "question.ground_truth_answer"}
    assert one(row, columns=mapped).solutions == ()


def test_a_row_of_processbench_has_no_gold() -> None:
    row = {"id": "gsm8k-0", "problem": "q", "steps": ["a"], "label": -1}
    assert refused(row) == Rejection.MISSING_GOLD
    found = one({**row, "answer": "4"})
    assert (found.problem.id, found.solutions) == ("gsm8k-0", (RawSolution(("a",)),))


def test_gsm8k_rows_have_their_gold_after_the_marker_and_no_solution_to_label() -> None:
    row = {"question": "q", "answer": "1 + 1 = 2\n#### 1,000"}
    assert one(row).problem.gold == "1,000"
    assert one(row).solutions == ()
    assert one(row, label_reference=True).solutions == (RawSolution(row["answer"]),)


def test_math_rows_have_a_reference() -> None:
    row = {"problem": "q", "solution": "so \\boxed{\\frac{1}{2}} and \\boxed{x}", "answer": ""}
    assert one(row).problem.gold == "x"
    assert one(row | {"answer": "y"}).problem.gold == "y"
    assert one(row).solutions == ()
    assert one(row, label_reference=True).solutions == (RawSolution(row["solution"]),)
    assert one(row, columns=Columns(solution="solution")).solutions[0].content == row["solution"]


def test_processbench_rows_need_a_mapped_gold() -> None:
    row = {"id": "p-1", "problem": "q", "steps": ["a", "b"], "generator": "m", "ref": {"gold": "4"}}
    assert refused(row) == Rejection.MISSING_GOLD
    found = one(row, columns=Columns(gold="ref.gold"))
    assert found.problem.gold == "4"
    assert found.solutions == (RawSolution(("a", "b"), "m"),)


def test_solutions_of_every_form() -> None:
    forms = ["t", ["a", "b"], {"text": "u", "generator": "x"}, {"steps": ["c"]}, 5, ["a", 1], {}]
    found = one({"question": "q", "answer": "1", "solutions": forms, "generator": "g"})
    assert found.solutions[:4] == (
        RawSolution("t", "g"), RawSolution(("a", "b"), "g"), RawSolution("u", "x"),
        RawSolution(("c",), "g"),
    )  # fmt: skip
    assert [s.fault for s in found.solutions[4:]] == [Rejection.MALFORMED] * 3


def test_a_star_names_the_generators() -> None:
    row = {"question": "q", "truth": "x\nA: 3", "m1": {"solution": "s"}, "m2": {"solution": "t"}}
    found = one(row, columns=Columns(gold="truth", solution="*.solution"), answer_marker="A:")
    assert found.problem.gold == "3"
    assert found.solutions == (RawSolution("s", "m1"), RawSolution("t", "m2"))


def test_a_key_with_a_dot_is_found_before_a_path() -> None:
    row = {"question": "q", "a.b": "1", "a": {"b": "2"}}
    assert one(row, columns=Columns(gold="a.b")).problem.gold == "1"


def test_ids_are_content_where_the_row_has_none() -> None:
    row = {"question": "q", "answer": "1"}
    assert one(row).problem.id == one(row | {"id": None, "x": 1}).problem.id
    assert one(row).problem.id != one(row | {"answer": "2"}).problem.id


@pytest.mark.parametrize(
    ("change", "columns", "reason"),
    [
        ({"question": None}, {}, Rejection.MISSING_QUESTION),
        ({"question": " \n"}, {}, Rejection.MISSING_QUESTION),
        ({"question": ["q"]}, {}, Rejection.MALFORMED),
        ({"answer": None}, {}, Rejection.MISSING_GOLD),
        ({"answer": "x\n####  "}, {}, Rejection.MISSING_GOLD),
        ({"answer": True}, {}, Rejection.MALFORMED),
        ({"answer": float("nan")}, {}, Rejection.MALFORMED),
        ({"id": {}}, {}, Rejection.MALFORMED),
        ({"question": "q" * 101}, {}, Rejection.TOO_LONG),
        ({"question": "\ud800"}, {}, Rejection.NOT_UTF8),
        ({}, {"id": "uid"}, Rejection.MISSING_ID),
        ({}, {"question": "prompt"}, Rejection.MISSING_QUESTION),
        ({}, {"gold": "truth"}, Rejection.MISSING_GOLD),
        ({}, {"solution": "soluton"}, Rejection.MISSING_SOLUTION),
        ({"solution": None}, {"solution": "solution"}, Rejection.MISSING_SOLUTION),
    ],
)
def test_why_a_row_is_refused(
    change: dict[str, Any], columns: dict[str, str], reason: Rejection
) -> None:
    row = {"question": "q", "answer": "1", "solution": "s"} | change
    assert refused(row, columns=Columns(**columns), max_chars=100) == reason


@pytest.mark.parametrize(
    ("text", "boxed"),
    [("\\boxed{1}", "1"), ("\\boxed{a{b}c} d", "a{b}c"), ("\\boxed{1} \\boxed{2}", "2"),
     ("\\boxed{\\{1\\}}", "\\{1\\}"), ("\\boxed{1", None), ("}{", None), ("", None)],
)  # fmt: skip
def test_the_last_box(text: str, boxed: str | None) -> None:
    assert last_boxed(text) == boxed


def test_the_marker_counts_only_where_a_line_begins() -> None:
    assert answer_of("a #### 1", "####") == "a #### 1"
    assert answer_of("#### 1\n  #### 2", "####").strip() == "2"


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
