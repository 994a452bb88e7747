"""The scan on real run directories: what it counts is what labels count, however the log lies."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler import manifest
from labeler.apps.audit.clock import Clock
from labeler.apps.audit.counts import Places
from labeler.apps.audit.sources import AuditError, open_source
from labeler.apps.label import label
from labeler.apps.pilot import speed
from labeler.apps.run import run
from labeler.config import ConfigError, load
from labeler.files import FileError, RunDir, parts, read_table, write_table
from tests.apps.audits import by_solution, planted, scanned, truths
from tests.apps.old_runs import OLD, age, all_right
from tests.runs import label_rows, planted_config, rollout_rows


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted(tmp_path_factory.mktemp("audited"))


@pytest.fixture
def root(finished: Path, tmp_path: Path) -> Path:
    """A copy of the run's directory."""
    shutil.copytree(finished, tmp_path / "run")
    return tmp_path / "run"


def as_labelled(root: Path) -> dict[str, tuple[object, ...]]:
    """Own answer, first error and counts of prefixes, from labels/ alone."""
    own = {True: 1, False: 0, None: -1}
    return {
        row["solution_id"]: (
            own[row["is_correct"]],
            -1 if row["first_error"] is None else row["first_error"],
            [(row["value_0"]["n"], row["value_0"]["correct"])]
            + [(step["n"], step["correct"]) for step in row["labels"][:-1]],
            [(step["truncated"], step["ungradable"]) for step in row["labels"][:-1]],
            row["n_tokens"],
        )
        for row in label_rows(root)
    }


def as_scanned(root: Path) -> dict[str, tuple[object, ...]]:
    return {
        name: (
            s["right"],
            s["located"],
            [c[:2] for c in s["counts"]],
            [c[2:] for c in s["counts"][1:]],
            sum(s["tokens"]),
        )
        for name, s in by_solution(scanned(root)[0]).items()
    }


def test_it_counts_what_labels_count(root: Path) -> None:
    found = as_scanned(root)
    assert found == as_labelled(root)
    assert sum(cut for s in found.values() for cut, _ in s[3]) > 0  # type: ignore[attr-defined]


def test_truncated_rollouts_count_as_labels_count_them(root: Path) -> None:
    label(root, ["labels.truncated=ungradable"])
    assert as_scanned(root) == as_labelled(root)


def torn_apart(folder: Path, unit: str) -> None:
    """A unit's part as a killed run leaves it: many parts, some rows in two of them."""
    [whole] = parts(folder, unit)
    table = read_table(whole)
    third = table.num_rows // 3
    pieces = (table[: 2 * third], table[third:], table[-third:])
    for i, piece in enumerate(pieces, 1):
        write_table(folder / f"{unit}-0001-{i:06d}.parquet", piece, "hash")
    whole.unlink()


def test_before_compaction_it_is_what_it_is_after(root: Path) -> None:
    whole, scan = scanned(root)
    [grader] = open_source(root).graders
    for unit in (path.stem for path in parts(RunDir(root).problems)):
        torn_apart(RunDir(root).rollouts, unit)
        torn_apart(RunDir(root).verdicts(grader), unit)
    again, scan_again = scanned(root)
    assert by_solution(again) == by_solution(whole)
    assert scan_again.totals.clock.tokens == scan.totals.clock.tokens
    assert [k.task for k in scan_again.kept] == [k.task for k in scan.kept]


def test_a_run_that_was_killed_tells_what_its_log_holds(root: Path) -> None:
    whole = by_solution(scanned(root)[0])
    for name in ("manifest", "staged", "labels"):
        shutil.rmtree(root / name)
    chains, scan = scanned(root)
    assert by_solution(chains) == {name: s | {"located": -1} for name, s in whole.items()}
    assert any("not done" in caution for caution in scan.source.cautions)


