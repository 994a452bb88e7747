"""generation.py - solutions sampled by a generator, for problems that came with none.

The generator's completions are rollouts of prefix 0 in the unit's log, under a fingerprint of
their own; the solutions are a function of these, and are written before any search starts.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from labeler.config import RunConfig
from labeler.files import SOLUTIONS, RunDir, write_table
from labeler.fulfil import Fulfiller
from labeler.ingest import solution_of
from labeler.model import Ask, Finish, Prefix, Problem, Rollout, Solution, Task
from labeler.problems import RawSolution, Rejected, Rejection
from labeler.steps import StepsConfig


def bare(tasks: Sequence[Task], generator: str) -> list[Task]:
    """The tasks that came without solutions: they have none but this generator's."""
    return [
        replace(task, solutions=())
        for task in tasks
        if all(s.generator == generator for s in task.solutions)
    ]


def wish(task: Task, count: int) -> Ask:
    """The ask for `count` solutions: rollouts of the bare question."""
    return Ask(Prefix(task.problem.question, "", 0, task.template), count)


async def sampled(
    tasks: Sequence[Task], fulfiller: Fulfiller, count: int, steps: StepsConfig
) -> tuple[dict[str, Task], list[Rejected]]:
    """Each problem that came without solutions, by id, with `count` sampled ones.

    And quarantine entries for completions that are of no use. Raises SamplerError.
    """
    completer = fulfiller.sampler.completer
    wishes = [(task, wish(task, count)) for task in bare(tasks, completer)]
    async with asyncio.TaskGroup() as group:
        for task, ask in wishes:
            group.create_task(fulfiller.answer(task.problem, [ask]))
    written: dict[str, Task] = {}
    bad: list[Rejected] = []
    for task, ask in wishes:
        held = fulfiller.log.rollouts(completer, ask.prefix.key)
        rollouts = [held[i] for i in range(count) if i in held]
        solutions, entries = solutions_from(task.problem, rollouts, steps)
        written[task.problem.id] = replace(task, solutions=solutions)
        bad += entries
    return written, bad


def solutions_from(
    problem: Problem, rollouts: Sequence[Rollout], steps: StepsConfig
) -> tuple[tuple[Solution, ...], list[Rejected]]:
    """Solutions of distinct texts, and quarantine entries for completions that are of no use."""
    good: dict[str, Solution] = {}
    bad: list[Rejected] = []
    for rollout in rollouts:
        made = _solution(problem, rollout, steps)
        if isinstance(made, Solution):
            good.setdefault(made.id, made)
        else:
            position = f"{problem.id}/generated/{rollout.index}"
            bad.append(Rejected(position, made, {"id": problem.id, "solution": rollout.text}))
    return tuple(good.values()), bad


def _solution(problem: Problem, rollout: Rollout, steps: StepsConfig) -> Solution | Rejection:
    if rollout.finish is Finish.LENGTH:
        return Rejection.TRUNCATED
    return solution_of(problem, RawSolution(rollout.text, rollout.completer), steps)


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
