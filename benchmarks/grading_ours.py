"""labeler's grader on rows: its answers, their symmetry, and whether hash seeds change them.

Symmetry: verdict(gold, answer) against verdict(answer, gold), as correct or not. Left out are
percent and decimal rounding (their conventions ask which side is the gold), choice letters (a
small one is a variable where it is the gold), texts without an answer, and answers of above
500 characters.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Sequence

from grading_mutations import MUTATIONS
from grading_others import Answered
from grading_rows import Row, boxed, cases, mutated, sample

from labeler.grading import AnswerGrader
from labeler.grading.extract import extract
from labeler.model import Finish, Outcome

ONE_SIDED = ("percent", "decimal_rounding", "mcq")


async def ours(rows: Sequence[Row]) -> list[Answered]:
    """One row after the other; `failure` is the verdict's reason."""
    answers = []
    async with AnswerGrader() as grader:
        await grader.grade("\\sqrt{2}", [(boxed("\\sqrt{8}/2"), Finish.STOP)])  # warm
        for row in rows:
            began = time.perf_counter()
            (verdict,) = await grader.grade(row.gold, [(row.text, Finish.STOP)])
            seconds = time.perf_counter() - began
            correct, decided = (
                verdict.outcome is Outcome.CORRECT,
                verdict.outcome is not Outcome.UNGRADABLE,
            )
            answers.append(Answered(correct, seconds, verdict.reason.value, decided))
    return answers


def varied(quick: bool) -> list[Row]:
    """Rows for symmetry and hash seeds: cases and mutations."""
    rows = cases(os.devnull + "/none")[:: 3 if quick else 1]
    for m in MUTATIONS:
        some = mutated(m.name, m.wanted, m.change)
        rows += sample(some, 12) if quick else some
    return rows


def symmetry(quick: bool) -> tuple[int, list[str]]:
    """Rows compared both ways, and those whose verdicts differ."""
    both = []
    for row in varied(quick):
        span = extract(row.text)
        if span and len(span) <= 500 and not row.id.startswith(ONE_SIDED):
            both.append((row, Row(row.id, span, boxed(row.gold), None)))
    there = asyncio.run(ours([row for row, _ in both]))
    back = asyncio.run(ours([row for _, row in both]))
    differ = [
        f"  {row.gold!r} / {turned.gold!r}: {one.failure}, turned {two.failure}"
        for (row, turned), one, two in zip(both, there, back, strict=True)
        if one.correct != two.correct
    ]
    return len(both), differ


def _lucky(line: str) -> bool:
    """Whether a clock or a killed process decided: that is no matter of hash seeds."""
    return line.endswith(("timeout", "grader_died"))


def hash_seeds(script: str, quick: bool) -> int:
    """How many different lists of verdicts four values of PYTHONHASHSEED give.

    The script prints one verdict a line.
    """
    command = [sys.executable, script, "--verdicts", *(["--quick"] if quick else [])]
    running = [
        subprocess.Popen(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE
        )
        for seed in ("0", "1", "2", "3")
    ]
    said = [process.communicate()[0].decode().splitlines() for process in running]
    assert all(process.returncode == 0 for process in running), "see the message above"
    settled = [lines for lines in zip(*said, strict=True) if not any(map(_lucky, lines))]
    return len(set(zip(*settled, strict=True)))
