"""Search trees as views of the log: the same from the log as from the search, and as tables."""

import io
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from labeler import manifest
from labeler.apps.inspect import inspect
from labeler.apps.label import label
from labeler.apps.run import Summary, run
from labeler.config import ConfigError, RunConfig, load, parse
from labeler.files import RunDir, read_rows, write_table
from labeler.labels import Basis
from labeler.model import Ask, LabelerError, Prefix, Reply, Task
from labeler.policies import Omega
from labeler.policies.search_tree import SearchTree
from labeler.rollout_log import RolloutLog
from labeler.samplers import PlantedConfig
from labeler.samplers.planted import planted_question
from labeler.search import Search, replay
from labeler.trees import Forest
from tests.policies.oracles import bare_task, with_solutions
from tests.runs import doubles, label_rows, rollout_rows, write_config
from tests.worlds import new_log, run_search

WRITING = PlantedConfig(steps=5, truncated=0.1)
RIGHT = "Step 1, given. Value 0.6.\nStep 2. Value 1. The answer is 42."
GIVEN = "Step 1, given. Value 0.6.\nStep 2. Value 0.\nStep 3. Value 0. The answer is 7."


def config_of(policy: Omega, **labels: object) -> RunConfig:
    data: dict[str, Any] = {
        "name": "n", "problems": {"path": "p"}, "completer": {"kind": "planted"},
        "policy": policy.model_dump(), "labels": labels,
    }  # fmt: skip
    return parse(data, "test")


def seen(tree: SearchTree) -> tuple:
    """Everything about a tree that labels may rest on."""
    states = [
        (key, s.visits, s.steps, [(g.rollout.index, g.verdict.outcome) for g in s.reply.rollouts])
        for key, s in tree.states.items()
    ]
    return states, [(b.solution, b.state, b.first_dead) for b in tree.branches.values()]


def searched(policy: Omega, task: Task, log: RolloutLog, rounds: int = 10**6) -> SearchTree:
    """The tree of a live search, or of its first rounds."""
    kept: list[SearchTree] = []

    def search() -> Search:
        growing = policy.grow(task)
        asks = next(growing)
        for _ in range(rounds):
            replies = yield asks
            try:
                asks = growing.send(replies)
            except StopIteration as end:
                kept.append(end.value)
                return

    run_search(search(), log, task.problem, WRITING)
    return kept[0] if kept else SearchTree()


def completer_of(log: RolloutLog) -> str:
    return next(completer for completer, _ in log._rollouts)


@settings(max_examples=20)
@given(
    value=st.sampled_from([0.0, 0.3, 0.6, 0.9]), name=st.integers(0, 10**6), cut=st.integers(0, 12),
    given_too=st.booleans(),
)  # fmt: skip
def test_the_log_gives_the_tree_of_the_search_also_after_an_interruption(
    value: float, name: int, cut: int, given_too: bool
) -> None:
    policy = Omega(n=4, searches=6)
    task = bare_task(name, value)
    if given_too:
        task = with_solutions(task, GIVEN)
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        log = new_log(Path(a))
        tree = searched(policy, task, log)
        forest = Forest(log, config_of(policy), completer_of(log))
        assert seen(forest.tree(task) or SearchTree()) == seen(tree)

        searched(policy, task, half := new_log(Path(b)), cut)
        half._flush()
        resumed = new_log(Path(b))
        assert seen(searched(policy, task, resumed)) == seen(tree)
        assert resumed._rollouts.keys() >= log._rollouts.keys()
        again = Forest(resumed, config_of(policy), completer_of(resumed))
        assert again.rows(task) == forest.rows(task)
        assert again.grown(task) == forest.grown(task)


