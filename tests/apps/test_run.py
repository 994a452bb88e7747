"""`labeler run` and `labeler label`: whole runs on planted worlds, in this process."""

import json
from collections import Counter
from pathlib import Path

import pytest

from labeler.apps.label import label
from labeler.apps.run import Summary, run
from labeler.config import load
from labeler.files import RunDir, read_rows
from labeler.ingest import ingest
from labeler.manifest import read
from labeler.model import LabelerError
from tests.runs import doubles, label_rows, planted_config, rollout_rows, write_problems


def done(config: Path, *overrides: str) -> Summary:
    return run(load(config, overrides))


def test_a_second_run_has_nothing_to_do(tmp_path: Path) -> None:
    config, root = planted_config(tmp_path), tmp_path / "run"
    first = done(config)
    labels, rollouts = label_rows(root), rollout_rows(root)
    second = done(config)
    assert first.counters.rollouts > 0
    assert (second.counters.rollouts, second.counters.replayed) == (0, 0)
    assert (label_rows(root), rollout_rows(root)) == (labels, rollouts)
    assert first.facts == second.facts


def test_raising_n_samples_only_the_difference(tmp_path: Path) -> None:
    config, root = planted_config(tmp_path), tmp_path / "run"
    done(config)
    before = rollout_rows(root)
    more = done(config, "policy.n=6")
    after = rollout_rows(root)
    assert before.items() <= after.items()
    assert more.counters.rollouts == len(after) - len(before) == len(before) // 2
    assert doubles(root) == 0
    fresh = tmp_path / "fresh"
    done(config, "policy.n=6", f"run_dir={fresh}")
    assert label_rows(root) == label_rows(fresh)


def test_adding_problems_keeps_what_was_there(tmp_path: Path) -> None:
    config, root = planted_config(tmp_path, count=6), tmp_path / "run"
    done(config)
    before = rollout_rows(root)
    write_problems(tmp_path / "problems.jsonl", 9)
    done(config)
    assert before.items() <= rollout_rows(root).items()
    assert len({row["problem_id"] for row in label_rows(root)}) == 9
    assert doubles(root) == 0


def test_another_policy_reads_the_same_log(tmp_path: Path) -> None:
    config = planted_config(tmp_path)
    done(config)
    searched = done(config, "policy={kind: bisection, n: 4}")
    assert searched.counters.rollouts == 0
    assert searched.counters.replayed > 0


def test_labelling_again_equals_a_run_with_that_rule(tmp_path: Path) -> None:
    config, root = planted_config(tmp_path), tmp_path / "run"
    done(config)
    rollouts = rollout_rows(root)
    label(root, ["labels.n=2", "labels.right_answers=true"])
    relabelled = label_rows(root)
    other = tmp_path / "other"
    done(config, f"run_dir={other}", "labels.n=2", "labels.right_answers=true")
    assert relabelled == label_rows(other)
    assert rollout_rows(root) == rollouts
    label(root, [])
    assert {e.rule["n"] for e in read(RunDir(root)).values()} == {None}
    with pytest.raises(LabelerError, match="the rest needs a run"):
        label(root, ["policy.n=9"])


def test_labelling_an_interrupted_extension_leaves_out_what_was_not_rolled_out(
    tmp_path: Path,
) -> None:
    config, root = planted_config(tmp_path, count=6), tmp_path / "run"
    done(config)
    before = {row["solution_id"] for row in label_rows(root)}
    write_problems(tmp_path / "problems.jsonl", 9)
    extended = load(config)
    where = RunDir(root)
    ingest(extended.problems, extended.steps, where, extended.hash, extended.unit_size)
    facts = label(root, ["labels.n=2"])
    assert {row["solution_id"] for row in label_rows(root)} == before
    assert (facts.counts.solutions, facts.failed) == (12, 6)
    done(config)
    assert len(label_rows(root)) == 18


