"""Pairs of gold and answer with the verdict of a careful mathematician (pairs.toml)."""

import tomllib
from pathlib import Path

import pytest

from labeler.grading import AnswerGrader
from labeler.grading.extract import extract
from labeler.model import Finish, Outcome

PAIRS: dict[str, list[list[str]]] = tomllib.loads(
    (Path(__file__).parent / "pairs.toml").read_text(encoding="utf-8")
)
WANTED = {
    "right": Outcome.CORRECT,
    "wrong": Outcome.INCORRECT,
    "unread": Outcome.UNGRADABLE,
}


def completion(answer: str) -> str:
    return answer if extract(answer) else f"So we get $\\boxed{{{answer}}}$."


@pytest.mark.parametrize("wanted", WANTED)
async def test_pairs(wanted: str) -> None:
    assert len(PAIRS[wanted]) > 10
    off: list[tuple[str, str, str]] = []
    async with AnswerGrader() as grader:
        for gold, answer in PAIRS[wanted]:
            (verdict,) = await grader.grade(gold, [(completion(answer), Finish.STOP)])
            if verdict.outcome is not WANTED[wanted]:
                off.append((gold, answer, verdict.reason.value))
    assert off == []
