"""`labeler grade --file`: rows in are rows out, in order, with their verdicts, or nothing is."""

import asyncio
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from labeler.apps.grade_file import Graded, grade_file
from labeler.apps.grade_rows import BLOCK, LISTED, blocks, count_pairs
from labeler.config import ConfigError
from labeler.grading import AnswerGrader
from labeler.model import Finish
from tests.processes import finished, labeler, until

Row = dict[str, Any]
ADDED = ("verdict", "reason", "answer", "millis")


def written(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def graded(source: Path, terminal: bool = False) -> tuple[list[Row], Graded, str]:
    shown = io.StringIO()
    out = source.with_name("verdicts.jsonl")
    result = grade_file(source, out, Console(file=shown, width=60, force_terminal=terminal))
    rows = [json.loads(line) for line in out.read_bytes().splitlines()]
    return rows, result, shown.getvalue()


def bare(rows: list[Row]) -> list[Row]:
    return [{key: row[key] for key in row if key not in ADDED} for row in rows]


def test_rows_come_out_in_order_with_what_a_run_would_say(tmp_path: Path) -> None:
    rows: list[Row] = []
    for i in range(2 * BLOCK + 7):
        gold = f"\\sqrt{{{i}}}+x" if i % 97 == 0 else str(i % 10)
        answer = f"x+\\sqrt{{{i}}}" if i % 97 == 0 else str(i % 7)
        rows.append({"id": i, "gold": gold, "pred": f"So \\boxed{{{answer}}}.", "extra": [i, "é"]})
    rows[5]["finish"] = "length"
    out, result, said = graded(written(tmp_path / "pairs.jsonl", rows))

    async def one_by_one() -> list[tuple[str, str, str | None]]:
        async with AnswerGrader() as grader:
            finishes = [Finish(row.get("finish", "stop")) for row in rows]
            found = [
                (await grader.grade(row["gold"], [(row["pred"], finish)]))[0]
                for row, finish in zip(rows, finishes, strict=True)
            ]
        return [(v.outcome, v.reason, v.answer) for v in found]

    assert bare(out) == rows
    assert [(r["verdict"], r["reason"], r["answer"]) for r in out] == asyncio.run(one_by_one())
    assert out[5]["reason"] == "truncated"
    assert all(isinstance(row["millis"], float) for row in out)
    right = sum(row["verdict"] == "correct" for row in out)
    assert result.counts.total() == len(rows)
    assert f"{len(rows):,} rows in" in said
    assert f"correct {right} (match {right})" in said
    assert said.count("\n") == 1


def test_a_number_is_its_text_and_an_answer_alone(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"gold": 42, "pred": 42},
        {"gold": "1/2", "pred": 0.5},
        {"gold": 3, "pred": 4},
    ]
    out, _, _ = graded(written(tmp_path / "pairs.jsonl", rows))
    assert [row["verdict"] for row in out] == ["correct", "correct", "incorrect"]
    assert bare(out) == rows


def test_verdicts_of_before_are_replaced(tmp_path: Path) -> None:
    source = written(tmp_path / "pairs.jsonl", [{"gold": "1", "pred": "#### 1"}])
    (tmp_path / "verdicts.jsonl").write_text("something older")
    first, _, _ = graded(source)
    again, _, _ = graded(written(source, [{**first[0], "verdict": "incorrect", "answer": 5}]))
    assert [{**row, "millis": 0} for row in again] == [{**row, "millis": 0} for row in first]


BAD = {
    b"{": "line 2: is not JSON",
    b"[1]": "line 2: is no JSON object",
    b'{"pred": "1"}': "line 2: has no `gold`",
    b'{"gold": "1"}': "line 2: has no `pred`",
    b'{"gold": null, "pred": "1"}': "line 2: `gold` is null, neither text nor a number",
    b'{"gold": true, "pred": "1"}': "line 2: `gold` is true",
    b'{"gold": "1", "pred": ["1"]}': "line 2: `pred` is",
    b'{"gold": "1", "pred": NaN}': "line 2: `pred` is NaN",
    b'{"gold": "1", "pred": "1", "finish": "error"}': "line 2: `finish` is",
    b'{"gold": "1", "pred": "1", "finish": []}': "line 2: `finish` is",
    b'{"gold": "\xff", "pred": "1"}': "line 2: is not UTF-8",
    b"[" * 100_000: "line 2: is nested too deeply",
    b"9" * 5000: "line 2: ",
}


@pytest.mark.parametrize(("line", "said"), BAD.items(), ids=range(len(BAD)))
def test_a_line_that_is_no_pair_is_named_and_nothing_is_written(
    tmp_path: Path, line: bytes, said: str
) -> None:
    source, out = tmp_path / "pairs.jsonl", tmp_path / "out" / "verdicts.jsonl"
    good = b'{"gold": "1", "pred": "#### 1"}\n'
    source.write_bytes(good + line + b"\n" + good)
    with pytest.raises(ConfigError, match="1 of 3 rows are no pairs") as error:
        grade_file(source, out, Console(file=io.StringIO()))
    assert said in str(error.value)
    assert str(source) in str(error.value)
    assert not out.parent.exists()