def test_another_model_can_write_the_solutions(tmp_path: Path) -> None:
    other = {"kind": "planted", "truncated": 0.01}
    config = planted_config(tmp_path, generator={"per_problem": 2, "completer": other})
    source = tmp_path / "problems.jsonl"
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    source.write_text("".join(json.dumps({**r, "solutions": None}) + "\n" for r in rows))
    done(config)
    generators = {row["generator"] for row in label_rows(tmp_path / "run")}
    [completer] = {e.completer for e in read(RunDir(tmp_path / "run")).values()}
    assert len(generators) == 1
    assert completer not in generators


def test_generated_solutions_are_written_and_replayed(tmp_path: Path) -> None:
    config, root = planted_config(tmp_path, generator={"per_problem": 3}), tmp_path / "run"
    source = tmp_path / "problems.jsonl"
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    source.write_text("".join(json.dumps({**r, "solutions": None}) + "\n" for r in rows))
    done(config)
    labels = label_rows(root)
    by_problem = Counter(row["problem_id"] for row in labels)
    assert set(by_problem.values()) <= {1, 2, 3}
    assert len(by_problem) == 12
    done(config, "generator.per_problem=5")
    assert {r["solution_id"] for r in labels} < {r["solution_id"] for r in label_rows(root)}


def test_problems_without_solutions_or_generator_are_accounted_for(tmp_path: Path) -> None:
    config = planted_config(tmp_path, count=2)
    with (tmp_path / "problems.jsonl").open("a") as out:
        out.write(json.dumps({"question": "Planted problem 9. Gold 1. Value 1.", "answer": "1"}))
    summary = done(config)
    assert summary.facts.quarantined == {"missing_solution": 1}
    accounted(summary, rows=2 * 2 + 1)


def accounted(summary: Summary, rows: int) -> None:
    """Nothing is dropped silently: `rows` distinct ones were in the input."""
    facts = summary.facts
    assert facts.counts.solutions + sum(facts.quarantined.values()) + facts.failed == rows
    assert facts.rows_in == summary.ingested.rows_in == rows


def test_dirty_input_is_quarantined_and_the_rest_is_labelled(tmp_path: Path) -> None:
    config, root = planted_config(tmp_path, count=4), tmp_path / "run"
    good = (tmp_path / "problems.jsonl").read_bytes()
    question = "Planted problem 50. Gold 3. Value 0.5."
    dirty = [
        b"{not json",
        b"\xff\xfe{}",
        b'"just a string"',
        json.dumps({"id": "a", "question": question}).encode(),
        json.dumps({"id": "b", "answer": "3", "solution": "x"}).encode(),
        json.dumps(
            {"id": "c", "question": question, "answer": "\\frac{", "solution": "x"}
        ).encode(),
        json.dumps({"id": "d", "question": question, "answer": "3", "solution": " \n "}).encode(),
        json.dumps(
            {"id": "e", "question": question, "answer": "3", "solution": "s\n" * 500}
        ).encode(),
        json.dumps({"id": "f", "question": "q" * 60_000, "answer": "3", "solution": "x"}).encode(),
        json.dumps(
            {"id": "planted-0", "question": "Other?", "answer": "9", "solution": "x"}
        ).encode(),
    ]
    (tmp_path / "problems.jsonl").write_bytes(good + b"\n".join(dirty) + b"\n")
    summary = done(config)
    assert len(label_rows(root)) == 8
    assert sum(summary.facts.quarantined.values()) == len(dirty)
    assert set(summary.facts.quarantined) == {
        "malformed", "not_utf8", "missing_gold", "missing_question", "unparsed_gold", "no_steps",
        "too_many_steps", "too_long", "duplicate_id",
    }  # fmt: skip
    accounted(summary, rows=4 * 2 + len(dirty))
    entries = [json.loads(line) for line in (root / "quarantine.jsonl").read_text().splitlines()]
    assert all(entry["position"] and entry["reason"] for entry in entries)
    assert done(config).facts == summary.facts


