r"""grade.py - `labeler grade`: one pair, a file of pairs, or what changed in a run's verdicts.

Of one pair, the answer may be a completion's text ("... The answer is 42.") or an answer alone
("42"). Where extraction finds no answer in it, it is taken as the answer itself and boxed, as a
gold is when it is graded against itself; a run would say `no_answer` of such a text, and so the
output says that it was boxed. A box that is never closed stays what it is: an answer that was
cut short.
"""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from labeler.config import ConfigError, load
from labeler.grading import AnswerGrader, Explanation, GradingConfig
from labeler.grading.extract import cut_short, extract
from labeler.model import Verdict

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for: one of the forms below."""

    gold: str | None = None
    answer: str | None = None
    explain: bool = False
    file: Path | None = None
    out: Path | None = None
    diff: Path | None = None
    config: Path | None = None

    @property
    def given(self) -> list[str]:
        """The arguments that are there, by their names on the command line."""
        pair = (self.gold, self.answer, self.explain or None)
        values = (self.diff, self.file, self.out, *pair, self.config)
        return [name for name, value in zip(_NAMES, values, strict=True) if value is not None]


_NAMES = ("--diff", "--file", "--out", "GOLD", "ANSWER", "--explain", "--config")
_FORMS = {
    "labeler grade GOLD ANSWER [--explain] [--config CONFIG]": (
        ("GOLD", "ANSWER"),
        ("--explain", "--config"),
    ),
    "labeler grade --file PAIRS --out VERDICTS [--config CONFIG]": (
        ("--file", "--out"),
        ("--config",),
    ),
    "labeler grade --diff RUN": (("--diff",), ()),
}
"""What has to be there, and what may."""


def grade(wish: Wish, console: "Console") -> None:
    """Do what is asked for. Raises ConfigError where the arguments do not go together."""
    _checked(wish)
    if wish.diff is not None:
        from labeler.apps.grade_diff import grade_diff

        grade_diff(wish.diff, console)
    elif wish.file is not None and wish.out is not None:
        from labeler.apps.grade_file import grade_file

        grade_file(wish.file, wish.out, console, _grading(wish))
    elif wish.gold is not None and wish.answer is not None:
        grade_pair(wish.gold, wish.answer, console, _grading(wish), explain=wish.explain)


def _grading(wish: Wish) -> GradingConfig:
    """How a run with this configuration grades."""
    return GradingConfig() if wish.config is None else load(wish.config, []).grading


def _checked(wish: Wish) -> None:
    given = wish.given
    for text in (wish.gold, wish.answer):
        # Unknown options come as arguments, so that an answer may be -5: this one is no answer.
        if text is not None and re.fullmatch(r"--[a-z][a-z-]+(=.*)?", text):
            raise ConfigError(f"there is no option {text}; {_usage()}")
    if not given:
        raise ConfigError(f"what is to be graded? {_usage()}")
    needed, allowed = next(
        form for form in reversed(_FORMS.values()) if given[0] in (*form[0], *form[1])
    )
    missing = [name for name in needed if name not in given]
    if missing:
        raise ConfigError(f"{given[0]} needs {' and '.join(missing)}; {_usage()}")
    strange = [name for name in given if name not in (*needed, *allowed)]
    if strange:
        raise ConfigError(f"{given[0]} does not go with {' and '.join(strange)}; {_usage()}")


def _usage() -> str:
    return "write one of\n" + "\n".join(f"  {form}" for form in _FORMS)


def grade_pair(
    gold: str,
    answer: str,
    console: "Console",
    grading: GradingConfig | None = None,
    *,
    explain: bool = False,
) -> Verdict:
    """The verdict on one answer, printed with its reason, span and milliseconds.

    With `explain`, also the rule that decided and what gold and answer were read as. Raises
    GraderError where a symbolic comparison needs a worker process and none can start.
    """
    text = as_completion(answer)
    found = asyncio.run(_explain(gold, text, grading))
    lines = [*_lines(gold, found.verdict, boxed=text != answer), *(_why(found) if explain else ())]
    for name, value in lines:
        console.print(f"{name:<9}{value}", markup=False, highlight=False)
    return found.verdict


def _lines(gold: str, verdict: Verdict, *, boxed: bool) -> Iterator[tuple[str, str]]:
    span = "none" if verdict.answer is None else _plain(verdict.answer)
    yield "verdict", verdict.outcome
    yield "reason", verdict.reason
    yield "answer", span + " (no answer marker: taken as the answer itself)" * boxed
    yield "gold", _plain(gold)
    yield "took", f"{verdict.millis:.2f} ms"


def _why(found: Explanation) -> Iterator[tuple[str, str]]:
    yield "rule", found.rule
    yield "kinds", f"gold: {found.gold_kind or 'none'}; answer: {found.answer_kind or 'none'}"


def as_completion(answer: str) -> str:
    """The text to grade: as it is where it states an answer, else boxed."""
    if not answer.strip() or extract(answer) is not None or cut_short(answer):
        return answer
    boxed = f"\\boxed{{{answer}}}"
    return f"The answer is {answer}" if extract(boxed) is None else boxed


async def _explain(gold: str, text: str, grading: GradingConfig | None) -> Explanation:
    async with AnswerGrader(grading) as grader:
        return await grader.explain(gold, text)


def _plain(text: str) -> str:
    """One line without terminal codes."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())
