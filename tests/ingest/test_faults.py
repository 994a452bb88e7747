"""Ingest of bad rows, huge ones and damaged directories; of much, in little memory."""

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from labeler import files
from labeler.files import FileError, RunDir
from labeler.ingest import add_quarantine, count_quarantine, ingest, read_unit
from labeler.problems import Columns, ProblemsConfig, Rejected, Rejection
from labeler.steps import StepsConfig
from tests.ingest.taking import everything, quarantined, reasons, rows, take, tree, write


def test_the_inputs_digest_sees_content_alone(run: RunDir, tmp_path: Path) -> None:
    given = [{"question": f"q{i}", "answer": i, "solutions": ["a", "b"]} for i in range(4)]
    made = take(write(tmp_path / "a.jsonl", rows(*given)), run, 100)
    other = RunDir(tmp_path / "other")
    turned = [{**row, "solutions": ["b", "a"]} for row in reversed(given)]
    assert take(write(tmp_path / "b.jsonl", rows(*turned)), other, 100).units == made.units
    grown = [*given, {"question": "q0", "answer": 0, "solution": "c"}]
    assert take(write(tmp_path / "c.jsonl", rows(*grown)), run, 100).units != made.units


def test_only_units_with_new_input_change(run: RunDir, tmp_path: Path) -> None:
    given = [{"question": f"q{i}", "answer": i, "solution": "a"} for i in range(12)]
    before = take(write(tmp_path / "a.jsonl", rows(*given)), run, 3)
    old = tree(run.root)
    added = {"question": "q5", "answer": 5, "solution": "b"}
    after = take(write(tmp_path / "b.jsonl", rows(added)), run, 3)
    changed = {u.unit for u in set(after.units) - set(before.units)}
    assert len(changed) == 1
    new = tree(run.root)
    assert {name for name in new if new[name] != old.get(name)} == {
        f"solutions/{changed.pop()}.parquet"
    }


def test_the_number_of_units_is_fixed_by_the_first_problems(run: RunDir, tmp_path: Path) -> None:
    assert take(write(tmp_path / "bad.jsonl", [b"{"]), run).units == ()
    given = rows(*({"question": f"q{i}", "answer": i} for i in range(40)))
    first = take(write(tmp_path / "a.jsonl", given[:6]), run, 2)
    assert json.loads((run.root / "units.json").read_text()) == {"units": 3}
    assert len(take(write(tmp_path / "b.jsonl", given), run, 1).units) == 3
    assert {u.unit for u in first.units} <= {"0000", "0001", "0002"}


def test_bad_input_is_quarantined_with_position_and_reason(run: RunDir, tmp_path: Path) -> None:
    good = {"question": "q", "answer": 1}
    lines = [
        *rows(good | {"id": "i", "solution": "a"}),
        b'{"question": "\xff"}',
        *rows(
            good | {"id": "i", "answer": 2, "solution": "a"},
            good | {"solutions": ["ok", "", "1\n2\n3\n4", "x" * 31, 7]},
            {"question": "only"},
            good | {"question": "all bad", "solution": " "},
        ),
    ]
    made = take(write(tmp_path / "in.jsonl", lines), run)
    assert sorted(reasons(run)) == [
        ("in.jsonl:2", "not_utf8"), ("in.jsonl:3", "duplicate_id"), ("in.jsonl:4#2", "no_steps"),
        ("in.jsonl:4#3", "too_many_steps"), ("in.jsonl:4#4", "too_long"),
        ("in.jsonl:4#5", "malformed"), ("in.jsonl:5", "missing_gold"), ("in.jsonl:6", "no_steps"),
    ]  # fmt: skip
    assert (made.rows_in, made.kept, made.quarantined) == (10, 2, 8)
    assert {p.question for p, _ in everything(run, made)} == {"q"}
    assert count_quarantine(run)["no_steps"] == 2


def test_each_solution_of_a_conflicting_row_is_accounted_for(run: RunDir, tmp_path: Path) -> None:
    row = {"id": "i", "question": "q", "answer": 1}
    other = row | {"answer": 2, "solutions": ["a", "", "b"]}
    made = take(write(tmp_path / "in.jsonl", rows(row, other, row | {"answer": 3})), run)
    assert sorted(reasons(run)) == [
        ("in.jsonl:2#1", "duplicate_id"), ("in.jsonl:2#2", "no_steps"),
        ("in.jsonl:2#3", "duplicate_id"), ("in.jsonl:3", "duplicate_id"),
    ]  # fmt: skip
    assert (made.rows_in, made.kept, made.quarantined, made.solutions) == (5, 1, 4, 0)


def test_hundreds_of_steps_and_huge_texts_do_not_stop_the_rest(run: RunDir, tmp_path: Path) -> None:
    given = [
        {"question": "q1", "answer": 1, "solution": "step\n" * 500},
        {"question": "q2", "answer": 2, "solution": "huge " * 1_000_000},
        {"question": "q3 " * 1_000_000, "answer": 3, "solution": "s"},
        {"question": "q4", "answer": 4, "solution": "s"},
    ]
    path = write(tmp_path / "in.jsonl", rows(*given))
    made = ingest(ProblemsConfig(path=str(path)), StepsConfig(), run, "hash", 10)
    assert sorted(r for _, r in reasons(run)) == ["too_long", "too_long", "too_many_steps"]
    assert [p.question for p, s in everything(run, made) if s] == ["q4"]
    assert run.quarantine.stat().st_size < 40_000
    assert all(q["row"]["question"].startswith("q") for q in quarantined(run))


