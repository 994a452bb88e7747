"""A plan against what a run then really samples."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from labeler.apps.costing import Plan
from labeler.apps.pilot import PilotError
from labeler.apps.plan import plan
from labeler.apps.run import Watcher, run
from labeler.apps.unwritten import STEPS
from labeler.config import ConfigError, RunConfig
from labeler.policies import Exhaustive, Policy, Scan
from tests.apps.plans import POLICIES, config_of, really_every_policy
from tests.planted_worlds import planted_task


def write_problems(path: Path, count: int, *, solutions: bool = True) -> None:
    rows = []
    for i in range(count):
        steps = 3 + i % 4
        values = [[0.6] * steps, [0.6, *[0.0] * (steps - 1)]]
        task = planted_task(values, 0.6, name=i)
        row = {
            "id": task.problem.id,
            "question": task.problem.question,
            "gold": task.problem.gold,
        }
        rows.append(row | ({"solutions": [s.text for s in task.solutions]} if solutions else {}))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def file_config(folder: Path, policy: Policy = POLICIES[0], **changes: object) -> RunConfig:
    problems = {"path": str(folder / "in.jsonl"), **changes.pop("problems", {})}
    return config_of(policy, problems=problems, run_dir=str(folder / "run"), **changes)


def planned(config: RunConfig, pilot: Path | None = None) -> tuple[Plan, str]:
    out = io.StringIO()
    made = plan(config, pilot, Console(file=out, width=80))
    return made, out.getvalue()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("policy", [Exhaustive(n=4), Exhaustive(n=1)], ids=repr)
def test_a_run_samples_what_was_planned(tmp_path: Path, policy: Policy) -> None:
    write_problems(tmp_path / "in.jsonl", 6)
    config = file_config(tmp_path, policy)
    made, shown = planned(config)
    assert not config.root.exists()
    summary = run(config, Watcher())
    assert made.left == summary.counters.rollouts
    assert f"{made.rollouts:,.0f}" in shown


@really_every_policy
def test_nothing_is_left_after_the_run(tmp_path: Path, policy: Policy) -> None:
    write_problems(tmp_path / "in.jsonl", 6)
    config = file_config(tmp_path, policy)
    summary = run(config, Watcher())
    before = contents(config.root)
    made, shown = planned(config)
    assert made.left == 0
    assert made.held == made.rollouts == summary.counters.rollouts
    assert "Nothing is left to sample" in shown
    assert contents(config.root) == before


def test_only_the_difference_is_planned(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", 6)
    run(file_config(tmp_path, problems={"limit": 3}), Watcher())
    more = file_config(tmp_path, Exhaustive(n=5))
    made, _ = planned(more)
    assert made.left == made.rollouts - made.held > 0
    assert made.pilot is not None
    assert run(more, Watcher()).counters.rollouts == made.left


def test_another_configurations_directory_is_left_out(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", 3)
    run(file_config(tmp_path), Watcher())
    made, shown = planned(file_config(tmp_path, seed=7))
    assert made.held == 0
    assert "another configuration" in shown


def test_a_pilot_measures(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", 6)
    pilot = file_config(tmp_path, Exhaustive(n=16))
    run(pilot, Watcher())
    made, shown = planned(file_config(tmp_path, Scan(n=4), name="other", seed=1), pilot.root)
    assert made.pilot is not None
    assert "measured" in shown
    assert made.pilot.rates.alive == pytest.approx(0.6, abs=0.12)
    assert made.pilot.rates.dead == pytest.approx(0.0, abs=0.05)
    assert made.pilot.right == 0.5
    assert sorted(made.pilot.steps) == sorted(2 * [3, 4, 5, 6, 3, 4])
    assert made.pilot.tokens_at(0, 4) == pytest.approx(4, abs=0.5)  # "The answer is 423."
    assert not made.pilot.differs


def test_a_pilot_of_another_completer_is_told(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", 3)
    run(file_config(tmp_path), Watcher())
    other = file_config(
        tmp_path, completer={"kind": "planted", "truncated": 0.2}, name="other"
    ).model_copy(update={"run_dir": str(tmp_path / "other")})
    made, shown = planned(other, tmp_path / "run")
    assert made.pilot is not None
    assert made.pilot.differs == ("completer",)
    assert "another completer" in " ".join(shown.split())


def test_what_is_no_pilot(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", 1)
    with pytest.raises(ConfigError, match="not a run"):
        planned(file_config(tmp_path), tmp_path)
    config = file_config(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "config.json").write_text(
        json.dumps({"config": config.model_dump(mode="json")})
    )
    with pytest.raises(PilotError, match="no rollouts"):
        planned(config, tmp_path / "empty")


def test_solutions_to_generate_are_assumed_then_known(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", 5, solutions=False)
    config = file_config(tmp_path, generator={"per_problem": 3})
    made, shown = planned(config)
    assert made.blank == made.solutions == 15
    assert made.steps == 15 * STEPS
    assert made.prefixes == 5 * (1 + 3 * (STEPS - 1))
    assert "assumed" in shown
    summary = run(config, Watcher())
    after, _ = planned(config)
    assert after.blank == after.left == 0
    assert after.held == summary.counters.rollouts - 15
    raised, _ = planned(file_config(tmp_path, generator={"per_problem": 5}))
    assert raised.blank == 10
    assert raised.left > 0


def test_refused_rows_are_counted(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", 2)
    with (tmp_path / "in.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"question": "without a gold"}\nno json\n')
        file.write('{"question": "without a solution", "gold": "4"}\n')
    made, shown = planned(file_config(tmp_path))
    assert made.rejected == 3
    assert made.problems == 2
    assert "to quarantine" in shown


@really_every_policy
def test_the_output_fits_and_is_plain(tmp_path: Path, policy: Policy) -> None:
    write_problems(tmp_path / "in.jsonl", 4)
    _, shown = planned(file_config(tmp_path, policy))
    assert max(map(len, shown.splitlines())) <= 80
    assert "\x1b" not in shown
    for word in ("problems", "rollouts", "completion tokens", "engine-hours", "counted"):
        assert word in shown
