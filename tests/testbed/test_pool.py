"""The pool holds what the log of its run holds, and a run that replays it gives the same labels."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from labeler.apps.run import run
from labeler.config import RunConfig, parse
from labeler.files import ROLLOUTS, RunDir, parts, read_rows, write_table
from labeler.model import LabelerError, Prefix
from labeler.prompts import PromptConfig
from labeler.testbed import pool
from labeler.testbed.problems import HELD, Problem, draw
from labeler.testbed.truth import split
from tests.runs import label_rows

N = 5
PROBLEMS = [draw(HELD, 0, i) for i in range(3)]


def wrong(problem: Problem) -> str:
    """The gold solution with a wrong end."""
    return "\n".join([*split(problem.solution)[:-1], f"The answer is {int(problem.answer) + 1}."])


def completion(problem: Problem, step: int, index: int) -> str:
    """Right, wrong, or (once) beyond any grader."""
    if (step, index) == (1, 2):
        return "The answer is 1 2."
    return problem.solution if (step + index) % 3 == 0 else wrong(problem)


def rows(problem: Problem) -> list[dict[str, object]]:
    """Rollouts of each prefix of the gold solution, more than are asked for."""
    steps, made = split(problem.solution), []
    for step in range(len(steps)):
        text = "".join(line + "\n" for line in steps[:step])
        prefix = Prefix(problem.question, text, step, PromptConfig().digest)
        made += [
            {"prefix_key": prefix.key, "problem_id": problem.id, "step": step, "index": index,
             "completer": "abc", "seed": None, "text": completion(problem, step, index),
             "finish": "stop", "n_tokens": 7 * step + index, "prompt_tokens": 40 + step,
             "created_at": 0.0}
            for index in range(2 * N)
        ]  # fmt: skip
    return made


def config_of(folder: Path, problems: Path, path: Path) -> RunConfig:
    return parse(
        {
            "name": "pool",
            "run_dir": str(folder),
            "problems": {"path": str(problems)},
            "completer": {"kind": "recorded", "path": str(path)},
            "policy": {"kind": "exhaustive", "n": N},
            "runner": {"kind": "inline"},
        },
        "test",
    )


@pytest.fixture
def recorded(tmp_path: Path) -> tuple[RunConfig, Path]:
    """A finished run over testbed problems, and their file."""
    given, programs = tmp_path / "given.jsonl", tmp_path / "problems.jsonl"
    programs.write_text("".join(json.dumps(p.to_json()) + "\n" for p in PROBLEMS))
    given.write_text(
        "".join(
            json.dumps({"id": p.id, "question": p.question, "answer": p.answer,
                        "solutions": [p.solution, wrong(p)]}) + "\n"
            for p in PROBLEMS
        )
    )  # fmt: skip
    rollouts = [row for problem in PROBLEMS for row in rows(problem)]
    table = pa.Table.from_pylist(rollouts, ROLLOUTS)
    write_table(tmp_path / "source/rollouts/0000.parquet", table, "")
    config = config_of(tmp_path / "run", given, tmp_path / "source")
    run(config)
    return config, programs


def test_verdicts_and_tokens_are_those_of_the_log(
    recorded: tuple[RunConfig, Path], tmp_path: Path
) -> None:
    config, programs = recorded
    file = tmp_path / "pool.parquet"
    write_table(file, pool.pack(config, programs), config.hash)
    loaded = pool.load(file)
    log = RunDir(config.root)
    (grader,) = (log.root / "verdicts").iterdir()
    said = {(r["prefix_key"], r["index"]): r for r in read_rows(parts(grader))}
    rolled = {(r["prefix_key"], r["index"]): r for r in read_rows(parts(log.rollouts))}
    outcomes = {True: "correct", False: "incorrect", None: "ungradable"}
    seen = 0
    for problem in loaded:
        for key, held in problem.rollouts.items():
            for index, (correct, n) in enumerate(zip(held.correct, held.n_tokens, strict=True)):
                assert said[key, index]["verdict"] == outcomes[correct]
                assert rolled[key, index]["n_tokens"] == n
                seen += 1
    assert seen == len(rolled)
    for problem in loaded:
        task = problem.task
        right, false = task.solutions
        assert task.right == {right.id}
        assert problem.truths[right.id].state is None
        assert problem.truths[false.id].state == len(false.steps)
        keys = {task.prefix(s, k).key for s in task.solutions for k in range(len(s.steps))}
        assert keys == set(problem.rollouts)
    assert pool.describe(loaded)["of them ungradable"] == "3"


def test_a_run_that_replays_the_pool_gives_the_same_labels(
    recorded: tuple[RunConfig, Path], tmp_path: Path
) -> None:
    config, programs = recorded
    file = tmp_path / "pool.parquet"
    write_table(file, pool.pack(config, programs), config.hash)
    run(config_of(tmp_path / "again", file, file))

    def without_origin(root: Path) -> list[dict[str, object]]:
        return [{k: v for k, v in row.items() if k != "source"} for row in label_rows(root)]

    assert without_origin(tmp_path / "again") == without_origin(config.root)


def test_a_pool_of_too_few_rollouts_is_refused(recorded: tuple[RunConfig, Path]) -> None:
    config, programs = recorded
    more = config.model_copy(update={"policy": config.policy.model_copy(update={"n": N + 1})})
    with pytest.raises(LabelerError, match=f"the pool needs {N + 1} of every prefix"):
        pool.pack(more, programs)
