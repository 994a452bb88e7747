"""measure.py - figures about solutions whose truth is known: pure counting, no model.

A solution is *solved* when its last final statement is the gold answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from labeler.testbed.problems import Problem
from labeler.testbed.truth import FirstErrors, StepTruth, first_errors, judge, split
from labeler.testbed.wording import Final, read


@dataclass(frozen=True, slots=True)
class Judged:
    """A solution with its truth."""

    problem: Problem
    steps: Sequence[str]
    truths: Sequence[StepTruth]
    errors: FirstErrors
    solved: bool

    @property
    def recovered(self) -> bool:
        """Whether it is solved although a step made the state wrong."""
        return self.solved and self.errors.state is not None


def stated_answer(steps: Iterable[str]) -> str | None:
    """What the last final statement says."""
    lines = [line for line in map(read, steps) if isinstance(line, Final)]
    return str(lines[-1].number) if lines else None


def judged(problem: Problem, solution: str) -> Judged:
    """A solution's text, judged."""
    steps = split(solution)
    truths = judge(problem.program, steps)
    solved = stated_answer(steps) == problem.answer
    return Judged(problem, steps, truths, first_errors(truths), solved)


def share(part: int, whole: int) -> str:
    """`part / whole` in percent, with the counts."""
    return f"{100 * part / whole:.1f}% ({part} of {whole})" if whole else "none"


def figures(solutions: Sequence[Judged]) -> dict[str, str]:
    """The figures of one set of solutions, by name."""
    n = len(solutions)
    solved = [s for s in solutions if s.solved]
    unsolved = [s for s in solutions if not s.solved]
    slips = [s for s in solutions if s.errors.any is not None and s.errors.any != s.errors.state]
    states = [s for s in solutions if s.errors.state is not None]
    return {
        "solved": share(len(solved), n),
        "without any error": share(sum(s.errors.any is None for s in solutions), n),
        "with a state error": share(len(states), n),
        "whose first error is a slip": share(len(slips), n),
        "solved among those with a state error": share(sum(s.solved for s in states), len(states)),
        "with a state error among the solved": share(sum(s.recovered for s in solved), len(solved)),
        "with any error among the solved": share(
            sum(s.errors.any is not None for s in solved), len(solved)
        ),
        "without a state error among the unsolved": share(
            sum(s.errors.state is None for s in unsolved), len(unsolved)
        ),
    }


def positions(solutions: Iterable[Judged]) -> dict[str, dict[str, int]]:
    """How many first state errors there are at each step, and in each fifth of the solution."""
    at: Counter[str] = Counter()
    fifth: Counter[str] = Counter()
    for solution in solutions:
        step = solution.errors.state
        if step is not None:
            at[f"step {step:2d}"] += 1
            part = (step - 1) * 5 // len(solution.steps) + 1
            fifth[f"fifth {part}"] += 1
    return {"step": dict(sorted(at.items())), "part": dict(sorted(fifth.items()))}


def reasons(solutions: Iterable[Judged]) -> dict[str, int]:
    """How often each kind and reason is a solution's first error, most frequent first."""
    found: Counter[str] = Counter()
    for solution in solutions:
        if solution.errors.any is not None:
            truth = solution.truths[solution.errors.any - 1]
            found[f"{truth.kind}: {truth.reason}"] += 1
    return dict(found.most_common())


def by_length(solutions: Iterable[Judged]) -> dict[str, str]:
    """The solved share by the number of steps of the gold solution."""
    solved: Counter[int] = Counter()
    every: Counter[int] = Counter()
    for solution in solutions:
        length = len(split(solution.problem.solution))
        every[length] += 1
        solved[length] += solution.solved
    return {f"{k:2d} steps": share(solved[k], every[k]) for k in sorted(every)}


def table(title: str, rows: Mapping[str, str | int]) -> str:
    """A Markdown table of two columns."""
    lines = [f"| {title} | |", "|---|---|", *(f"| {k} | {v} |" for k, v in rows.items())]
    return "\n".join(lines)