@settings(max_examples=20)
@given(value=st.sampled_from([0.3, 0.6, 0.9]), name=st.integers(0, 10**6))
def test_rows_of_states_and_pairs_say_what_the_log_holds(value: float, name: int) -> None:
    policy, task = Omega(n=6, searches=8), bare_task(name, value)
    with tempfile.TemporaryDirectory() as folder:
        log = new_log(Path(folder))
        tree = searched(policy, task, log)
        states, pairs = Forest(log, config_of(policy), completer_of(log)).rows(task)
        fewer, _ = Forest(log, config_of(policy, n=2), completer_of(log)).rows(task)
    assert [s.prefix_key for s in states] == list(tree.states)
    assert sum(s.visits for s in states) == len(tree.branches)
    for row in states:
        reply = tree.states[row.prefix_key].reply
        assert (row.n, row.correct) == (reply.graded, reply.correct)
        assert row.hard == (reply.correct > 0)
    assert [s.prefix_key for s in fewer] == list(tree.states)
    assert all(s.n == 2 for s in fewer)
    valued = {s.steps: s for s in states}
    for pair in pairs:
        better, worse = pair.preferred_value, pair.rejected_value
        assert pair.preferred != pair.rejected
        assert worse.soft is not None
        if pair.basis is Basis.INFERRED:
            assert (better.n, worse.correct) == (0, 0)
        else:
            assert better.soft is not None
            assert better.soft - worse.soft >= 0.5 or (better.correct and not worse.correct)
        for text, value_of in ((pair.preferred, better), (pair.rejected, worse)):
            if value_of.n > 1:
                state = valued[*pair.steps, text]
                assert (value_of.n, value_of.correct) == (state.n, state.correct)
            elif value_of.n:
                assert value_of.correct == ("The answer is 42." in text)


def write_run(folder: Path, count: int = 6, solutions: int = 0, **changes: object) -> Path:
    """The config of an inline run of omega over planted problems, most without a solution."""
    rows = []
    for i in range(count):
        row: dict[str, Any] = {
            "id": f"p{i}", "question": planted_question(i, 42, 0.5 + i % 3 / 10), "answer": "42",
        }  # fmt: skip
        rows.append(row | ({"solutions": [GIVEN, RIGHT]} if i < solutions else {}))
    problems = folder / "problems.jsonl"
    problems.write_text("".join(json.dumps(row) + "\n" for row in rows))
    data = {
        "name": "trees", "run_dir": str(folder / "run"), "problems": {"path": str(problems)},
        "completer": {"kind": "planted", "steps": 5}, "policy": {"kind": "omega", "searches": 4},
        "runner": {"kind": "inline"}, "unit_size": 3,
    }  # fmt: skip
    return write_config(folder / "config.yaml", data | changes)


def table(root: Path, name: str) -> list[dict[str, Any]]:
    return ds.dataset(root / name).to_table().to_pylist() if (root / name).exists() else []


def everything(root: Path) -> list[list[dict[str, Any]]]:
    return [table(root, name) for name in ("labels", "states", "pairs")]


def done(config: Path, *overrides: str) -> Summary:
    return run(load(config, overrides))


def test_problems_without_solutions_are_searched_and_rows_add_up(tmp_path: Path) -> None:
    summary = done(write_run(tmp_path, solutions=2))
    root, facts = tmp_path / "run", summary.facts
    labels, states, pairs = everything(root)
    assert facts.quarantined == {}
    assert facts.trees is not None
    assert (facts.rows_in, facts.trees.bare, facts.failed) == (8, 4, 0)
    assert facts.trees.branches == len(labels) - 4
    assert (facts.trees.states, facts.trees.pairs) == (len(states), len(pairs))
    assert {row["problem_id"] for row in states} == {f"p{i}" for i in range(6)}
    assert states
    assert pairs
    for row in labels:
        text = "\n".join(row["steps"])
        is_given = text in (GIVEN, RIGHT)
        assert row["is_correct"] == (text == RIGHT)
        assert row["generator"] == ("" if is_given else states[0]["completer"])
    entries = manifest.read(RunDir(root)).values()
    assert {name for e in entries for name in e.parts.values()} == {
        path.name for path in (root / "staged").iterdir()
    }
    assert sum(e.bare for e in entries) == 4


