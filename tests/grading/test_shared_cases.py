"""Public cases and solutions, where LABELER_SHARED names them: what the checker gets right."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.grading_rows import DECIDED
from labeler.grading import AnswerGrader
from labeler.model import Finish, Outcome

SHARED = os.environ.get("LABELER_SHARED")
pytestmark = pytest.mark.skipif(
    SHARED is None, reason="LABELER_SHARED names no folder with the public data"
)
NUMERIC = {"int_format", "fraction", "mixed_number", "percent", "money", "scientific",
           "repeating", "unicode", "punctuation"}  # fmt: skip
UNMARKED = {"fraction-16", "int_format-25", "money-11"}
"""Expected to be found in prose without any marker: we never fish a number out of prose."""


def rows(name: str) -> Iterator[dict[str, Any]]:
    with Path(str(SHARED), name).open() as lines:
        yield from map(json.loads, lines)


async def test_hard_cases(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    wrong: list[tuple[str, str, str]] = []
    kinds: Counter[str] = Counter()
    async with AnswerGrader() as grader:
        for row in rows("cases/answers.jsonl"):
            text = row["pred"].replace("{marker}", str(marker))
            (verdict,) = await grader.grade(row["gold"], [(text, Finish.STOP)])
            assert not marker.exists(), row["id"]
            expected = row["expected"]
            if expected == "debatable":
                if row["id"] not in DECIDED:
                    continue
                expected = DECIDED[row["id"]]
            kinds["scored"] += 1
            correct = verdict.outcome is Outcome.CORRECT
            if correct is not expected:
                kinds["false positives" if correct else "false negatives"] += 1
                wrong.append((row["id"], row["kind"], verdict.reason.value))
    right = 1 - len(wrong) / kinds["scored"]
    print(f"\n{right:.1%} right; {dict(kinds)}; {wrong}")
    assert kinds["false positives"] == 0
    assert [case for case in wrong if case[1] in NUMERIC and case[0] not in UNMARKED] == []
    assert {case[0] for case in wrong} <= UNMARKED


async def test_gsm8k_model_solutions_are_graded_as_published() -> None:
    total, different = 0, []
    async with AnswerGrader() as grader:
        for row in rows("data/gsm8k_model_solutions.jsonl"):
            gold = row["ground_truth"].rsplit("A:", 1)[1]
            solutions = [value for value in row.values() if isinstance(value, dict)]
            verdicts = await grader.grade(gold, [(s["solution"], Finish.STOP) for s in solutions])
            total += len(solutions)
            for solution, verdict in zip(solutions, verdicts, strict=True):
                if (verdict.outcome is Outcome.CORRECT) is not solution["is_correct"]:
                    different.append((gold, verdict))
    print(f"\n{total - len(different)} of {total} as published")
    assert total == 5276
    assert different == []


@pytest.mark.parametrize(
    ("name", "column"), [("math500", "answer"), ("gsm8k_test", "answer"), ("gsm8k_train", "answer")]
)
async def test_golds_match_themselves(name: str, column: str) -> None:
    golds = [row[column].rsplit("####", 1)[-1].strip() for row in rows(f"data/{name}.jsonl")]
    async with AnswerGrader() as grader:
        failed = [g for g in golds if (await grader.check_gold(g)).outcome is not Outcome.CORRECT]
        assert grader.pids == []
    print(f"\n{len(golds) - len(failed)} of {len(golds)}")
    assert failed == []
