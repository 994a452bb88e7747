"""Runs with further completers: what is sampled, what the labels hold, and kills in the middle."""

import json
import random
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from labeler import manifest
from labeler.apps.label import label
from labeler.apps.run import run
from labeler.config import ConfigError, load
from labeler.files import RunDir
from labeler.grading import AnswerGrader
from tests.apps.old_runs import OLD, age, first_two
from tests.processes import finished, labeler, until
from tests.prover_runs import CUT, SAME, columns
from tests.runs import doubles, label_rows, planted_config, rollout_rows, write_config


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with two further completers."""
    folder = tmp_path_factory.mktemp("provers")
    run(load(planted_config(folder, completers=[CUT, SAME], labels={"best_of": [1, 4]})))
    return folder


@pytest.fixture
def folder(shared: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(shared, tmp_path / "copy")
    return tmp_path / "copy"


def test_each_completer_has_its_own_rollouts(shared: Path) -> None:
    rollouts = rollout_rows(shared / "run")
    by_completer: dict[str, set[tuple[str, int]]] = {}
    for completer, key, index in rollouts:
        by_completer.setdefault(completer, set()).add((key, index))
    entry = next(iter(manifest.read(RunDir(shared / "run")).values()))
    cut, same = entry.provers
    assert same.completer == entry.completer != cut.completer
    assert set(by_completer) == {entry.completer, cut.completer}
    keys = {key for key, _ in by_completer[entry.completer]}
    assert by_completer[entry.completer] == {(key, i) for key in keys for i in range(4)}
    assert by_completer[cut.completer] == {(key, i) for key in keys for i in range(6)}


def test_progress_telescopes_in_the_table(shared: Path) -> None:
    rows = label_rows(shared / "run")
    assert len(rows) == 24
    for row in rows:
        for name in ("best_of_4", "cut", "cut/best_of_4", "same", "same/best_of_1"):
            start, *steps = columns(row, name)
            total = sum(step["progress"] for step in steps)
            assert total == pytest.approx(float(row["is_correct"]) - start["soft"])
        for own, same in zip(row["labels"], columns(row, "same")[1:], strict=True):
            assert {k: v for k, v in same.items() if k != "prover"} == {
                k: own[k] for k in same if k != "prover"
            }
        assert {p["n"] for p in columns(row, "cut")[:-1]} == {6}
    truncated = sum(p["truncated"] for row in rows for p in columns(row, "cut"))
    assert 0.2 < truncated / (6 * 96) < 0.4


def test_a_further_completer_is_no_other_run(tmp_path: Path) -> None:
    first = run(load(planted_config(tmp_path)))
    before = rollout_rows(tmp_path / "run")
    alone = label_rows(tmp_path / "run")
    added = run(load(planted_config(tmp_path, completers=[CUT])))
    after = rollout_rows(tmp_path / "run")
    assert before.items() <= after.items()
    config, added_to = (
        load(tmp_path / "config.yaml", [f"completers={c}"]) for c in ("[]", json.dumps([CUT]))
    )
    assert config.hash == added_to.hash
    [name] = {place[0] for place in after} - {place[0] for place in before}
    assert added.counters.rollouts == sum(place[0] == name for place in after)
    assert added.counters.rollouts == first.counters.rollouts // 4 * 6
    for row, was in zip(label_rows(tmp_path / "run"), alone, strict=True):
        for step in row["labels"]:
            [prover] = step.pop("provers")
            assert prover["prover"] == "cut"
        assert [p["prover"] for p in row.pop("provers_0")] == ["cut"]
        without = [{k: v for k, v in s.items() if k != "provers"} for s in was["labels"]]
        assert row == {k: v for k, v in was.items() if k != "provers_0"} | {"labels": without}
    more = run(load(planted_config(tmp_path, completers=[CUT | {"n": 8}])))
    assert more.counters.rollouts == first.counters.rollouts // 4 * 2
    gone = run(load(planted_config(tmp_path)))
    assert gone.counters.rollouts == 0
    assert label_rows(tmp_path / "run") == alone
    assert run(load(planted_config(tmp_path))).counters.replayed == 0


def test_labels_are_rewritten_without_a_model(folder: Path) -> None:
    root = folder / "run"
    before = label_rows(root)
    overrides = ["labels.best_of=[2]", "labels.n=2", "labels.weighted=true", "labels.neutral=0.9"]
    counts = label(root, overrides).counts
    rated = Counter(step["rating"] for row in label_rows(root) for step in row["labels"])
    assert rated[0]
    assert counts.ratings == {"undecided" if r is None else str(r): n for r, n in rated.items()}
    for row in label_rows(root):
        names = [p["prover"] for p in row["provers_0"]]
        assert names == ["best_of_2", "cut", "cut/best_of_2", "same", "same/best_of_2"]
        assert {p["n"] for name in names for p in columns(row, name)[:-1]} == {2}
        for step in row["labels"]:
            assert (step["rating"] is None) == (step["target"] is None)
        assert all(0 <= step["weighted"] <= 1 for step in row["labels"])
    assert not label(root, ["labels.best_of=[1,4]"]).counts.ratings
    assert label_rows(root) == before


def test_a_value_model_gives_a_prover_its_posterior(folder: Path) -> None:
    config = folder / "config.yaml"
    values = folder / "values.yaml"
    values.write_text("value_model: {hazard: 0.2}\n")
    for told in ({"hazard": 0.2}, str(values)):
        prover = json.dumps([CUT | {"value_model": told}])
        done = run(load(config, [f"run_dir={folder / 'run'}", f"completers={prover}"]))
        assert done.counters.rollouts == 0
        for row in label_rows(folder / "run"):
            for step in columns(row, "cut"):
                assert step["credible_low"] <= step["soft_posterior"] <= step["credible_high"]
    assert "cut" in (folder / "run" / "README.md").read_text()


def test_verdicts_on_a_provers_rollouts_are_given_anew_or_refused(folder: Path) -> None:
    root = folder / "run"
    labels = label_rows(root)
    cut = next(iter(manifest.read(RunDir(root)).values())).provers[0].completer
    age(root, lambda row: first_two(row) if row["completer"] == cut else row)
    with pytest.raises(ConfigError, match="--grader"):
        label(root, ["labels.weighted=true"])
    label(root, ["labels.n=2"])
    assert {entry.grader for entry in manifest.read(RunDir(root)).values()} == {OLD}
    label(root, [], regrade=True)
    assert label_rows(root) == labels
    age(
        root,
        lambda row: first_two(row) if row["completer"] == cut else row,
        grader=AnswerGrader().version,
    )
    label(root, ["labels.n=2"])
    label(root, [])
    assert label_rows(root) == labels


def test_best_of_is_null_under_an_early_stopping_policy(tmp_path: Path) -> None:
    config = planted_config(
        tmp_path,
        policy={"kind": "scan", "n": 4, "early_stop": True},
        completers=[CUT],
        labels={"best_of": [1]},
    )
    done = run(load(config))
    rows = label_rows(tmp_path / "run")
    assert f"no values in {len(rows)} of {len(rows)} solutions" in done.facts.provers["best_of_1"]
    assert "no values" not in done.facts.provers["cut/best_of_1"]
    for row in rows:
        assert {p["soft"] for p in columns(row, "best_of_1")[:-1]} == {None}
        assert None not in [p["soft"] for p in columns(row, "cut/best_of_1")]


def test_the_branches_of_a_tree_have_provers_too(tmp_path: Path) -> None:
    config = planted_config(
        tmp_path,
        count=4,
        completer={"kind": "planted", "steps": 5},
        completers=[CUT],
        policy={"kind": "omega", "n": 4, "searches": 4},
        labels={"rule": "first_zero"},
    )
    done = run(load(config))
    assert done.facts.trees is not None
    assert done.facts.trees.branches > 0
    for row in label_rows(tmp_path / "run"):
        assert {p["n"] for p in columns(row, "cut")[:-1]} == {6}


def test_prefixes_that_a_prover_cannot_roll_out_are_told_and_tried_again(tmp_path: Path) -> None:
    pool = tmp_path / "pool"
    pool.mkdir()
    run(load(planted_config(pool, completer=CUT["completer"])))
    short = {"kind": "recorded", "path": str(pool / "run")}
    told = run(load(planted_config(tmp_path, completers=[CUT | {"completer": short}])))
    assert told.given_up
    assert all(key.startswith("prover/") for key in told.given_up)
    for row in label_rows(tmp_path / "run"):
        assert [failure["step"] for failure in row["failures"]] == [*range(len(row["steps"]))]
        assert all(
            failure["cause"].startswith("cut: the recorded pool has no rollout")
            for failure in row["failures"]
        )
        assert {p["n"] for p in columns(row, "cut")[:-1]} == {4}
        assert {step["n"] for step in row["labels"][:-1]} <= {4}
    again = run(load(planted_config(tmp_path, completers=[CUT | {"completer": short, "n": 4}])))
    assert not again.given_up
    assert again.counters.rollouts == 0


def test_another_model_behind_one_name_is_refused(tmp_path: Path) -> None:
    """A recorded prover whose pool is another one now, in a run that is extended."""
    pool = tmp_path / "pool"
    pool.mkdir()
    run(load(planted_config(pool, count=12)))
    own = {"kind": "planted", "sampling": {"max_tokens": 100}}
    prover = {"name": "told", "completer": {"kind": "recorded", "path": str(pool / "run")}}
    half = planted_config(tmp_path, completer=own, completers=[prover | {"n": 4}])
    run(load(half, ["problems.limit=6"]))
    shutil.rmtree(pool)
    pool.mkdir()
    run(load(planted_config(pool, count=12, completer={"kind": "planted", "truncated": 0.5})))
    with pytest.raises(ConfigError, match="told was another model in this run"):
        run(load(half))


KILLS = 3


def test_a_run_killed_at_seeded_points_equals_one_that_was_not(tmp_path: Path) -> None:
    """Both completers are replayed, slowly, from the log of a planted run of both."""
    pool = tmp_path / "pool"
    pool.mkdir()
    run(load(planted_config(pool, completers=[CUT])))
    entry = next(iter(manifest.read(RunDir(pool / "run")).values()))

    def replayed(name: str) -> Path:
        (tmp_path / name).mkdir(exist_ok=True)
        source = {"kind": "recorded", "path": str(pool / "run"), "delay_ms": 25}
        prover = {"name": "cut", "n": 6}
        prover["completer"] = source | {"completer": entry.provers[0].completer}
        return write_config(
            tmp_path / name / "config.yaml",
            {
                "name": "replayed",
                "run_dir": str(tmp_path / name / "run"),
                "problems": {"path": str(pool / "problems.jsonl")},
                "completer": source | {"completer": entry.completer},
                "completers": [prover],
                "policy": {"kind": "scan", "n": 4, "early_stop": True},
                "labels": {"best_of": [2]},
                "runner": {"kind": "inline"},
                "unit_size": 4,
                "flush_seconds": 0.05,
            },
        )

    run(load(replayed("whole"), ["completer.delay_ms=0"]))
    whole = label_rows(tmp_path / "whole" / "run")
    rng = random.Random(3)
    config, root = replayed("killed"), tmp_path / "killed" / "run"
    alive = 0
    for _ in range(KILLS):
        with labeler("run", config) as command:
            seen = {*root.glob("rollouts/*.parquet")}
            until(
                lambda: (
                    {*root.glob("rollouts/*.parquet")} - seen  # noqa: B023 - called at once
                    or command.process.poll() is not None
                )
            )
            time.sleep(rng.uniform(0, 0.2))
            alive += command.process.poll() is None
            command.kill(command.process.pid)
            assert command.is_gone()
    assert alive
    kept = rollout_rows(root)
    code, output = finished("run", config)
    assert code == 0, output
    assert label_rows(root) == whole
    assert kept.items() <= rollout_rows(root).items()
    assert rollout_rows(root).keys() == rollout_rows(tmp_path / "whole" / "run").keys()
    assert doubles(root) == 0


def test_old_label_sets_and_entries_are_read(folder: Path) -> None:
    """Entries that know no provers, as earlier versions wrote them."""
    root = folder / "run"
    for path in (root / "manifest").glob("*.json"):
        entry = json.loads(path.read_text())
        del entry["provers"]
        for key in ("best_of", "weighted", "neutral"):
            del entry["rule"][key]
        path.write_text(json.dumps(entry))
    facts = label(root, ["labels.best_of=[]"])
    assert facts.provers == {}
    assert all(row["provers_0"] is None for row in label_rows(root))
    done = run(load(folder / "config.yaml", [f"run_dir={root}"]))
    assert done.counters.rollouts == 0
    assert set(done.facts.provers) >= {"cut", "same/best_of_4", "best_of_1"}
