"""restated.py - what right steps bring that only say again what stands there already.

A step that works something out holds an equation. One that does not repeats the number that the
steps before it came to (the final statement, mostly), or quotes numbers of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from labeler.labels import LabelConfig, Value, difference, measured
from labeler.labels.values import Progress
from labeler.model import Solution
from labeler.testbed.pool import PoolProblem

_NUMBER = re.compile(r"\d+")


class Says(StrEnum):
    """What a step brings to the text."""

    NEW = "works something out"
    REPEATED = "repeats the number before it"
    QUOTED = "quotes the question"
    OTHER = "says something else"


def says(question: str, steps: Sequence[str], k: int) -> Says:
    """What step k (1-based) is, from its text and what stands before it; it need not be right."""
    text = steps[k - 1]
    if "=" in text:
        return Says.NEW
    numbers = _NUMBER.findall(text)
    written = _NUMBER.findall("\n".join(steps[: k - 1]))
    if numbers and numbers == written[-1:]:
        return Says.REPEATED
    if numbers and set(numbers) <= {*written, *_NUMBER.findall(question)}:
        return Says.QUOTED
    return Says.OTHER


def progress_of_right_steps(pool: Iterable[PoolProblem]) -> Mapping[Says, Sequence[Progress]]:
    """The progress of every step before any error, of either kind, by what it says."""
    found: dict[Says, list[Progress]] = {}
    for problem in pool:
        for solution in problem.task.solutions:
            steps = [step.text for step in solution.steps]
            error = problem.truths[solution.id].any or len(steps) + 1
            for k, progress in enumerate(_progress(problem, solution), 1):
                if k < error:
                    kind = says(problem.task.problem.question, steps, k)
                    found.setdefault(kind, []).append(progress)
    return found


def _progress(problem: PoolProblem, solution: Solution) -> Iterator[Progress]:
    """Of steps 1..K, from all recorded rollouts."""
    confidence = LabelConfig().confidence
    task = problem.task
    own = float(solution.id in task.right)
    before: Value | None = None
    for k in range(len(solution.steps) + 1):
        if k < len(solution.steps):
            told = problem.rollouts[task.prefix(solution, k).key].correct
            value = measured(told.count(True), len(told) - told.count(None), confidence)
        else:
            value = Value(1, int(own), own, own, own)
        if before is not None and (progress := difference(value, before)):
            yield progress
        before = value
