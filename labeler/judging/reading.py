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

_BOX = re.compile(r"\\boxed\s*\{\s*([^{}]*?)\s*\}")


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

    It is what the last \boxed{} holds: a whole number from 0 to the number of steps. An answer that
    was cut off is not read: what it would have ended with is unknown.
    """
    boxes = _BOX.findall(text)
    if finish is not Finish.STOP or not boxes:
        return None
    named = boxes[-1]
    if not (named.isascii() and named.isdigit()) or len(named) > len(str(steps)):
        return None
    return int(named) if int(named) <= steps else None


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
    return Judged(_lacking(told, whole=len(told) >= samples) or silent, None, told)


def named_by(answers: Sequence[Answer], steps: int, threshold: float, *, whole: bool) -> Judged:
    """What scores of the prefixes come to: each step's are averaged. `whole`: none is missing."""
    told = tuple(answers)
    scores = [_mean([a.score for a in told if a.step == k]) for k in range(1, steps + 1)]
    named = first_below(scores, threshold) if whole else None
    if named is not None:
        return Judged(Saying.NAMED, named, told)
    return Judged(_lacking(told, whole=whole) or Saying.UNPARSED, None, told)


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


def _lacking(told: Sequence[Answer], *, whole: bool) -> Saying | None:
    if not told:
        return Saying.NOT_ASKED
    return None if whole else Saying.INCOMPLETE
