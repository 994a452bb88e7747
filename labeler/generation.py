"""generation.py - solutions sampled by a generator, for problems that came with none.

The generator's completions are rollouts of prefix 0 in the unit's log, under a fingerprint of
their own; the solutions are a function of these, and are written before any search starts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from labeler.config import RunConfig
from labeler.files import SOLUTIONS, RunDir, write_table
from labeler.ingest import quarantine_entry, solution_id
from labeler.model import Ask, Finish, Problem, Rollout, Solution, Task
from labeler.problems import Reason
from labeler.steps import StepsConfig, split

Entry = Mapping[str, Any]
"""A line of quarantine.jsonl."""


def bare(tasks: Sequence[Task], generator: str) -> list[Task]:
    """The tasks that came without solutions: they have none but this generator's."""
    return [
        replace(task, solutions=())
        for task in tasks
        if all(s.generator == generator for s in task.solutions)
    ]


def wish(task: Task, count: int) -> Ask:
    """The ask for `count` solutions: rollouts of the bare question."""
    return Ask(task.prefix(Solution("", task.problem.id, ()), 0), count)


def solutions_from(
    problem: Problem, rollouts: Sequence[Rollout], steps: StepsConfig
) -> tuple[tuple[Solution, ...], list[Entry]]:
    """Solutions of distinct texts, and quarantine entries for completions that are of no use."""
    good: dict[str, Solution] = {}
    bad: list[Entry] = []
    for rollout in rollouts:
        text = rollout.text.strip()
        parts = split(text, steps)
        reason = _fault(rollout, len(parts), len(text), steps)
        if reason is None:
            id_ = solution_id(problem.id, text)
            good.setdefault(id_, Solution(id_, problem.id, parts, rollout.completer))
        else:
            position = f"{problem.id}/generated/{rollout.index}"
            bad.append(quarantine_entry(position, reason, {"solution": rollout.text}))
    return tuple(good.values()), bad


def _fault(rollout: Rollout, n_steps: int, n_chars: int, steps: StepsConfig) -> Reason | None:
    if rollout.finish is Finish.LENGTH:
        return Reason.TRUNCATED
    if n_steps == 0:
        return Reason.NO_STEPS
    if n_steps > steps.max_steps:
        return Reason.TOO_MANY_STEPS
    return Reason.TOO_LONG if n_chars > steps.max_chars else None


def store(run: RunDir, unit: str, tasks: Sequence[Task], config: RunConfig) -> None:
    """Write the generated solutions of a unit, in place of those of an earlier try."""
    rows = [
        {
            "solution_id": s.id,
            "problem_id": s.problem_id,
            "steps": [step.text for step in s.steps],
            "separators": [step.separator for step in s.steps],
            "generator": s.generator,
            "position": i,
        }
        for task in tasks
        for i, s in enumerate(task.solutions)
    ]
    table = pa.Table.from_pylist(rows, schema=SOLUTIONS)
    write_table(run.solutions / f"{unit}-generated.parquet", table, config.hash)
