"""Kill -9 at any point, then the same command: nothing lost, nothing doubled, nothing left over.

With a recorded pool the labels must equal those of a run that nobody disturbed, exactly.
"""

import itertools
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from labeler.files import FileError
from tests.processes import Command, finished, labeler, until
from tests.runs import (
    doubles,
    label_rows,
    planted_config,
    rollout_rows,
    write_config,
)

KILLS = 20
SLOWER = "completer.delay_ms=400"  # a run that is to be found at work, however loaded the machine


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with problems.jsonl and run/: rollouts of every prefix, to be replayed."""
    folder = tmp_path_factory.mktemp("pool")
    code, output = finished("run", planted_config(folder, count=16))
    assert code == 0, output
    return folder


@pytest.fixture(scope="module")
def undisturbed(pool: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The labels of a replay that nobody disturbed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    code, output = finished("run", recorded_config(pool, folder))
    assert code == 0, output
    return label_rows(folder / "run")


def recorded_config(pool: Path, folder: Path, **changes: object) -> Path:
    """A slow replay of the pool, so that there is time to kill it."""
    data = {
        "name": "recorded",
        "run_dir": str(folder / "run"),
        "problems": {"path": str(pool / "problems.jsonl")},
        "completer": {"kind": "recorded", "path": str(pool / "run"), "delay_ms": 60},
        "policy": {"kind": "scan", "n": 4, "early_stop": True},
        "runner": {"kind": "inline"},
        "unit_size": 2,
        "flush_seconds": 0.05,
    }
    return write_config(folder / "config.yaml", data | changes)


def flushed(root: Path) -> dict[tuple[str, str, int], dict[str, Any]]:
    """What is on disk of a run that may be in the middle of anything."""
    return rollout_rows(root) if (root / "rollouts").exists() else {}


def test_the_driver_killed_at_seeded_points(
    pool: Path, undisturbed: list[dict[str, Any]], tmp_path: Path
) -> None:
    rng = random.Random(20)
    killed, attempts = 0, itertools.count()  # an attempt may end before its first kill
    while killed < KILLS:
        folder = tmp_path / str(next(attempts))
        folder.mkdir()
        config, root = recorded_config(pool, folder), folder / "run"
        for _ in range(5):  # up to five kills in a row, then let it finish
            before = flushed(root)
            with labeler("run", config) as command:
                if rng.random() < 0.7:  # in the middle of sampling, else wherever it is
                    _log_grows(command, root)
                time.sleep(rng.uniform(0.0, 0.8))
                alive = command.process.poll() is None
                command.kill(command.process.pid)
                assert command.is_gone()
            assert before.items() <= flushed(root).items()
            killed += alive
            if not alive:
                break
        kept = flushed(root)
        code, output = finished("run", config)
        assert code == 0, output
        assert label_rows(root) == undisturbed
        assert kept.items() <= rollout_rows(root).items()
        assert doubles(root) == 0
        assert not list(root.rglob("*.tmp"))


def test_grading_workers_killed_while_it_runs(pool: Path, tmp_path: Path) -> None:
    config, root = recorded_config(pool, tmp_path), tmp_path / "run"
    rng = random.Random(7)
    with labeler("run", config) as command:
        for _ in range(2):
            until(lambda: command.pids("labeler.grading.worker") or command.process.poll() == 0)
            time.sleep(rng.uniform(0, 0.5))
            for pid in command.pids("labeler.grading.worker"):
                command.kill(pid)
        code, output = command.wait()
        assert command.is_gone()
    assert code == 0, output
    ungradable = [row for row in label_rows(root) if row["is_correct"] is None]
    assert len(label_rows(root)) == 32, "every row is accounted for"
    assert len(ungradable) <= 16, "only answers that need a worker can suffer"
    assert doubles(root) == 0


def test_ctrl_c_flushes_and_says_how_to_go_on(
    pool: Path, undisturbed: list[dict[str, Any]], tmp_path: Path
) -> None:
    config, root = recorded_config(pool, tmp_path, flush_seconds=3600), tmp_path / "run"
    with labeler("run", config, SLOWER) as command:
        until(lambda: list(root.glob("manifest/*.json")))
        command.process.send_signal(signal.SIGINT)
        code, output = command.wait()
        assert command.is_gone()
    assert code == 130
    assert f"labeler run {config} {SLOWER}" in output
    assert label_rows(root), "committed units are published"
    kept = rollout_rows(root)
    code, output = finished("run", config)
    assert code == 0, output
    assert label_rows(root) == undisturbed
    assert kept.items() <= rollout_rows(root).items()


def test_a_second_run_in_the_same_directory_is_refused(pool: Path, tmp_path: Path) -> None:
    from labeler import lock

    config, root = recorded_config(pool, tmp_path), tmp_path / "run"
    with (
        lock.alone(root),
        pytest.raises(lock.RunLockedError, match="another labeler run"),
        lock.alone(root, patience=0.5),
    ):
        raise AssertionError("two drivers in one directory")
    code, _ = finished("run", config)
    assert code == 0


def test_a_torn_part_is_named_and_nothing_committed_is_lost(
    pool: Path, undisturbed: list[dict[str, Any]], tmp_path: Path
) -> None:
    config, root = recorded_config(pool, tmp_path), tmp_path / "run"
    assert finished("run", config)[0] == 0
    part = sorted((root / "rollouts").glob("*.parquet"))[0]
    part.write_bytes(part.read_bytes()[:-30])
    unit = root / "manifest" / f"{part.stem}.json"
    unit.unlink()
    code, output = finished("run", config)
    assert code == 1
    assert part.name in output
    assert "Traceback" not in output
    with pytest.raises(FileError):
        rollout_rows(root)
    part.unlink()  # as the message says
    assert finished("run", config)[0] == 0
    assert label_rows(root) == undisturbed


def test_a_full_disk_is_said_and_nothing_committed_is_lost(tmp_path: Path) -> None:
    changes = {"policy": {"kind": "exhaustive", "n": 64}, "unit_size": 40, "flush_seconds": 0.05}
    config, root = planted_config(tmp_path, count=40, **changes), tmp_path / "run"
    code, output = finished("run", config, most_bytes=40_000)
    assert code == 1, output
    assert "the disk is full" in output
    assert "Traceback" not in output
    assert not list(root.rglob("*.tmp"))
    kept = rollout_rows(root)
    assert finished("run", config)[0] == 0
    assert kept.items() <= rollout_rows(root).items()
    whole = tmp_path / "whole"
    assert finished("run", config, f"run_dir={whole}")[0] == 0
    assert label_rows(root) == label_rows(whole)


@pytest.mark.cluster
def test_engine_actors_and_driver_killed_on_ray(
    pool: Path, undisturbed: list[dict[str, Any]], tmp_path: Path
) -> None:
    config = recorded_config(
        pool, tmp_path, runner={"kind": "ray", "actors": 1, "cpus": 1}, flush_seconds=0.1
    )
    root, rng = tmp_path / "run", random.Random(5)
    with labeler("run", config, SLOWER) as command:
        for _ in range(3):
            victim = _actor_at_work(command, root)
            time.sleep(rng.uniform(0, 0.3))
            command.kill(victim)
        until(lambda: list(root.glob("manifest/*.json")))
        kept = flushed(root)
        command.kill(command.process.pid)
        assert command.is_gone(patience=120), command.pids()
    code, output = finished("run", config)
    assert code == 0, output
    assert label_rows(root) == undisturbed
    assert kept.items() <= rollout_rows(root).items()
    assert doubles(root) == 0


@pytest.mark.cluster
def test_ctrl_c_on_ray(pool: Path, undisturbed: list[dict[str, Any]], tmp_path: Path) -> None:
    config = recorded_config(pool, tmp_path, runner={"kind": "ray"}, flush_seconds=3600)
    root = tmp_path / "run"
    with labeler("run", config, SLOWER) as command:
        until(lambda: list(root.glob("manifest/*.json")))
        command.process.send_signal(signal.SIGINT)
        code, output = command.wait()
        assert command.is_gone()
    assert code == 130
    assert f"labeler run {config} {SLOWER}" in output
    assert finished("run", config)[0] == 0
    assert label_rows(root) == undisturbed


def _log_grows(command: Command, root: Path) -> None:
    """Wait until a command has added to the log, or is over."""
    seen = {*root.glob("rollouts/*.parquet")}
    until(lambda: {*root.glob("rollouts/*.parquet")} - seen or command.process.poll() is not None)


def _actor_at_work(command: Command, root: Path) -> int:
    """The process of the engine actor, once it has added to the log."""
    _log_grows(command, root)
    assert command.process.poll() is None, command.wait()
    return command.pids("CompleterActor")[0]
