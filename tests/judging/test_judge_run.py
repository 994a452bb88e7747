"""A judge in a run: asked once, kept in the log, filtered by without a model."""

import json
from pathlib import Path

import pytest

from labeler.apps.label import label
from labeler.apps.run import run
from labeler.config import load
from labeler.consensus import Bucket
from labeler.files import JUDGEMENTS, read_rows
from tests.conftest import ROOT
from tests.judging.judged import answers, judged
from tests.processes import finished
from tests.runs import label_rows, planted_config, rollout_rows


def test_every_row_says_whether_it_is_kept(root: Path) -> None:
    rows = label_rows(root)
    assert rows
    assert any(row["keep"] for row in rows)
    assert not all(row["keep"] for row in rows)
    for row in rows:
        assert (row["drop_reason"] is None) == row["keep"]
        if row["keep"]:
            assert row["judge_first_error"] == row["first_error"]


def test_what_it_said_lies_in_judgements(root: Path) -> None:
    rows = answers(root)
    assert rows
    assert list(rows[0]) == JUDGEMENTS.names
    by_solution: dict[object, list[object]] = {}
    for row in rows:
        by_solution.setdefault(row["solution_id"], []).append(row["index"])
    decided = {r["solution_id"] for r in label_rows(root) if r["first_error"] is not None}
    assert set(by_solution) == decided
    assert all(sorted(map(int, found)) == [0, 1, 2] for found in by_solution.values())  # type: ignore[call-overload]


def test_filtering_again_asks_nobody(tmp_path: Path) -> None:
    root = judged(tmp_path)
    before, said = rollout_rows(root), answers(root)
    strict = {r["solution_id"]: r["keep"] for r in label_rows(root)}
    label(root, ["consensus.tolerance=9", "consensus.judge_undecided=true"])
    wide = {r["solution_id"]: r["keep"] for r in label_rows(root)}
    assert sum(wide.values()) > sum(strict.values())
    assert all(wide[name] for name, kept in strict.items() if kept)
    label(root, [])
    assert {r["solution_id"]: r["keep"] for r in label_rows(root)} == strict
    assert rollout_rows(root) == before
    assert answers(root) == said


def test_a_judge_that_comes_later_is_all_that_is_asked(tmp_path: Path) -> None:
    config = planted_config(tmp_path, seed=3)
    run(load(config))
    without = rollout_rows(tmp_path / "run")
    assert all(row["keep"] is None for row in label_rows(tmp_path / "run"))
    summary = run(load(planted_config(tmp_path, judge={"samples": 3}, seed=3)))
    both = rollout_rows(tmp_path / "run")
    assert without.items() <= both.items()
    assert summary.counters.rollouts == len(both) - len(without)
    again = run(load(planted_config(tmp_path, judge={"samples": 3}, seed=3)))
    assert again.counters.rollouts == 0


def test_more_answers_are_added_to_those_that_are_there(root: Path, tmp_path: Path) -> None:
    few = answers(judged(tmp_path, samples=1))
    many = answers(root)
    assert len(many) == 3 * len(few)
    assert all(row in many for row in few)


def test_always_asks_of_undecided_solutions_too(tmp_path: Path) -> None:
    config = planted_config(
        tmp_path, judge={"when": "always"}, seed=3, labels={"decided": 0.999999}
    )
    run(load(config))
    rows = label_rows(tmp_path / "run")
    undecided = [row for row in rows if row["first_error"] is None]
    assert undecided
    assert {row["drop_reason"] for row in undecided} == {"rollouts_undecided"}
    assert len(answers(tmp_path / "run")) == len(rows)


def test_only_where_the_answer_can_change_what_is_kept(tmp_path: Path) -> None:
    everything = {bucket.value: True for bucket in Bucket}
    config = planted_config(tmp_path, judge={}, seed=3, consensus=everything)
    run(load(config))
    assert not list((tmp_path / "run" / "judgements").glob("*/*.parquet")) or not answers(
        tmp_path / "run"
    )
    assert all(row["keep"] for row in label_rows(tmp_path / "run"))
    # Another rule, under which answers matter: the same command asks, for what it lacks.
    label(tmp_path / "run", ["consensus.disagree=false"])
    lacking = {row["drop_reason"] for row in label_rows(tmp_path / "run")}
    assert lacking == {None}  # not_judged is kept, since judge_undecided is
    label(tmp_path / "run", ["consensus.disagree=false", "consensus.judge_undecided=false"])
    assert "not_judged" in {row["drop_reason"] for row in label_rows(tmp_path / "run")}
    run(load(planted_config(tmp_path, judge={}, seed=3)))
    assert answers(tmp_path / "run")
    reasons = {row["drop_reason"] for row in label_rows(tmp_path / "run")}
    assert "not_judged" not in reasons
    assert "judge_unparsed" in reasons


