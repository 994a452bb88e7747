"""labelling.py - from one unit's log to its label part: what `run` and `label` share.

Labels are a function of the problems, the log and the label rule. Nothing here samples. Verdicts
are those of the grader that the log was opened for; those that it lacks are given
(`grade_own_answers`, `grade_rollouts`), or counted where another grader is at hand (`lacking`).
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from labeler.config import RunConfig
from labeler.files import RunDir
from labeler.ingest import read_unit
from labeler.labels import Evidence, SolutionLabel, Stopping, Tally, label, tally
from labeler.model import Ask, Finish, Grader, Outcome, Prefix, Solution, Task, Verdict, digest
from labeler.problems import Rejected, Rejection
from labeler.rollout_log import SOLUTION, RolloutLog, VerdictRow
from labeler.shards import write_labels


@dataclass(frozen=True, slots=True)
class View:
    """How a log is looked at: whose rollouts, under which configuration."""

    config: RunConfig
    completer: str
    failures: Mapping[str, str]
    """Cause of failure by prefix key, of prefixes whose sampler failed for good."""

    def asks(self, task: Task, solution: Solution) -> Iterator[Ask]:
        """Prefixes 0..K-1 with the number of rollouts that labels look at."""
        n = self.config.labels.n or self.config.policy.n
        return (Ask(task.prefix(solution, k), n) for k in range(len(solution.steps)))


def tasks_of(config: RunConfig, run: RunDir, unit: str) -> list[Task]:
    """The problems of a unit with their solutions, before anything is graded."""
    template = config.prompt.digest
    return [Task(problem, solutions, template) for problem, solutions in read_unit(run, unit)]


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
            VerdictRow(_whole(task, s).key, SOLUTION, 0, task.problem.gold_key, verdict)
            for s, verdict in zip(todo, verdicts, strict=True)
        )
    return replace(task, right=frozenset(s.id for s in task.solutions if _right(log, task, s)))


def own_verdict(log: RolloutLog, task: Task, solution: Solution) -> Verdict | None:
    """What the log says of a solution's own answer."""
    return log.own_verdict(_whole(task, solution).key, task.problem.gold_key)


def _whole(task: Task, solution: Solution) -> Prefix:
    return task.prefix(solution, len(solution.steps))


def _right(log: RolloutLog, task: Task, solution: Solution) -> bool:
    verdict = own_verdict(log, task, solution)
    return verdict is not None and verdict.outcome is Outcome.CORRECT


async def grade_rollouts(log: RolloutLog, grader: Grader, task: Task, view: View) -> None:
    """Give the verdicts that this grader's version has not given yet.

    An ungradable one lets another rollout count, which then wants a verdict, too.
    """
    gold, gold_key = task.problem.gold, task.problem.gold_key
    for ask in (ask for solution in task.solutions for ask in view.asks(task, solution)):
        while rollouts := log.ungraded(view.completer, ask, gold_key):
            texts = [(ask.prefix.text + r.text, r.finish) for r in rollouts]
            verdicts = await grader.grade(gold, texts)
            log.judge(
                VerdictRow(r.prefix_key, r.completer, r.index, gold_key, v)
                for r, v in zip(rollouts, verdicts, strict=True)
            )


def lacking(log: RolloutLog, tasks: Sequence[Task], view: View, solutions: int) -> int:
    """How many verdicts labels would need that the log's grader has not given.

    `solutions` have been labelled with it before. One without a verdict on its own answer is of
    a gold that the grader refused, or was never worked on: nothing else of it is wanted.
    """
    known = [(t, s) for t in tasks for s in t.solutions if own_verdict(log, t, s) is not None]
    wanted = {
        (task.problem.gold_key, rollout.prefix_key, rollout.index)
        for task, solution in known
        for ask in view.asks(task, solution)
        for rollout in log.ungraded(view.completer, ask, task.problem.gold_key)
    }
    return len(wanted) + max(0, solutions - len(known))


async def stage(log: RolloutLog, tasks: Sequence[Task], run: RunDir, view: View) -> tuple[str, int]:
    """Write the unit's label part; its file name and its number of rows.

    The name follows from the rows, so a part that a manifest entry names is never overwritten
    with other rows.
    """
    rows = [row for task in tasks for row in labels_of(log, task, view)]
    name = f"{log.unit}-{digest(*map(repr, rows), size=6)}.parquet"
    await asyncio.to_thread(write_labels, run.staged / name, rows, view.config.hash)
    return name, len(rows)


def labels_of(log: RolloutLog, task: Task, view: View) -> Iterator[SolutionLabel]:
    """The labels of a problem's solutions; none of one whose own answer has no verdict."""
    for solution in task.solutions:
        own = own_verdict(log, task, solution)
        if own is None:
            continue
        tallies: dict[int, Tally] = {}
        failures: dict[int, str] = {}
        cut_short = view.config.policy.stops_early
        for ask in view.asks(task, solution):
            reply = log.reply(view.completer, ask, task.problem.gold_key)
            if reply.rollouts:
                tallies[ask.prefix.step] = tally(reply.rollouts, view.config.labels.truncated)
            if ask.prefix.key in view.failures:
                failures[ask.prefix.step] = view.failures[ask.prefix.key]
            # An early-stopping policy may have filled this log before the present one.
            cut_short |= 0 < len(reply.rollouts) < ask.n and ask.prefix.key not in view.failures
        stopping = Stopping.ADAPTIVE if cut_short else Stopping.FIXED
        evidence = Evidence(own, tallies, stopping, failures)
        yield label(task.problem, solution, evidence, view.config.labels)
