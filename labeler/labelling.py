"""labelling.py - from one unit's log to its label part: what `run` and `label` share.

Labels are a function of the problems, the log and the label rule. Nothing here samples. Verdicts
are those of the grader that the log was opened for; those that it lacks are given
(`grade_own_answers`, `grade_rollouts`), or counted where another grader is at hand (`lacking`).
"""

import asyncio
from collections.abc import Sequence
from functools import partial

import pyarrow as pa

from labeler.config import RunConfig
from labeler.files import JUDGEMENTS, RunDir, write_table
from labeler.ingest import read_unit
from labeler.judged import answers, filtered, judged
from labeler.labels import SolutionLabel
from labeler.manifest import Staged
from labeler.model import (
    Ask,
    Finish,
    Grader,
    Outcome,
    Problem,
    Task,
)
from labeler.problems import Rejected, Rejection
from labeler.rollout_log import SOLUTION, RolloutLog, VerdictRow
from labeler.search import Asks, Replies, drive
from labeler.shards import Rows, write_part
from labeler.steps import split
from labeler.views import View, knowing, labels_of, own_verdict, whole

__all__ = [
    "View",
    "all_labels",
    "grade_own_answers",
    "grade_rollouts",
    "knowing",
    "labels_of",
    "lacking",
    "own_verdict",
    "rejected",
    "sound",
    "stage",
    "stored",
    "tasks_of",
]


def tasks_of(config: RunConfig, run: RunDir, unit: str) -> list[Task]:
    """The problems of a unit with their solutions, before anything is graded."""
    template, cut = config.prompt.digest, partial(split, config=config.steps)
    held = read_unit(run, unit)
    return [Task(problem, solutions, template, cut=cut) for problem, solutions in held]


async def sound(tasks: Sequence[Task], grader: Grader) -> tuple[list[Task], tuple[Rejected, ...]]:
    """The tasks whose gold grades correct against itself; quarantine entries for the rest."""
    good: list[Task] = []
    bad: list[Rejected] = []
    for task in tasks:
        verdict = await grader.check_gold(task.problem.gold)
        if verdict.outcome is Outcome.CORRECT:
            good.append(task)
        else:
            bad += rejected(task, Rejection.UNPARSED_GOLD)
    return good, tuple(bad)


def stored(tasks: Sequence[Task]) -> int:
    """How many solutions they have."""
    return sum(len(task.solutions) for task in tasks)


def rejected(task: Task, reason: Rejection) -> list[Rejected]:
    """One quarantine entry for each solution of a problem, or one for a problem without any."""
    row = {"id": task.problem.id, "question": task.problem.question, "gold": task.problem.gold}
    if not task.solutions:
        return [Rejected(task.problem.id, reason, row)]
    return [
        Rejected(f"{task.problem.id}/{s.id}", reason, row | {"solution": s.text})
        for s in task.solutions
    ]


async def grade_own_answers(log: RolloutLog, grader: Grader, task: Task) -> Task:
    """The task, knowing which of its solutions reach the gold answer by themselves."""
    todo = [s for s in task.solutions if own_verdict(log, task, s) is None]
    if todo:
        verdicts = await grader.grade(task.problem.gold, [(s.text, Finish.STOP) for s in todo])
        log.judge(
            VerdictRow(whole(task, s).key, SOLUTION, 0, task.problem.gold_key, verdict)
            for s, verdict in zip(todo, verdicts, strict=True)
        )
    return knowing(log, task)


async def grade_rollouts(log: RolloutLog, grader: Grader, task: Task, view: View) -> None:
    """Give the verdicts that this grader's version has not given yet.

    An ungradable one lets another rollout count, which then wants a verdict, too. A tree grows
    on the way: what it asks for next depends on the verdicts.
    """
    forest = view.forest(log)

    async def answer(asks: Asks) -> Replies:
        for ask in asks:
            await _grade(log, grader, task.problem, view.completer, ask)
        return [log.reply(view.completer, ask, task.problem.gold_key) for ask in asks]

    if forest.grows:
        await drive(view.config.policy.search(task), answer)
    for solution in forest.grown(task).solutions:
        for completer, ask in view.every_ask(task, solution):
            await _grade(log, grader, task.problem, completer, ask)


async def _grade(
    log: RolloutLog, grader: Grader, problem: Problem, completer: str, ask: Ask
) -> None:
    """Give the verdicts that one ask lacks."""
    while rollouts := log.ungraded(completer, ask, problem.gold_key):
        texts = [(ask.prefix.text + r.text, r.finish) for r in rollouts]
        verdicts = await grader.grade(problem.gold, texts)
        log.judge(
            VerdictRow(r.prefix_key, r.completer, r.index, problem.gold_key, v)
            for r, v in zip(rollouts, verdicts, strict=True)
        )


def lacking(log: RolloutLog, tasks: Sequence[Task], view: View, solutions: int) -> int:
    """How many verdicts labels would need that the log's grader has not given.

    `solutions` have been labelled with it before. One without a verdict on its own answer is of
    a gold that the grader refused, or was never worked on: nothing else of it is wanted.
    """
    known = [(t, s) for t in tasks for s in t.solutions if own_verdict(log, t, s) is not None]
    forest = view.forest(log)
    asks = [(task, *each) for task, solution in known for each in view.every_ask(task, solution)]
    asks += [(task, view.completer, ask) for task in tasks for ask in forest.asks(task)]
    wanted = {
        (task.problem.gold_key, completer, rollout.prefix_key, rollout.index)
        for task, completer, ask in asks
        for rollout in log.ungraded(completer, ask, task.problem.gold_key)
    }
    return len(wanted) + max(0, solutions - len(known))


def all_labels(log: RolloutLog, tasks: Sequence[Task], view: View) -> list[SolutionLabel]:
    """The labels of a unit's solutions, branches of trees included, before any filtering."""
    forest = view.forest(log)
    return [row for task in tasks for row in labels_of(log, forest.grown(task), view)]


async def stage(log: RolloutLog, tasks: Sequence[Task], run: RunDir, view: View) -> Staged:
    """Write the unit's parts: its labels and, where trees were grown, their states and pairs.

    Where a judge was asked, labels say whether they are kept, and judgements/ what it said.

    The names follow from the rows, so a part that a manifest entry names is never overwritten
    with other rows.
    """
    forest = view.forest(log)
    labels = all_labels(log, tasks, view)
    if view.judge:
        said = [judged(log, row, view.judge, view.config) for row in labels]
        labels = filtered(labels, said, view.config)
        table = pa.Table.from_pylist(list(answers(labels, said)), schema=JUDGEMENTS)
        place = run.judgements(view.judge.name) / f"{log.unit}.parquet"
        await asyncio.to_thread(write_table, place, table, view.config.hash)
    rows: dict[str, Rows] = {"labels": labels}
    if forest.grows:
        found = [forest.rows(task) for task in tasks]
        rows["states"] = [row for states, _ in found for row in states]
        rows["pairs"] = [row for _, pairs in found for row in pairs]
    parts = {
        table: await asyncio.to_thread(write_part, run, log.unit, table, made, view.config.hash)
        for table, made in rows.items()
    }
    given = {solution.id for task in tasks for solution in task.solutions}
    ours = sum(row.solution_id in given for row in labels)
    bare = sum(not task.solutions for task in tasks) if forest.grows else 0
    return Staged(**parts, solutions=ours, branches=len(labels) - ours, bare=bare)
