r"""grade.py - `labeler grade GOLD ANSWER`: one pair through the grader of a run.

The answer may be a completion's text ("... The answer is 42.") or an answer alone ("42"). Where
extraction finds no answer in it, it is taken as the answer itself and boxed, as a gold is when
it is graded against itself; a run would say `no_answer` of such a text, and so the output says
that it was boxed. A box that is never closed stays what it is: an answer that was cut short.
"""

import asyncio
from typing import TYPE_CHECKING

from labeler.grading import AnswerGrader
from labeler.grading.extract import cut_short, extract
from labeler.model import Finish, Verdict

if TYPE_CHECKING:
    from rich.console import Console


def grade(gold: str, answer: str, console: "Console") -> Verdict:
    """The verdict on one answer, printed with its reason, span and milliseconds.

    Raises GraderError where a symbolic comparison needs a worker process and none can start.
    """
    text = as_completion(answer)
    verdict = asyncio.run(_grade(gold, text))
    span = "none" if verdict.answer is None else _plain(verdict.answer)
    alone = " (no answer marker: taken as the answer itself)" if text != answer else ""
    for line in (
        f"verdict  {verdict.outcome}",
        f"reason   {verdict.reason}",
        f"answer   {span}{alone}",
        f"gold     {_plain(gold)}",
        f"took     {verdict.millis:.2f} ms",
    ):
        console.print(line, markup=False, highlight=False)
    return verdict


def as_completion(answer: str) -> str:
    """The text to grade: as it is where it states an answer, else boxed."""
    if not answer.strip() or extract(answer) is not None or cut_short(answer):
        return answer
    boxed = f"\\boxed{{{answer}}}"
    return f"The answer is {answer}" if extract(boxed) is None else boxed


async def _grade(gold: str, text: str) -> Verdict:
    async with AnswerGrader() as grader:
        (verdict,) = await grader.grade(gold, [(text, Finish.STOP)])
    return verdict


def _plain(text: str) -> str:
    """One line without terminal codes."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())
