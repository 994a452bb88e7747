"""labelling.py - from one unit's log to its labels: what `run` and `label` share.

Labels are a function of the problems, the log, and the label rule. Nothing here samples.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from labeler.config import RunConfig
from labeler.ingest import read_unit
from labeler.files import RunDir
from labeler.labels import SolutionLabel, Stopping, Tally, label, tally
from labeler.model import Ask, Finish, Grader, Outcome, Solution, Task
from labeler.rollout_log import SOLUTION, RolloutLog, VerdictRow


@dataclass(frozen=True, slots=True)
class View:
    """How a log is looked at: whose rollouts, under which configuration."""

    config: RunConfig
    completer: str
    failures: Mapping[str, str]
    """Cause of failure of each prefix (by key) whose sampler failed for good."""


def tasks_of(config: RunConfig, run: RunDir, unit: str) -> list[Task]:
    """The problems of a unit with their solutions, before anything is graded."""
    template = config.prompt.digest
    return [Task(problem, solutions, template) for problem, solutions in read_unit(run, unit)]


async def grade_own_answers(log: RolloutLog, grader: Grader, task: Task) -> Task:
    """The task, knowing which of its solutions reach the gold answer by themselves."""
    problem = task.problem
    keys = {s.id: task.prefix(s, len(s.steps)).key for s in task.solutions}
    todo = [s for s in task.solutions if log.own_verdict(keys[s.id], problem.gold_key) is None]
    if todo:
        verdicts = await grader.grade(problem.gold, [(s.text, Finish.STOP) for s in todo])
        log.judge(
            VerdictRow(keys[s.id], SOLUTION, 0, problem.gold_key, verdict)
            for s, verdict in zip(todo, verdicts, strict=True)
        )
    return replace(
        task,
        right=frozenset(
            s.id
            for s in task.solutions
            if (own := log.own_verdict(keys[s.id], problem.gold_key)) is not None
            and own.outcome is Outcome.CORRECT
        ),
    )


def label_task(log: RolloutLog, task: Task, view: View) -> Iterator[SolutionLabel]:
    """One label row for each solution whose own answer has a verdict in the log."""
    for solution in task.solutions:
        own = log.own_verdict(task.prefix(solution, len(solution.steps)).key, task.problem.gold_key)
        if own is None:
            continue
        yield label(
            task.problem,
            solution,
            own,
            _tallies(log, task, solution, view),
            view.config.labels,
            Stopping.ADAPTIVE if view.config.policy.stops_early else Stopping.FIXED,
            _failures(task, solution, view.failures),
        )


def _tallies(log: RolloutLog, task: Task, solution: Solution, view: View) -> dict[int, Tally]:
    """What the log holds of each prefix 0..K-1, up to the n that the labels look at."""
    n = view.config.labels.n or view.config.policy.n
    found: dict[int, Tally] = {}
    for k in range(len(solution.steps)):
        ask = Ask(task.prefix(solution, k), n)
        reply = log.reply(view.completer, ask, task.problem.gold_key)
        if reply.rollouts:
            found[k] = tally(reply.rollouts, view.config.labels.truncated)
    return found


def _failures(task: Task, solution: Solution, causes: Mapping[str, str]) -> dict[int, str]:
    if not causes:
        return {}
    keys = {k: task.prefix(solution, k).key for k in range(len(solution.steps))}
    return {k: causes[key] for k, key in keys.items() if key in causes}

