r"""judging - a judge reads a solution and names its first wrong step: what it sees, what it says.

A judge is any sampler. What it is shown is a question of its own, and its answers are rollouts of
that question in the unit's log, under a fingerprint of their own: so they resume as all rollouts
do, and reading them again, or filtering by them, costs no model. A Locator names the step in words;
a Verifier tells of each prefix how likely it is right. Either is a generator, as a policy's search
is: it yields rounds of asks, hears the rollouts and returns what was said, live or over a log.
Nothing is guessed: words whose last \boxed{} holds no step's number are unparsed, answers of which
no more than half agree name nothing, and a score that a server did not tell is none.
"""

from labeler.judging.config import Judge, JudgeConfig, Locator, Verifier, judge_config
from labeler.judging.reading import (
    Answer,
    Judged,
    Judgement,
    Round,
    Saying,
    first_below,
    read,
    vote,
)

__all__ = [
    "Answer",
    "Judge",
    "JudgeConfig",
    "Judged",
    "Judgement",
    "Locator",
    "Round",
    "Saying",
    "Verifier",
    "first_below",
    "judge_config",
    "read",
    "vote",
]