@pytest.mark.parametrize("chains", [0, 2])
def test_a_verifier_scores_every_prefix(tmp_path: Path, chains: int) -> None:
    judge = {"kind": "verify", "chains": chains}
    summary = run(load(planted_config(tmp_path, judge=judge, seed=3)))
    root = tmp_path / "run"
    said = answers(root)
    rows = {r["solution_id"]: r for r in label_rows(root) if r["first_error"] is not None}
    assert {row["solution_id"] for row in said} == set(rows)
    for name, row in rows.items():
        scores = {}
        for one in said:
            if one["solution_id"] == name:
                scores.setdefault(one["step"], []).append(one["score"])
        assert sorted(scores) == list(range(1, len(row["steps"]) + 1))
        assert {len(found) for found in scores.values()} == {max(1, chains)}
        means = [sum(scores[k]) / len(scores[k]) for k in sorted(scores)]
        low = [k for k, mean in enumerate(means, 1) if mean < 0.5]
        assert row["judge_first_error"] == (low[0] if low else 0)
    assert any(row["keep"] for row in rows.values())
    again = run(load(planted_config(tmp_path, judge=judge, seed=3)))
    assert (again.counters.rollouts, again.facts.counts) == (0, summary.facts.counts)
    label(root, ["consensus.threshold=0.97"])
    strict = label_rows(root)
    assert {r["judge_first_error"] for r in strict} <= {1, None}
    asked = run(load(planted_config(tmp_path, judge=judge, consensus={"threshold": 0.97}, seed=3)))
    assert (asked.counters.rollouts, label_rows(root)) == (0, strict)


def test_two_judges_after_each_other(tmp_path: Path) -> None:
    """What each said stays; labels are filtered by the one that the configuration names."""
    root = tmp_path / "run"
    words, scores = {"samples": 3}, {"kind": "verify", "chains": 1}
    first = run(load(planted_config(tmp_path, judge=words, seed=3)))
    said, by_words = answers(root), label_rows(root)
    run(load(planted_config(tmp_path, judge=scores, seed=3)))
    by_scores = label_rows(root)
    assert by_scores != by_words
    assert len(list((root / "judgements").iterdir())) == 2
    back = run(load(planted_config(tmp_path, judge=words, seed=3)))
    assert back.counters.rollouts == 0
    assert label_rows(root) == by_words
    assert back.facts.counts == first.facts.counts
    kept = [
        sorted(map(str, read_rows(sorted(f.iterdir())))) for f in (root / "judgements").iterdir()
    ]
    assert sorted(map(str, said)) in kept


def test_a_question_with_two_golds_is_judged_once(tmp_path: Path) -> None:
    """What the judge is shown holds no gold: the same steps are the same question to it."""
    config = planted_config(tmp_path, 3, judge={"when": "always"}, seed=3)
    path = tmp_path / "problems.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    twin = {**rows[0], "id": "twin", "answer": "77"}
    rows[1]["solutions"].append(rows[1]["solutions"][0])
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, twin]))
    run(load(config))
    labels = label_rows(tmp_path / "run")
    shown = {(row["question"], *row["steps"]) for row in labels}
    assert (len(labels), len(shown)) == (8, 6)
    judges = [r for r in rollout_rows(tmp_path / "run").values() if r["text"].startswith("\\boxed")]
    assert len(judges) + sum(r["text"] == "I cannot say." for r in
                             rollout_rows(tmp_path / "run").values()) == 6  # fmt: skip
    assert len(answers(tmp_path / "run")) == 8


@pytest.mark.engine
@pytest.mark.cluster
def test_a_model_that_cannot_judge_names_nothing(tmp_path: Path) -> None:
    root = tmp_path / "run"
    config = ROOT / "configs/consensus.yaml"
    code, output = finished("run", config, f"run_dir={root}", "problems.limit=2")
    assert code == 0, output
    rows, said = label_rows(root), answers(root)
    assert len(said) == sum(row["first_error"] is not None for row in rows) > 0
    assert all(row["first_error"] is None for row in said)
    assert {row["keep"] for row in rows} == {False}
    reasons = {row["drop_reason"] for row in rows if row["first_error"] is not None}
    assert reasons == {"judge_unparsed"}
