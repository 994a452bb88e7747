"""labelling.py - from one unit's log to its label part: what `run` and `label` share.

Labels are a function of the problems, the log and the label rule. Nothing here samples. Verdicts
are those of the grader that the log was opened for; those that it lacks are given
(`grade_own_answers`, `grade_rollouts`), or counted where another grader is at hand (`lacking`).
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from labeler.config import RunConfig
from labeler.files import RunDir
from labeler.ingest import read_unit
from labeler.labels import (
    Evidence,
    SolutionLabel,
    Stopping,
    Tally,
    believe,
    label,
    tally,
)
from labeler.manifest import Staged
from labeler.model import (
    Ask,
    Finish,
    Grader,
    Outcome,
    Prefix,
    Problem,
    Solution,
    Task,
    Verdict,
)
from labeler.problems import Rejected, Rejection
from labeler.rollout_log import SOLUTION, RolloutLog, VerdictRow
from labeler.search import Asks, Replies, drive
from labeler.shards import Rows, write_part
from labeler.steps import split
from labeler.trees import Forest


@dataclass(frozen=True, slots=True)
class View:
    """How a log is looked at: whose rollouts, under which configuration."""

    config: RunConfig
    completer: str
    failures: Mapping[str, str]
    """Cause of failure by prefix key, of prefixes whose sampler failed for good."""

    def forest(self, log: RolloutLog) -> Forest:
        """The search trees of the log, where the policy grows any."""
        return Forest(log, self.config, self.completer)

    def asks(self, task: Task, solution: Solution) -> Iterator[Ask]:
        """Prefixes 0..K-1 with the number of rollouts that labels look at."""
        n = self.config.labels.n or self.config.policy.n
        return (Ask(task.prefix(solution, k), n) for k in range(len(solution.steps)))


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
            VerdictRow(_whole(task, s).key, SOLUTION, 0, task.problem.gold_key, verdict)
            for s, verdict in zip(todo, verdicts, strict=True)
        )
    return knowing(log, task)


def knowing(log: RolloutLog, task: Task) -> Task:
    """The task, knowing what the log says of its solutions' own answers."""
    return replace(
        task,
        right=_whose(log, task, Outcome.CORRECT),
        unknown=_whose(log, task, Outcome.UNGRADABLE),
    )


def own_verdict(log: RolloutLog, task: Task, solution: Solution) -> Verdict | None:
    """What the log says of a solution's own answer."""
    return log.own_verdict(_whole(task, solution).key, task.problem.gold_key)


def _whole(task: Task, solution: Solution) -> Prefix:
    return task.prefix(solution, len(solution.steps))


def _whose(log: RolloutLog, task: Task, outcome: Outcome) -> frozenset[str]:
    """Ids of the solutions whose own answer has this outcome."""
    said = ((s.id, own_verdict(log, task, s)) for s in task.solutions)
    return frozenset(name for name, verdict in said if verdict and verdict.outcome is outcome)


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
        await answer(list(view.asks(task, solution)))


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
    asks = [(task, ask) for task, solution in known for ask in view.asks(task, solution)]
    asks += [(task, ask) for task in tasks for ask in forest.asks(task)]
    wanted = {
        (task.problem.gold_key, rollout.prefix_key, rollout.index)
        for task, ask in asks
        for rollout in log.ungraded(view.completer, ask, task.problem.gold_key)
    }
    return len(wanted) + max(0, solutions - len(known))


async def stage(log: RolloutLog, tasks: Sequence[Task], run: RunDir, view: View) -> Staged:
    """Write the unit's parts: its labels and, where trees were grown, their states and pairs.

    The names follow from the rows, so a part that a manifest entry names is never overwritten
    with other rows.
    """
    forest = view.forest(log)
    labels = [row for task in tasks for row in labels_of(log, forest.grown(task), view)]
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


def labels_of(log: RolloutLog, task: Task, view: View) -> Iterator[SolutionLabel]:
    """The labels of a problem's solutions; none of one whose own answer has no verdict."""
    config = view.config.labels
    found = {s.id: own_verdict(log, task, s) for s in task.solutions}
    known = [(s, own) for s in task.solutions if (own := found[s.id]) is not None]
    evidence = [_evidence(log, (task, s), own, view) for s, own in known]
    keys = [[task.prefix(s, k).key for k in range(len(s.steps))] for s, _ in known]
    tallies = {keys[i][k]: tally for i, e in enumerate(evidence) for k, tally in e.tallies.items()}
    own_right = [e.is_correct for e in evidence]
    beliefs = believe(keys, own_right, tallies, config.value_model, config.confidence)
    for (solution, _), e, belief in zip(known, evidence, beliefs, strict=True):
        yield label(task.problem, solution, e, config, belief)


def _evidence(log: RolloutLog, of: tuple[Task, Solution], own: Verdict, view: View) -> Evidence:
    """What the log holds of one solution."""
    task, solution = of
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
    return Evidence(own, tallies, stopping, failures)
