"""Records a draw of benchmarks/train_prm.py: solutions, their truth, and rollouts.

    python benchmarks/train_prm_record.py --draw 4 [--seeds 3]

Ordinary runs, which go on where they were stopped. The testbed's model writes eight solutions a
problem, of which some are taken as for the pool. Every prefix gets 8 rollouts; then for each seed
the solutions are searched adaptively, with the value model that fits its pilot, and the log is
topped up with what that search asks for beyond them. The log is packed as the pool is, but that a
prefix has as many rollouts as were asked for. Then one solution is written of each problem to test
on. It ends with how many of the draw's questions were seen before: in training of the testbed's
model, or in a draw before it.
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
from train_prm_fresh import CACHE, TESTED, World, drawn, fresh, problems_of, recorded
from train_prm_labels import EXHAUSTIVE, value_model

from labeler import manifest
from labeler.apps.run import run
from labeler.config import RunConfig
from labeler.files import RunDir, write_table, write_text
from labeler.labelling import own_verdict, tasks_of
from labeler.model import Ask, Outcome, Prefix, Task
from labeler.policies import Adaptive, Policy
from labeler.rollout_log import RolloutLog
from labeler.testbed import problems as testbed
from labeler.testbed.measure import judged
from labeler.testbed.pool import SCHEMA
from labeler.testbed.record import WRITTEN, chosen, config_of
from labeler.testbed.train import Options

MOST = 64
"""Rollouts of a prefix, at most: the adaptive policy's default."""
_AHEAD = 64
"""Batches that training may have drawn beyond its last update."""


def write_solutions(draw: int, problems: Path) -> Path:
    """The first run, and the rows that are taken from it."""
    given = CACHE / f"draw-{draw}-solutions.jsonl"
    if given.exists():
        return given
    config = config_of(
        f"draw-{draw}-solutions",
        CACHE,
        problems,
        generator={"per_problem": WRITTEN},
        policy={"kind": "scan", "n": 1},
    )
    run(config)
    columns = ["problem_id", "solution_id", "question", "gold", "steps", "is_correct"]
    rows = ds.dataset(config.root / "labels").to_table(columns=columns).to_pylist()
    taken = sorted((row for row in chosen(rows) if row["solutions"]), key=_number)
    write_text(given, "".join(json.dumps(row) + "\n" for row in taken))
    return given


def roll_out(draw: int, given: Path, problems: Path, policy: Policy) -> None:
    """A further run in one directory, whose log it goes on with; the packed file has all of it."""
    config = config_of(f"draw-{draw}", CACHE, given, policy=policy.model_dump())
    run(config)
    write_table(recorded(draw), packed(config, problems), config.hash)


def packed(config: RunConfig, problems: Path) -> pa.Table:
    """The run's log as the pool is packed, in the order that problems were drawn in."""
    known = {problem.id: problem for problem in testbed.load(problems)}
    home, rows = RunDir(config.root), []
    for unit, entry in manifest.read(home).items():
        log = RolloutLog(home, unit, entry.grader, "")
        tasks = tasks_of(config, home, unit)
        rows += [_row(log, task, entry.completer, known[task.problem.id]) for task in tasks]
    return pa.Table.from_pylist(sorted(rows, key=_number), schema=SCHEMA)


def _row(log: RolloutLog, task: Task, completer: str, problem: testbed.Problem) -> dict[str, Any]:
    prefixes = {
        prefix.key: prefix
        for solution in task.solutions
        for prefix in (task.prefix(solution, k) for k in range(len(solution.steps)))
    }
    solutions = []
    for solution in task.solutions:
        own, errors = own_verdict(log, task, solution), judged(problem, solution.text).errors
        solutions.append({
            "text": solution.text,
            "generator": solution.generator,
            "right": own is not None and own.outcome is Outcome.CORRECT,
            "first_error": errors.any,
            "first_state_error": errors.state,
        })  # fmt: skip
    return {
        "id": task.problem.id,
        "question": task.problem.question,
        "answer": task.problem.gold,
        "template": task.template,
        "completer": completer,
        "solutions": solutions,
        "prefixes": [_prefix(log, task, completer, prefix) for prefix in prefixes.values()],
    }


def _prefix(log: RolloutLog, task: Task, completer: str, prefix: Prefix) -> dict[str, Any]:
    held = log.reply(completer, Ask(prefix, MOST), task.problem.gold_key).rollouts
    graded = [g.verdict.outcome for g in held]
    return {
        "key": prefix.key,
        "step": prefix.step,
        "prompt_tokens": held[0].rollout.prompt_tokens if held else 0,
        "correct": [None if o is Outcome.UNGRADABLE else o is Outcome.CORRECT for o in graded],
        "n_tokens": [g.rollout.n_tokens for g in held],
    }


def _number(row: Mapping[str, Any]) -> int:
    """A problem's place in its stream."""
    return int(row["id"].split("-")[-1])


def record(draw: int, seeds: int) -> None:
    """Write the rollouts that the benchmark asks for under these seeds, and the test solutions."""
    problems = CACHE / f"draw-{draw}-problems.jsonl"
    rows = [json.dumps(problem.to_json()) for problem in problems_of(draw, test=False)]
    write_text(problems, "\n".join(rows) + "\n")
    given = write_solutions(draw, problems)
    roll_out(draw, given, problems, EXHAUSTIVE)
    models = [value_model(World(seed, len(rows), draw)) for seed in range(seeds)]
    for model in models:
        roll_out(draw, given, problems, Adaptive(value_model=model))
    fresh(draw, TESTED)


def questions_of(draw: int) -> set[str]:
    """All questions of a draw."""
    return {problem.question for problem in drawn(draw)}


def trained_on() -> set[str]:
    """The questions that were drawn to train the testbed's model."""
    options = Options()
    return {
        testbed.draw(phase.stream, options.seed, index, phase.setting).question
        for phase in options.phases
        for index in range((phase.updates + _AHEAD) * phase.batch)
    }


def main() -> None:
    """Record what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    if given.draw < 1:
        parser.error("--draw counts from 1: draw 0 is data/testbed/pool.parquet")
    CACHE.mkdir(parents=True, exist_ok=True)
    record(given.draw, given.seeds)
    questions = questions_of(given.draw)
    trained = len(questions & trained_on())
    used = [len(questions & questions_of(draw)) for draw in range(given.draw)]
    print(f"{len(questions)} questions; {trained} drawn in training, {sum(used)} in draws before")


if __name__ == "__main__":
    main()