def test_a_given_list_keeps_its_steps(run: RunDir, tmp_path: Path) -> None:
    row = {"question": "q", "answer": 1, "steps": ["  one\nline ", "two\n"]}
    made = take(write(tmp_path / "in.jsonl", rows(row)), run)
    [(_, [solution])] = read_unit(run, made.units[0].unit)
    assert [(s.text, s.separator) for s in solution.steps] == [("one\nline", " \n"), ("two", "")]


def test_input_order_is_kept(run: RunDir, tmp_path: Path) -> None:
    given = [{"question": f"q{i}", "answer": 1, "solutions": ["b", "a", "c"]} for i in range(9)]
    made = take(write(tmp_path / "in.jsonl", rows(*given)), run, 100)
    held = read_unit(run, made.units[0].unit)
    assert [p.question for p, _ in held] == [f"q{i}" for i in range(9)]
    assert all([s.text for s in solutions] == ["b", "a", "c"] for _, solutions in held)


def test_generated_solutions_are_read_but_are_no_input(run: RunDir, tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", rows({"question": "q", "answer": 1, "solution": "a"}))
    made = take(path, run)
    unit = made.units[0].unit
    [(problem, (given,))] = read_unit(run, unit)
    row = {"solution_id": "new", "problem_id": problem.id, "steps": ["x", "y"],
           "separators": ["\n", ""], "generator": "m", "position": 0}  # fmt: skip
    table = pa.Table.from_pylist([row, row | {"solution_id": given.id}], schema=files.SOLUTIONS)
    files.write_table(run.solutions / f"{unit}-generated.parquet", table, "hash")
    [(_, solutions)] = read_unit(run, unit)
    assert {s.id for s in solutions} == {given.id, "new"}
    assert len(solutions) == 2
    assert take(path, run) == made


def test_later_findings_are_added_once(run: RunDir, tmp_path: Path) -> None:
    take(write(tmp_path / "in.jsonl", [b"{"]), run)
    found = Rejected("in.jsonl:9", Rejection.UNPARSED_GOLD, {"gold": "\ud800", "x": float("nan")})
    assert add_quarantine(run, [found, found]) == 1
    assert add_quarantine(run, [found, replace(found, position="in.jsonl:10")]) == 1
    assert add_quarantine(run, []) == 0
    take(write(tmp_path / "in.jsonl", [b"{"]), run)
    assert reasons(run) == [
        ("in.jsonl:1", "malformed"), ("in.jsonl:9", "unparsed_gold"),
        ("in.jsonl:10", "unparsed_gold"),
    ]  # fmt: skip
    assert quarantined(run)[1]["row"] == {"gold": "\ud800", "x": "NaN"}


def test_nothing_temporary_is_left(run: RunDir, tmp_path: Path) -> None:
    given = rows({"question": "q", "answer": 1, "solution": "a"}, {"question": "?"})
    take(write(tmp_path / "in.jsonl", given), run)
    assert sorted(p.name for p in run.root.iterdir()) == [
        "problems", "quarantine.jsonl", "solutions", "units.json",
    ]  # fmt: skip


def test_a_damaged_directory_is_said_to_be(run: RunDir, tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", rows({"question": "q", "answer": 1}))
    unit = take(path, run).units[0].unit
    whole = (run.root / "units.json").read_bytes()
    for damage in (b"{", b'{"units": 0}', b"[]"):
        (run.root / "units.json").write_bytes(damage)
        with pytest.raises(FileError, match=r"units\.json"):
            take(path, run)
    (run.root / "units.json").unlink()
    with pytest.raises(FileError, match="put it back"):
        take(path, run)
    (run.root / "units.json").write_bytes(whole)
    (run.problems / f"{unit}.parquet").write_bytes(b"PAR1")
    with pytest.raises(FileError, match=unit):
        take(path, run)


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", rows({"question": "q", "answer": 1}))
    (tmp_path / "run").write_text("a file")
    with pytest.raises(FileError, match="cannot write"):
        take(path, RunDir(tmp_path / "run"))


def peak(folder: Path, count: int) -> int:
    """Most bytes that Python held while it ingested `count` rows of 4 kB, in units of 10."""
    given = ({"question": f"{i:04} " * 800, "answer": i, "solution": "a\nb"} for i in range(count))
    path = write(folder / f"{count}.jsonl", rows(*given))
    tracemalloc.start()
    try:
        ingest(ProblemsConfig(path=str(path)), StepsConfig(), RunDir(folder / str(count)), "h", 10)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_input(tmp_path: Path) -> None:
    peak(tmp_path, 20)  # imports
    added_input = (1000 - 200) * 4000
    assert peak(tmp_path, 1000) - peak(tmp_path, 200) < 0.2 * added_input


def test_public_solutions(run: RunDir, shared_data: Path) -> None:
    columns = Columns(gold="ground_truth", solution="*.solution")
    path = str(shared_data / "gsm8k_model_solutions.jsonl")
    config = ProblemsConfig(path=path, columns=columns, answer_marker="A:")
    made = ingest(config, StepsConfig(), run, "hash", 100)
    assert (made.rows_in, made.kept, made.quarantined) == (4 * 1319, 4 * 1319, 0)
    generators = {s.generator for _, s in everything(run, made) if s}
    assert generators == {
        "6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification",
    }  # fmt: skip