def test_all_bad_lines_are_counted_and_the_first_listed(tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    source.write_text("no\n" * (LISTED + 5))
    code, output = finished("grade", "--file", source, "--out", tmp_path / "verdicts.jsonl")
    assert (code, "Traceback" in output) == (2, False)
    assert f"line {LISTED}: is not JSON" in output
    assert "and 5 more" in output


def test_blank_lines_and_a_byte_order_mark_are_no_rows(tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    row = '{"gold": "1", "pred": "#### 1\u2028"}'
    source.write_bytes(f"\ufeff{row}\r\n\n  \n{row}".encode())
    out, _, _ = graded(source)
    assert [row["verdict"] for row in out] == ["correct", "correct"]
    source.write_text("")
    out, result, said = graded(source)
    assert (out, result.counts.total()) == ([], 0)
    assert "nothing to grade" in said


def test_the_input_is_never_the_output(tmp_path: Path) -> None:
    source = written(tmp_path / "pairs.jsonl", [{"gold": "1", "pred": "#### 1"}])
    before = source.read_bytes()
    (tmp_path / "soft").symlink_to(source)
    os.link(source, tmp_path / "hard")
    for out in (source, tmp_path / "soft", tmp_path / "hard", tmp_path / "." / "pairs.jsonl"):
        with pytest.raises(ConfigError, match="is the --file itself"):
            grade_file(source, out, Console(file=io.StringIO()))
    for out in (tmp_path, Path(os.devnull)):
        with pytest.raises(ConfigError, match="no ordinary file"):
            grade_file(source, out, Console(file=io.StringIO()))
    for absent in (tmp_path / "absent.jsonl", tmp_path, Path(os.devnull)):
        with pytest.raises(ConfigError, match="--file"):
            grade_file(absent, tmp_path / "verdicts.jsonl", Console(file=io.StringIO()))
    assert source.read_bytes() == before
    assert not (tmp_path / "verdicts.jsonl").exists()


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"gold": str(i), "pred": f"#### {i}", "more": "x" * 100} for i in range(2000)
    ]
    source, out = written(tmp_path / "pairs.jsonl", rows), tmp_path / "verdicts.jsonl"
    out.write_text("older")
    arguments = ("grade", "--file", source, "--out", out)
    code, output = finished(*arguments, most_bytes=100_000)
    assert (code, "disk is full" in output, "Traceback" in output) == (1, True, False), output
    assert out.read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pairs.jsonl", "verdicts.jsonl"]
    assert finished(*arguments)[0] == 0
    assert len(out.read_text().splitlines()) == len(rows)


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"gold": f"x^2+{i}x", "pred": f"\\boxed{{x(x+{i})}}"} for i in range(20 * BLOCK)
    ]
    source, out = written(tmp_path / "pairs.jsonl", rows), tmp_path / "verdicts.jsonl"
    with labeler("grade", "--file", source, "--out", out) as command:
        until(lambda: [*tmp_path.glob(".verdicts.jsonl.*")])
        command.process.terminate()
        code, output = command.wait()
        assert command.is_gone()
    assert (code, output) == (130, "Interrupted.\n")
    assert [*tmp_path.iterdir()] == [source]


def test_a_terminal_sees_a_bar(tmp_path: Path) -> None:
    source = written(tmp_path / "pairs.jsonl", [{"gold": "1", "pred": "#### 1"}])
    assert "grading" in graded(source, terminal=True)[2]
    assert "grading" not in graded(source)[2]


@settings(max_examples=30, deadline=None)
@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {"gold": st.text(max_size=20), "pred": st.text(max_size=40)},
            optional={"note": st.recursive(st.none() | st.text(), st.lists, max_leaves=4)},
        ),
        max_size=8,
    )
)
def test_any_text_comes_back_as_it_went_in(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row]
) -> None:
    source = written(tmp_path_factory.mktemp("any") / "pairs.jsonl", rows)
    out, _, _ = graded(source)
    assert bare(out) == rows
    assert all(row.keys() >= {*ADDED} for row in out)


def test_blocks_hold_every_row_once_and_little_at_a_time(tmp_path: Path) -> None:
    rows: list[Row] = [{"id": i, "gold": "1", "pred": "x" * (i % 5) * 10_000} for i in range(1203)]
    source = written(tmp_path / "pairs.jsonl", rows)
    found = list(blocks(source))
    assert [pair.row["id"] for block in found for pair in block] == [row["id"] for row in rows]
    assert max(map(len, found)) <= BLOCK
    assert max(sum(pair.size for pair in block) for block in found) <= (8 << 20) + 50_000
    assert count_pairs(source) == len(rows)
