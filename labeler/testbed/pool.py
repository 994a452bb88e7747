"""pool.py - the recorded pool: many rollouts of every prefix of solutions whose truth is known.

One Parquet file, one row a problem, so that it is both what a recorded completer replays
(`samplers.recorded`) and an input of problems with solutions (`problems`):

    {"id": "held-0-7", "question": "Nina has ...", "answer": "37", "template": "9f..",
     "completer": "eb..", "solutions": [{"text": "Nina ...", "generator": "",
     "right": false, "first_error": 2, "first_state_error": 3}, ...],
     "prefixes": [{"key": "c4..", "step": 0, "prompt_tokens": 71, "correct": [true, ...],
     "n_tokens": [64, ...]}, ...]}

1. `correct` and `n_tokens` are the log's, in the order of its indices 0, 1, ...; `correct` is
   null where a rollout could not be graded (then there is one more in its place).
2. A prefix that solutions share stands there once. The keys are those of the run.
3. It holds the texts of questions and solutions, which are inputs, and none of the rollouts'.
4. A truncated rollout is incorrect, as in the run's labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from labeler import manifest
from labeler.config import RunConfig
from labeler.files import RunDir, read_table
from labeler.ingest import solution_of
from labeler.labelling import own_verdict, tasks_of
from labeler.model import Ask, LabelerError, Outcome, Problem, Solution, Task
from labeler.problems import RawSolution, Rejection
from labeler.rollout_log import RolloutLog
from labeler.steps import StepsConfig
from labeler.testbed import problems as testbed
from labeler.testbed.measure import judged
from labeler.testbed.truth import FirstErrors

SCHEMA = pa.schema(
    [("id", pa.string()), ("question", pa.string()), ("answer", pa.string()),
     ("template", pa.string()), ("completer", pa.string()),
     ("solutions", pa.list_(pa.struct(
         [("text", pa.string()), ("generator", pa.string()), ("right", pa.bool_()),
          ("first_error", pa.int16()), ("first_state_error", pa.int16())]))),
     ("prefixes", pa.list_(pa.struct(
         [("key", pa.string()), ("step", pa.int16()), ("prompt_tokens", pa.int32()),
          ("correct", pa.list_(pa.bool_())), ("n_tokens", pa.list_(pa.int32()))])))]
)  # fmt: skip


_CORRECT = {Outcome.CORRECT: True, Outcome.INCORRECT: False}


@dataclass(frozen=True, slots=True)
class Recorded:
    """All rollouts of one prefix, by index."""

    step: int
    prompt_tokens: int
    correct: tuple[bool | None, ...]
    """None where it could not be graded."""
    n_tokens: tuple[int, ...]
    """Tokens of each completion."""


@dataclass(frozen=True, slots=True)
class PoolProblem:
    """A problem with its solutions, what is true of them, and their prefixes' rollouts."""

    task: Task
    truths: Mapping[str, FirstErrors]
    """By solution id; 1-based steps."""
    rollouts: Mapping[str, Recorded]
    """By prefix key; every prefix 0..K-1 of every solution is there."""


def pack(config: RunConfig, problems: Path) -> pa.Table:
    """The pool of a finished exhaustive run over testbed problems; `problems` has their programs.

    Raises LabelerError where a prefix has fewer graded rollouts than its policy asks for.
    """
    known = {problem.id: problem for problem in testbed.load(problems)}
    rows = [
        _row(log, task, completer, known[task.problem.id], config.policy.n)
        for log, task, completer in _tasks(config)
    ]
    return pa.Table.from_pylist(sorted(rows, key=lambda row: row["id"]), schema=SCHEMA)


def load(path: Path) -> tuple[PoolProblem, ...]:
    """The pool of a file that `pack` made. Raises FileError where it cannot be read."""
    return tuple(_problem(row) for row in read_table(path).to_pylist())


def _tasks(config: RunConfig) -> Iterator[tuple[RolloutLog, Task, str]]:
    """Every problem of the run's committed units, with its unit's log and its completer."""
    run = RunDir(config.root)
    for unit, entry in manifest.read(run).items():
        log = RolloutLog(run, unit, entry.grader, "")
        for task in tasks_of(config, run, unit):
            yield log, task, entry.completer


