r"""reading.py - what a judge's answers say. Pure; nothing is guessed.

read("... so step 2 is wrong. \boxed{2}", Finish.STOP, 5)   -> 2
read("Step 2 looks wrong.", Finish.STOP, 5)                 -> None
first_below([.98, .91, .2, .4], .5)                         -> 3
"""

import re
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from labeler.model import Ask, Finish, Rollout

_BOX = re.compile(r"\\boxed(?![A-Za-z])\s*(\{?)")
_BRACE = re.compile(r"[{}]")


@dataclass(frozen=True, slots=True)
class Round:
    """What a judge is asked at once."""

    asks: tuple[Ask, ...]
    chosen: bool = False
    """Answered by how likely each choice is, instead of in words."""


class Saying(StrEnum):
    """What a judge's answers come to; where it names nothing, the reason why."""

    NAMED = "named"
    """A step, or none."""
    UNPARSED = "judge_unparsed"
    """Its answers could not be read."""
    NO_MAJORITY = "judge_no_majority"
    """No more than half of them agree."""
    INCOMPLETE = "judge_incomplete"
    """Some are missing, so that nothing is certain: it failed, or has yet to be asked."""
    NOT_ASKED = "not_judged"
    """There is none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer."""

    step: int
    """To the prefix that ends with this step; 0: to the whole solution."""
    first_error: int | None
    """What it names, 1-based, 0 for none; None where it is unparsed, or a score."""
    score: float | None
    """P(all steps of the prefix are right), where it was told."""
    text: str
    """The judge's words; of a score without a chain of thought what choices.py wrote of it."""
    finish: Finish
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge said of one solution."""

    saying: Saying
    first_error: int | None
    """1-based, 0 for none; None unless it named one."""
    answers: tuple[Answer, ...]


Judgement = Generator[Round, list[list[Rollout]], Judged]
"""Yields rounds, hears the rollouts of each ask (fewer than asked for where some are missing)."""


def read(text: str, finish: Finish, steps: int) -> int | None:
    r"""The step that an answer names, 0 for none; None where it cannot be read.

    It is what the last \boxed{} holds: a whole number from 0 to the number of steps, in plain
    digits and nothing else. An answer that was cut off is not read: what it would have ended with
    is unknown. Takes time in proportion to the text, whatever it says.
    """
    if finish is not Finish.STOP:
        return None
    named = _last_box(text).strip()
    return next((k for k in range(steps + 1) if str(k) == named), None)


def _last_box(text: str) -> str:
    """What the last box holds that lies in no other; empty where it has no braces, or no end."""
    held, at = "", 0
    while box := _BOX.search(text, at):
        held, at = _braced(text, box.end()) if box[1] else ("", box.end())
    return held


def _braced(text: str, start: int) -> tuple[str, int]:
    """The text up to the brace that closes one opened before `start`, and where it goes on."""
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return text[start : brace.start()], brace.end()
    return "", len(text)


def vote(answers: Sequence[Answer], samples: int) -> Judged:
    """What the answers come to, of `samples` that were wanted: more than half must agree.

    Unparsed and missing answers count in the whole, so they can only keep a step from being named.
    """
    told = tuple(answers)
    parsed = Counter(a.first_error for a in told if a.first_error is not None)
    named, count = min(parsed.items(), key=lambda item: (-item[1], item[0]), default=(None, 0))
    if 2 * count > max(samples, len(told)):
        return Judged(Saying.NAMED, named, told)
    silent = Saying.NO_MAJORITY if parsed else Saying.UNPARSED
    lacking = _lacking(heard=bool(told), whole=len(told) >= samples)
    return Judged(lacking or silent, None, told)


def named_by(
    answers: Sequence[Answer], steps: int, threshold: float, *, heard: bool, whole: bool
) -> Judged:
    """What scores of the prefixes come to: each step's are averaged, unknown ones left out.

    `heard`: anything at all was said; `whole`: nothing is missing.
    """
    told = tuple(answers)
    scores = [_mean([a.score for a in told if a.step == k]) for k in range(1, steps + 1)]
    named = first_below(scores, threshold) if whole else None
    if named is not None:
        return Judged(Saying.NAMED, named, told)
    return Judged(_lacking(heard=heard, whole=whole) or Saying.UNPARSED, None, told)


def first_below(scores: Sequence[float | None], threshold: float) -> int | None:
    """The first step (1-based) whose score is below the threshold, 0 where none is.

    None where an unknown score comes before it.
    """
    for k, score in enumerate(scores, 1):
        if score is None:
            return None
        if score < threshold:
            return k
    return 0


def _mean(scores: Sequence[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None


def _lacking(*, heard: bool, whole: bool) -> Saying | None:
    if not heard:
        return Saying.NOT_ASKED
    return None if whole else Saying.INCOMPLETE
