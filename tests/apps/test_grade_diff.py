"""`labeler grade --diff` on runs that two graders graded."""

import io
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from labeler.apps.grade_changes import Difference, Versions, compare, graders
from labeler.apps.grade_diff import grade_diff
from labeler.apps.label import label
from labeler.apps.run import run
from labeler.config import ConfigError, load
from labeler.files import PROBLEMS, VERDICTS, RunDir, write_table
from labeler.grading import AnswerGrader
from labeler.model import Outcome, Reason, digest
from tests.apps.old_runs import OLD, Row, age, all_right, first_two, verdict_rows
from tests.processes import finished
from tests.runs import label_rows, planted_config

HERE = AnswerGrader().version


def shown(root: Path) -> tuple[Difference | None, str]:
    out = io.StringIO()
    difference = grade_diff(root, Console(file=out, width=80))
    return difference, out.getvalue()


def said_wrong_of_100(row: Row) -> Row:
    """An older grader that took no 100 for 100."""
    wrong = row["answer"] == "100" and row["verdict"] == "correct"
    return row | {"verdict": "ungradable", "reason": "unparsed_answer"} if wrong else row


def test_what_changed_is_counted_and_listed(tmp_path: Path) -> None:
    root = tmp_path / "run"
    run(load(planted_config(tmp_path, count=6)))
    age(root, said_wrong_of_100)
    label(root, [], regrade=True)
    changed = [r for r in verdict_rows(root, OLD) if r["reason"] == "unparsed_answer"]
    difference, said = shown(root)
    assert difference is not None
    assert difference.changes.total() == len(changed) > 0
    assert difference.matrix.total() == len(verdict_rows(root, HERE))
    assert (difference.only_old, difference.only_new, difference.other_span) == (0, 0, 0)
    assert f"old  {OLD}\n" in said
    assert f"new  {HERE} (used by the labels)\n" in said
    line = "gold 100  answer 100  ungradable/unparsed_answer -> correct/match\n"
    assert f"{len(changed):>6} x  {line}" in said
    assert difference.labels["solutions"] == len(label_rows(root)) == 12
    assert difference.labels["own answer"] == sum(r["completer"] == "solution" for r in changed)
    label(root, [])
    assert shown(root)[1] == said


def test_labels_of_either_grader_are_compared_by_the_runs_rule(tmp_path: Path) -> None:
    root = tmp_path / "run"
    run(load(planted_config(tmp_path, count=6)))
    age(root, all_right)
    label(root, ["labels.n=2"])
    label(root, [])
    before = {row["solution_id"]: row for row in label_rows(root)}
    label(root, [], regrade=True)
    after = {row["solution_id"]: row for row in label_rows(root)}
    difference, said = shown(root)
    assert difference is not None
    pairs = [(before[key], after[key]) for key in before]
    steps = [
        steps for was, now in pairs for steps in zip(was["labels"], now["labels"], strict=True)
    ]
    assert difference.labels == Counter(
        {
            "solutions": len(pairs),
            "own answer": 0,
            "first error": sum(was["first_error"] != now["first_error"] for was, now in pairs),
            "steps": len(steps),
            "hard": sum(was["hard"] != now["hard"] for was, now in steps),
            "target": sum(was["target"] != now["target"] for was, now in steps),
        }
    )
    assert min(difference.labels["first error"], difference.labels["hard"]) > 0
    assert "labels that differ" in said
    age(root, first_two, grader="two")
    label(root, [], regrade=True)
    difference, _ = shown(root)
    assert difference is not None
    assert not difference.labels


def test_one_grader_or_none_is_no_difference_yet(tmp_path: Path) -> None:
    root = tmp_path / "run"
    run(load(planted_config(tmp_path, count=2)))
    difference, said = shown(root)
    assert difference is None
    assert "the verdicts of one grader" in said
    assert f"labeler label {root} --grader" in said
    age(root)
    assert HERE in shown(root)[1]
    for part in (root / "verdicts").glob("*/*.parquet"):
        part.unlink()
    assert "no verdicts yet" in shown(root)[1]


def test_of_several_the_labels_grader_is_compared_with_the_latest_other(tmp_path: Path) -> None:
    root = tmp_path / "run"
    run(load(planted_config(tmp_path, count=2)))
    for name in ("one", "two"):
        age(root, grader=name)
        label(root, [], regrade=True)
    assert graders(RunDir(root)) == ["one", "two", HERE]
    said = shown(root)[1]
    assert "old  two\n" in said
    assert "not compared: one\n" in said


def test_no_run_exits_with_2(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a run directory"):
        shown(tmp_path)
    code, output = finished("grade", "--diff", tmp_path)
    assert (code, "is not a run directory" in output) == (2, True)


_OUTCOMES = {Reason.MATCH: Outcome.CORRECT, Reason.WRONG: Outcome.INCORRECT,
             Reason.NO_ANSWER: Outcome.INCORRECT, Reason.TIMEOUT: Outcome.UNGRADABLE}  # fmt: skip
_SAID = st.tuples(st.sampled_from(list(_OUTCOMES)), st.sampled_from([None, "1", "2"]))
_JUDGED = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), _SAID, max_size=12)


@settings(max_examples=40, deadline=None)
@given(old=_JUDGED, new=_JUDGED)
def test_every_verdict_is_counted_once(
    old: dict[tuple[int, int], tuple[Reason, str | None]],
    new: dict[tuple[int, int], tuple[Reason, str | None]],
) -> None:
    with TemporaryDirectory() as folder:
        root = RunDir(Path(folder))
        problem = {"problem_id": "p", "question": "?", "gold": "7", "source": "", "position": 0}
        write_table(root.problems / "0000.parquet", _table([problem], PROBLEMS), "")
        for name, judged in (("old", old), ("new", new)):
            rows = [_row(*place, *said) for place, said in judged.items()]
            write_table(root.verdicts(name) / "0000.parquet", _table(rows, VERDICTS), "")
        there = compare(root, Versions("old", "new", frozenset(), ()))
        back = compare(root, Versions("new", "old", frozenset(), ()))
    both = old.keys() & new.keys()
    changed = [place for place in both if old[place][0] != new[place][0]]
    assert there.matrix.total() == len(both)
    assert there.matrix.total() + there.only_old == len(old)
    assert there.matrix.total() + there.only_new == len(new)
    assert there.changes.total() == len(changed)
    assert {change.gold for change in there.changes} <= {"7"}
    moved = sum(old[place][1] != new[place][1] for place in both if place not in changed)
    assert there.other_span == moved
    assert {(b, a): n for (a, b), n in there.matrix.items()} == dict(back.matrix)
    assert back.only_old == there.only_new


def _row(prefix: int, index: int, reason: Reason, answer: str | None) -> Row:
    return {
        "prefix_key": str(prefix), "completer": "c", "index": index,
        "gold_key": digest("7", size=8), "verdict": _OUTCOMES[reason], "reason": reason,
        "answer": answer, "millis": 0.0,
    }  # fmt: skip


def _table(rows: list[Row], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=schema)
