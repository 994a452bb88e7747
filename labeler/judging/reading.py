r"""reading.py - what a judge's answers say. Pure; nothing is guessed.

read("... so step 2 is wrong. \boxed{2}", Finish.STOP, 5)   -> 2
read("Step 2 looks wrong.", Finish.STOP, 5)                 -> None
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from labeler.model import Finish

_BOX = re.compile(r"\\boxed\s*\{\s*([^{}]*?)\s*\}")


class Saying(StrEnum):
    """What a judge's answers come to."""

    NAMED = "named"
    """A step, or none."""
    UNPARSED = "unparsed"
    """None of them could be read."""
    NO_MAJORITY = "no_majority"
    """No more than half of them agree."""
    NOT_ASKED = "not_asked"
    """There is none."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge said of one solution."""

    saying: Saying
    first_error: int | None
    """1-based, 0 for none; None unless it named one."""
    votes: tuple[int | None, ...]
    """What each answer named; None is unparsed."""


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


def vote(votes: Sequence[int | None], samples: int) -> Judged:
    """What the answers come to, of `samples` that were wanted: more than half must agree.

    Unparsed and missing answers count in the whole, so they can only keep a step from being named.
    """
    told = tuple(votes)
    if not told:
        return Judged(Saying.NOT_ASKED, None, ())
    parsed = Counter(v for v in told if v is not None)
    if not parsed:
        return Judged(Saying.UNPARSED, None, told)
    named, count = min(parsed.items(), key=lambda item: (-item[1], item[0]))
    if 2 * count <= max(samples, len(told)):
        return Judged(Saying.NO_MAJORITY, None, told)
    return Judged(Saying.NAMED, named, told)
