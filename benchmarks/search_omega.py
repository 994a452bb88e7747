"""What OmegaPRM's tree finds, and what it pays: on a planted world, and live on the testbed.

    python benchmarks/search_omega.py [--quick] [--live]

A tree search continues what rollouts say, so it cannot be measured on a pool of verdicts. Here
the completer of the planted world writes its steps (and states their values, so that the truth
is known), and the testbed's model runs through vLLM, with the exact truth of its steps.

A branch is located when the bisection names its first dead step; it is accurate when that step is
the first error. On the testbed `accuracy` is against the first error of any kind, and
`accuracy_state` against the first that changes the state, which is what rollouts can see.
Branches without an error (their last line is missing, or a right one was misread) are left out of
both and counted. All rollouts count, those of the bare question included, each once. `rounds` is
how many probes a problem's search makes one after the other.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from labeler import manifest
from labeler.apps.run import run
from labeler.config import RunConfig, load, parse
from labeler.files import RunDir
from labeler.labelling import tasks_of
from labeler.model import Prefix, Solution, Task
from labeler.policies.search_tree import SearchTree
from labeler.rollout_log import RolloutLog
from labeler.samplers.planted import planted_question, read_planted
from labeler.testbed import problems as testbed
from labeler.testbed.measure import judged
from labeler.testbed.truth import FirstErrors
from labeler.trees import Forest

VALUES = (0.2, 0.4, 0.6, 0.8)
"""V(0) of the planted problems, in turn."""
Truth = Callable[[Task, Solution], FirstErrors]


def planted_row(quick: bool) -> dict[str, Any]:
    """Problems of 8 steps whose errors are final (value 0), or seldom mended (.05, one in four)."""
    problems, searches = (12, 10) if quick else (60, 50)
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "problems.jsonl"
        questions = (planted_question(i, 42, VALUES[i % len(VALUES)]) for i in range(problems))
        rows = (json.dumps({"question": question, "answer": "42"}) for question in questions)
        given.write_text("".join(row + "\n" for row in rows))
        data: dict[str, Any] = {
            "name": "omega_planted",
            "run_dir": f"{folder}/run",
            "problems": {"path": str(given)},
            "completer": {"kind": "planted", "steps": 8},
            "policy": {"kind": "omega", "searches": searches},
            "runner": {"kind": "inline"},
        }
        return _row(parse(data, "omega_planted"), _planted_truth)


def live_row(quick: bool) -> dict[str, Any]:
    """The testbed's model through vLLM."""
    problems, searches = (3, 5) if quick else (20, 20)
    known = {p.id: p for p in testbed.load(Path("data/testbed/problems.jsonl"))}
    with tempfile.TemporaryDirectory() as folder:
        overrides = [
            f"run_dir={folder}/run", f"problems.limit={problems}", f"policy.searches={searches}",
            "runner.kind=inline",
        ]  # fmt: skip
        config = load("configs/omega.yaml", overrides)
        return _row(config, lambda task, s: judged(known[task.problem.id], s.text).errors)


def _planted_truth(task: Task, solution: Solution) -> FirstErrors:
    """The first step that states a dead value."""
    stated = (
        read_planted(Prefix(task.problem.question, step.text, 1))[1] for step in solution.steps
    )
    dead = next((k for k, value in enumerate(stated, 1) if value < 0.1), None)
    return FirstErrors(dead, dead)


def _row(config: RunConfig, truth: Truth) -> dict[str, Any]:
    """Do the run, and sum up its trees."""
    run(config)
    trees = list(_trees(config))
    branches = [(task, b) for task, tree in trees for b in tree.branches.values()]
    located = [(truth(task, b.solution), b.first_dead) for task, b in branches if b.first_dead]
    errors = [(true, at) for true, at in located if true.any is not None]
    states = [(true, at) for true, at in located if true.state is not None]
    rollouts = [
        g.rollout for _, tree in trees for s in tree.states.values() for g in s.reply.rollouts
    ]
    return {
        "policy": f"omega n={config.policy.n}",
        "problems": len(trees),
        "searches": len(branches),
        "located": len(located),
        "without_error": len(located) - len(errors),
        "accuracy": _share(sum(true.any == at for true, at in errors), len(errors)),
        "accuracy_state": _share(sum(true.state == at for true, at in states), len(states)),
        "rollouts_per_error": _share(len(rollouts), len(located)),
        "tokens_per_error": _share(sum(r.n_tokens for r in rollouts), len(located)),
        "rounds": _share(sum(len(tree.states) for _, tree in trees), len(trees)),
    }


def _trees(config: RunConfig) -> Iterator[tuple[Task, SearchTree]]:
    where = RunDir(config.root)
    for unit, entry in manifest.read(where).items():
        forest = Forest(RolloutLog(where, unit, entry.grader, config.hash), config, entry.completer)
        for task in tasks_of(config, where, unit):
            tree = forest.tree(task)
            if tree is not None:
                yield task, tree


def _share(part: float, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def main() -> None:
    """Print a row for each world that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--live", action="store_true", help="the testbed, too (starts vLLM)")
    arguments = parser.parse_args()
    rows = {"planted": planted_row(arguments.quick)}
    if arguments.live:
        rows["testbed"] = live_row(arguments.quick)
    for world, row in rows.items():
        print(world, *(f"{name}={value}" for name, value in row.items()))


if __name__ == "__main__":
    main()