def test_a_completer_that_never_ends_is_bounded_and_counted(tmp_path: Path) -> None:
    config = planted_config(
        tmp_path, count=4, completer={"kind": "planted", "sampling": {"max_tokens": 2}}
    )
    summary = done(config)
    assert summary.counters.truncated == summary.counters.rollouts > 0
    assert summary.facts.counts.share(summary.facts.counts.truncated) == 1.0
    assert all(r["finish"] == "length" for r in rollout_rows(tmp_path / "run").values())


def test_a_pool_with_gaps_leaves_steps_undecided_and_says_why(tmp_path: Path) -> None:
    planted = planted_config(tmp_path, count=4)
    done(planted, "policy.n=2")
    replay = tmp_path / "replay"
    completer = f"completer={{kind: recorded, path: {tmp_path / 'run'}}}"
    summary = done(planted, completer, f"run_dir={replay}", "policy.n=3")
    rows = label_rows(replay)
    assert summary.counters.failed > 0
    assert all("no rollout 2" in failure["cause"] for r in rows for failure in r["failures"])
    assert all(len(r["failures"]) == len(r["steps"]) for r in rows)
    assert all(step["n"] <= 2 for r in rows for step in r["labels"])


def test_old_label_parts_are_removed(tmp_path: Path) -> None:
    config, root = planted_config(tmp_path, count=3), tmp_path / "run"
    done(config)
    for n in (1, 2, 3):
        label(root, [f"labels.n={n}"])
        named = {e.labels for e in read(RunDir(root)).values()}
        assert {p.name for p in (root / "staged").iterdir()} == named


def test_a_log_that_an_early_stop_filled_is_marked_adaptive(tmp_path: Path) -> None:
    config = planted_config(tmp_path, policy={"kind": "scan", "n": 4, "early_stop": True})
    done(config)
    done(config, "policy={kind: bisection, n: 4}")
    rows = label_rows(tmp_path / "run")
    short = [r for r in rows if any(0 < s["n"] < 4 for s in r["labels"][:-1])]
    assert short
    assert all(s["stopping"] == "adaptive" for r in short for s in r["labels"])
    full = tmp_path / "full"
    done(config, "policy={kind: bisection, n: 4}", f"run_dir={full}")
    assert {s["stopping"] for r in label_rows(full) for s in r["labels"]} == {"fixed"}


def test_another_completer_in_the_same_run_is_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    config = planted_config(tmp_path, count=4)
    done(config, f"run_dir={one}", "unit_size=1")
    done(config, f"run_dir={two}", "unit_size=1", "completer.sampling.top_p=0.5")
    replay = tmp_path / "pool"
    replay.mkdir()
    (replay / "rollouts").symlink_to(one / "rollouts")
    recorded = f"completer={{kind: recorded, path: {replay}}}"
    done(config, recorded, "policy.n=2")
    (replay / "rollouts").unlink()
    (replay / "rollouts").symlink_to(two / "rollouts")
    with pytest.raises(LabelerError, match="labelled with another completer"):
        done(config, recorded, "policy.n=3")


def test_what_it_was_made_with_is_on_record(tmp_path: Path) -> None:
    done(planted_config(tmp_path, count=2))
    [entry] = read(RunDir(tmp_path / "run")).values()
    assert entry.made_with["labeler"]
    assert "cores" in entry.made_with["machine"]
    asked = {r["problem_id"] for r in rollout_rows(tmp_path / "run").values()}
    assert asked == {"planted-0", "planted-1"}


def test_verdicts_name_their_gold_and_grader(tmp_path: Path) -> None:
    done(planted_config(tmp_path, count=3))
    [folder] = (tmp_path / "run" / "verdicts").iterdir()
    [entry] = {e.grader for e in read(RunDir(tmp_path / "run")).values()}
    assert folder.name == entry
    verdicts = list(read_rows(sorted(folder.glob("*.parquet"))))
    own = [v for v in verdicts if v["completer"] == "solution"]
    assert len(own) == len(label_rows(tmp_path / "run"))
    assert {v["gold_key"] for v in verdicts} == {v["gold_key"] for v in own}