def test_labels_states_and_pairs_are_rewritten_from_the_log(tmp_path: Path) -> None:
    done(write_run(tmp_path, solutions=1))
    root = tmp_path / "run"
    before, rollouts = everything(root), rollout_rows(root)
    for folder in ("labels", "states", "pairs", "staged"):
        shutil.rmtree(root / folder)
    label(root, [])
    assert everything(root) == before
    label(root, [], regrade=True)
    assert everything(root) == before
    label(root, ["labels.pair_margin=1", "labels.n=4"])
    labels, states, pairs = everything(root)
    assert [row["prefix_key"] for row in states] == [row["prefix_key"] for row in before[1]]
    assert {row["n"] for row in states} == {4}
    assert [row["solution_id"] for row in labels] == [row["solution_id"] for row in before[0]]
    assert all(p["rejected_value"]["correct"] == 0 for p in pairs)
    assert rollout_rows(root) == rollouts
    assert doubles(root) == 0


def test_a_search_goes_on_where_it_stopped_and_may_be_extended(tmp_path: Path) -> None:
    config = write_run(tmp_path, solutions=1)
    done(config, "policy.searches=2")
    root = tmp_path / "run"
    held = rollout_rows(root)
    summary = done(config)
    assert summary.counters.rollouts == len(rollout_rows(root)) - len(held)
    assert done(config).counters.rollouts == 0
    done(config, f"run_dir={tmp_path / 'at once'}")
    assert everything(root) == everything(tmp_path / "at once")


def test_another_policy_takes_the_trees_away_again(tmp_path: Path) -> None:
    config = write_run(tmp_path, solutions=6)
    done(config)
    root = tmp_path / "run"
    assert (root / "states").exists()
    summary = done(config, "policy={kind: bisection}")
    assert summary.facts.trees is None
    assert not (root / "states").exists()
    assert not (root / "pairs").exists()
    assert len(label_rows(root)) == 12


def test_a_pool_of_verdicts_is_refused(tmp_path: Path) -> None:
    pool = tmp_path / "pool.parquet"
    rows = [{"answer": "42", "completer": "c", "prefixes": []}]
    write_table(pool, pa.Table.from_pylist(rows), "")
    config = write_run(tmp_path)
    with pytest.raises(ConfigError, match="verdicts only"):
        done(config, f"completer={{kind: recorded, path: {pool}}}")
    (tmp_path / "text.parquet").write_text("no table")
    with pytest.raises(LabelerError, match="does not hold rollouts"):
        done(config, f"completer={{kind: recorded, path: {tmp_path / 'text.parquet'}}}")


def test_a_recorded_run_grows_the_same_trees(tmp_path: Path) -> None:
    config = write_run(tmp_path, solutions=1)
    done(config)
    root, again = tmp_path / "run", tmp_path / "again"
    done(config, f"completer={{kind: recorded, path: {root}}}", f"run_dir={again}")
    assert everything(again) == everything(root)


def test_the_tables_say_what_they_are(tmp_path: Path) -> None:
    done(write_run(tmp_path))
    root = tmp_path / "run"
    for name in ("states", "pairs"):
        assert list(read_rows(sorted((root / name).glob("*.parquet")))) == table(root, name)
    card = (root / "README.md").read_text()
    for said in ("states/*.parquet", "pairs/*.parquet", "| searched, without a solution of their"):
        assert said in card


def test_a_branch_is_shown_with_its_rollouts(tmp_path: Path) -> None:
    done(write_run(tmp_path))
    [row, *_] = table(tmp_path / "run", "labels")
    out = io.StringIO()
    inspect(tmp_path / "run", row["solution_id"], 1, 2, Console(file=out, width=200))
    shown = out.getvalue()
    assert shown.startswith(f"solution {row['solution_id']}")
    rolled_out = 1 + sum(step["n"] > 0 for step in row["labels"][:-1])
    assert (shown.count("#0 "), shown.count("#1 ")) == (rolled_out, rolled_out)


def test_a_tree_of_an_empty_log_is_its_bare_question() -> None:
    task = bare_task()
    tree = replay(Omega().grow(task), lambda ask: Reply(ask, ()))
    assert (len(tree.states), tree.branches) == (1, {})
    with tempfile.TemporaryDirectory() as folder:
        forest = Forest(new_log(Path(folder)), config_of(Omega()), "nobody")
        assert forest.rows(task) == ([], [])
        assert forest.asks(task) == [Ask(Prefix(task.problem.question, "", 0), 8)]