def _row(
    log: RolloutLog, task: Task, completer: str, problem: testbed.Problem, n: int
) -> dict[str, Any]:
    prefixes = {
        prefix.key: prefix
        for solution in task.solutions
        for prefix in (task.prefix(solution, k) for k in range(len(solution.steps)))
    }
    return {
        "id": task.problem.id,
        "question": task.problem.question,
        "answer": task.problem.gold,
        "template": task.template,
        "completer": completer,
        "solutions": [_solution_row(log, task, s, problem) for s in task.solutions],
        "prefixes": [_prefix_row(log, task, completer, Ask(p, n)) for p in prefixes.values()],
    }


def _solution_row(
    log: RolloutLog, task: Task, solution: Solution, problem: testbed.Problem
) -> dict[str, Any]:
    errors = judged(problem, solution.text).errors
    own = own_verdict(log, task, solution)
    return {
        "text": solution.text,
        "generator": solution.generator,
        "right": own is not None and own.outcome is Outcome.CORRECT,
        "first_error": errors.any,
        "first_state_error": errors.state,
    }


def _prefix_row(log: RolloutLog, task: Task, completer: str, ask: Ask) -> dict[str, Any]:
    reply = log.reply(completer, ask, task.problem.gold_key)
    if reply.graded < ask.n:
        raise LabelerError(
            f"prefix {ask.prefix.step} of problem {task.problem.id} has {reply.graded} graded "
            f"rollouts; the pool needs {ask.n} of every prefix"
        )
    return {
        "key": ask.prefix.key,
        "step": ask.prefix.step,
        "prompt_tokens": reply.rollouts[0].rollout.prompt_tokens,
        "correct": [_CORRECT.get(g.verdict.outcome) for g in reply.rollouts],
        "n_tokens": [g.rollout.n_tokens for g in reply.rollouts],
    }


def _problem(row: Mapping[str, Any]) -> PoolProblem:
    problem = Problem(row["id"], row["question"], row["answer"], "pool")
    solutions = [_solution(problem, given) for given in row["solutions"]]
    pairs = list(zip(solutions, row["solutions"], strict=True))
    right = frozenset(s.id for s, given in pairs if given["right"])
    return PoolProblem(
        Task(problem, tuple(solutions), row["template"], right),
        {s.id: FirstErrors(g["first_error"], g["first_state_error"]) for s, g in pairs},
        {given["key"]: _recorded(given) for given in row["prefixes"]},
    )


def _solution(problem: Problem, given: Mapping[str, Any]) -> Solution:
    made = solution_of(problem, RawSolution(given["text"], given["generator"]), StepsConfig())
    if isinstance(made, Rejection):
        raise LabelerError(f"problem {problem.id} holds an unusable solution: {made}")
    return made


def _recorded(given: Mapping[str, Any]) -> Recorded:
    return Recorded(
        given["step"], given["prompt_tokens"], tuple(given["correct"]), tuple(given["n_tokens"])
    )


def describe(pool: Sequence[PoolProblem]) -> dict[str, str]:
    """Its figures, by name."""
    solutions = [(p, s) for p in pool for s in p.task.solutions]
    wrong = [(p, s) for p, s in solutions if s.id not in p.task.right]
    right = [(p, s) for p, s in solutions if s.id in p.task.right]
    prefixes = [r for p in pool for r in p.rollouts.values()]
    rollouts = sum(len(r.correct) for r in prefixes)
    correct = sum(r.correct.count(True) for r in prefixes)
    ungradable = sum(r.correct.count(None) for r in prefixes)
    states = sum(p.truths[s.id].state is not None for p, s in right)
    slips = sum(p.truths[s.id].any != p.truths[s.id].state for p, s in wrong)
    return {
        "problems": f"{len(pool):,}",
        "solutions with a wrong answer": f"{len(wrong):,}",
        "of them with a slip before the state error": f"{slips:,}",
        "solutions with a right answer": f"{len(right):,}",
        "of them with a state error": f"{states:,}",
        "steps a solution": f"{_mean([len(s.steps) for _, s in solutions]):.1f}",
        "distinct prefixes": f"{len(prefixes):,}",
        "rollouts": f"{rollouts:,}",
        "of them correct": f"{correct / max(rollouts, 1):.1%}",
        "of them ungradable": f"{ungradable:,}",
        "tokens a rollout": f"{_mean([t for r in prefixes for t in r.n_tokens]):.1f}",
    }


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / max(len(numbers), 1)