def test_solutions_that_nobody_looked_at_are_left_out(root: Path) -> None:
    [grader] = open_source(root).graders
    unit = parts(RunDir(root).problems)[0].stem
    (RunDir(root).verdicts(grader) / f"{unit}.parquet").unlink()
    gone = read_table(RunDir(root).solutions / f"{unit}.parquet").num_rows
    chains, scan = scanned(root)
    assert scan.totals.unseen == gone
    assert len(chains) == len(label_rows(root)) - gone


def test_one_question_with_two_golds_is_counted_for_each(tmp_path: Path) -> None:
    config = planted_config(tmp_path, policy={"kind": "exhaustive", "n": 8})
    path = tmp_path / "problems.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    others = [row | {"id": f"other-{row['id']}", "answer": "7"} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, *others]))
    run(load(config))
    found = as_scanned(tmp_path / "run")
    assert found == as_labelled(tmp_path / "run")
    chains, _ = scanned(tmp_path / "run")
    assert len(chains.keys[chains.once]) == 2 * len(
        {p for r in rows for p in _prefixes(r["question"], r["solutions"])}
    )


def _prefixes(question: str, solutions: Sequence[str]) -> set[tuple[str, str]]:
    """Prefixes 0..K-1 of planted solutions, one step a line."""
    cut = [s.split("\n") for s in solutions]
    return {(question, "\n".join(lines[:k])) for lines in cut for k in range(len(lines))}


def test_truth_and_the_sample_come_along(root: Path, tmp_path: Path) -> None:
    path = truths(root, tmp_path / "truth.jsonl")
    chains, scan = scanned(root, path)
    said = {r["solution_id"]: r["first_error"] for r in map(json.loads, path.open())}
    assert {name: s["truth"] for name, s in by_solution(chains).items()} == said
    kept = scan.kept
    assert sum(len(k.task.solutions) for k in kept) in (20, 21)
    assert all(k.truth == {s.id: said[s.id] for s in k.task.solutions} for k in kept)
    counts = {key: (pool.n, pool.correct) for k in kept for key, pool in k.pools.items()}
    of = {s.id: (k.task, s) for k in kept for s in k.task.solutions}
    for name, held in by_solution(chains).items():
        if name in of:
            task, solution = of[name]
            keys = [task.prefix(solution, k).key for k in range(len(solution.steps))]
            assert [counts[key] for key in keys] == [c[:2] for c in held["counts"]]


def test_units_of_another_grader_are_left_out_and_it_says_so(root: Path) -> None:
    unit = parts(RunDir(root).problems)[0].stem
    age(root, units=[unit])
    source = open_source(root)
    assert source.grader != OLD
    assert unit not in source.units
    assert any("--grader" in caution for caution in source.cautions)


def test_units_of_another_completer_are_left_out_and_it_says_so(root: Path) -> None:
    entry = next(iter(manifest.read(RunDir(root)).values()))
    path = RunDir(root).manifest / f"{entry.unit}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"completer": "other"}))
    source = open_source(root)
    assert entry.unit not in source.units
    assert any("another completer" in caution for caution in source.cautions)


def test_verdicts_of_a_second_grader_are_compared(root: Path) -> None:
    source = open_source(root)
    kept = {p.name: p.read_bytes() for p in parts(RunDir(root).verdicts(source.grader))}
    age(root, all_right)
    label(root, [], regrade=True)
    assert {p.name for p in parts(RunDir(root).verdicts(source.grader))} == set(kept)
    _, scan = scanned(root)
    found = scan.disagreement
    assert found is not None
    assert found.other == OLD
    rows = [
        r for p in parts(RunDir(root).verdicts(source.grader)) for r in read_table(p).to_pylist()
    ]
    rollouts = [row for row in rows if row["completer"] != "solution"]
    assert found.both == len(rollouts)
    assert found.changed == sum(row["verdict"] != "correct" for row in rollouts)
    solutions = {row["solution_id"]: row for row in label_rows(root)}
    assert found.examples
    for example in found.examples:
        row = solutions[example.solution_id]
        value = row["labels"][example.step - 1] if example.step else row["value_0"]
        assert (row["problem_id"], value["n"], value["correct"]) == (
            example.problem_id, example.n, example.correct,
        )  # fmt: skip
        assert example.correct < example.n  # the old grader called all of them right


def test_branches_of_trees_are_left_out_and_it_says_so(tmp_path: Path) -> None:
    tree = {"kind": "omega", "searches": 2, "n": 4}
    root = planted(tmp_path, policy=tree, completer={"kind": "planted", "steps": 5})
    chains, scan = scanned(root)
    assert len(chains) < len(label_rows(root))
    assert any("branches" in caution for caution in scan.source.cautions)
    tokens = sum(row["n_tokens"] for row in rollout_rows(root).values())
    assert int(chains.tokens[chains.once].sum()) < tokens
    assert scan.totals.clock.tokens == tokens  # they took their time, too


def test_labels_that_look_at_wrong_answers_alone_say_nothing_of_right_ones(tmp_path: Path) -> None:
    for look in (False, True):
        labels = {"rule": "first_zero", "right_answers": look}
        root = planted(tmp_path / f"{look}", labels=labels)
        chains, _ = scanned(root)
        right = chains.right == 1
        assert right.any()
        assert (chains.located[right] >= 0).any() == look


def test_a_damaged_part_is_named(root: Path) -> None:
    path = parts(RunDir(root).rollouts)[0]
    held = path.read_bytes()
    path.write_bytes(held[: len(held) // 2])
    with pytest.raises(FileError, match=path.name):
        scanned(root)
    write_table(path, pa.table({"prefix_key": ["a"]}), "hash")
    table = pa.table({"prefix_key": ["a"]})
    pa.parquet.write_table(table, path)
    with pytest.raises(FileError, match="schema version none"):
        scanned(root)


def test_nothing_to_audit_is_said(root: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a run directory"):
        open_source(tmp_path)
    for folder, said in (("verdicts", "no verdicts"), ("rollouts", "no rollouts")):
        if folder == "rollouts":
            shutil.rmtree(root / "manifest")
        shutil.move(root / folder, tmp_path / folder)
        if folder == "rollouts":
            with pytest.raises(AuditError, match=said):
                open_source(root)
    shutil.rmtree(root / "problems")
    with pytest.raises(AuditError, match="no problems"):
        open_source(root)


stamps = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, 1.5, 30.0, 90.0, 91.0, 151.5, 1000.0]), st.integers(0, 9)),
    min_size=1,
    max_size=20,
)


@given(stamps, st.integers(1, 4))
def test_the_clock_says_what_a_pilot_says(rows: list[tuple[float, int]], pieces: int) -> None:
    """In whatever parts and order it hears of the rollouts."""
    clock = Clock()
    for i in range(pieces):
        at, tokens = (np.array([row[j] for row in rows[i::pieces]]) for j in (0, 1))
        clock.add(at, tokens.astype(np.int64))
    expected = speed(rows, 2)
    found = clock.tokens_per_second(2)
    assert found == (None if expected is None else pytest.approx(expected.tokens))


keys = st.sampled_from("abcd")
golds = st.sampled_from("xyz")


@given(st.sets(st.tuples(keys, golds)), st.lists(st.tuples(keys, golds)))
def test_a_row_is_at_the_place_of_its_prefix_and_gold(
    known: set[tuple[str, str]], rows: list[tuple[str, str]]
) -> None:
    places = Places()
    number = {place: places.add(*place) for place in sorted(known)}
    assert sorted(number.values()) == list(range(len(known)))
    assert {place: places.add(*place) for place in known} == number
    prefix, gold = (
        pa.array([row[i] for row in rows], pa.string()).dictionary_encode() for i in (0, 1)
    )
    found = places.at(places.codes(prefix), gold)
    assert found.tolist() == [number.get(row, -1) for row in rows]
