"""A judge in a run: asked once, kept in the log, filtered by without a model."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from labeler.apps.checks import Status, guarded
from labeler.apps.checks.completer import choices
from labeler.apps.consensus import consensus
from labeler.apps.doctor import roles
from labeler.apps.inspect import header
from labeler.apps.label import label
from labeler.apps.pilot import completers
from labeler.apps.run import run
from labeler.config import ConfigError, load
from labeler.consensus import Bucket
from labeler.files import JUDGEMENTS, RunDir, read_rows
from labeler.model import LabelerError
from tests.conftest import ROOT
from tests.processes import finished
from tests.runs import label_rows, planted_config, rollout_rows, write_problems
from tests.tiny_model import write_tokenizer


def judged(folder: Path, **judge: object) -> Path:
    """A planted run with a judge; its directory."""
    config = planted_config(folder, judge=judge or {"samples": 3}, seed=3)
    run(load(config))
    return folder / "run"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judged(tmp_path_factory.mktemp("judged"))


def answers(root: Path) -> list[dict[str, object]]:
    files = sorted((root / "judgements").glob("*/*.parquet"))
    assert len({f.parent for f in files}) == 1
    return list(read_rows(files))


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


def test_labels_are_shown_with_what_the_judge_said(root: Path) -> None:
    for row in label_rows(root):
        shown = header(row).plain
        assert (f"kept no ({row['drop_reason']})" in shown) != row["keep"]


def test_bands_stand_in_order(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    consensus(root, Console(width=100))
    lines = capsys.readouterr().out.splitlines()
    shown = [name for name in ("below 3", "3 to below 5", "5 to below 8", "20 and above")
             if any(line.strip().startswith(name) for line in lines)]  # fmt: skip
    at = [next(i for i, line in enumerate(lines) if line.strip().startswith(n)) for n in shown]
    assert len(at) > 1
    assert at == sorted(at)


def test_the_table_counts_what_the_labels_say(root: Path) -> None:
    with (root / "shown.txt").open("w") as file:
        found = consensus(root, Console(file=file, width=100))
        consensus(root, Console(file=file, width=100), as_json=True)
    rows = label_rows(root)
    assert found.solutions == len(rows)
    assert found.kept == sum(row["keep"] for row in rows)
    text = (root / "shown.txt").read_text()
    assert f"kept {found.kept} of {found.solutions} solutions" in text
    assert json.loads(text[text.index("\n{") :])["kept"] == found.kept


def test_without_a_judge_there_is_nothing_to_show(tmp_path: Path) -> None:
    run(load(planted_config(tmp_path, 2)))
    with pytest.raises(LabelerError, match="no judge was asked"):
        consensus(tmp_path / "run", Console())
    with pytest.raises(LabelerError, match="no labels"):
        consensus(tmp_path, Console())
    with pytest.raises(ConfigError, match="has no judge"):
        label(tmp_path / "run", ["consensus.tolerance=1"])


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        ({"kind": "oracle"}, "'locate', 'verify'"),
        ({"kind": "verify", "yes": "A", "no": "A"}, "yes and no are the same answer"),
        ({"kind": "verify", "no": ""}, "judge.no: "),
        ({"chains": 2}, "judge.chains: no such key; it is one of kind: verify"),
        ({"kind": "verify", "samples": 2}, "it is one of kind: locate"),
        ({"template": "own.txt", "text": "{question}{steps}"}, "judge.template: must be the path"),
        ({"template": 3}, "judge.template: must be the path"),
        ({"template": "$LABELER_NOT_SET/own.txt"}, "cannot be read"),
    ],
)
def test_a_judge_that_cannot_be_is_refused(tmp_path: Path, judge: object, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        load(planted_config(tmp_path, judge=judge))
    assert says in str(error.value)


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("Find it.\n{steps}\nThe problem was {question}")
    loaded = load(planted_config(tmp_path, judge={"template": str(own)}))
    assert loaded.judge is not None
    shown = loaded.judge.shown("Q?", ("one {question}", "two"), loaded.prompt).question
    assert shown == "Find it.\nStep 1: one {question}\n\nStep 2: two\nThe problem was Q?"
    own.write_text("no slots")
    with pytest.raises(ConfigError, match=r"must hold \{question\} once"):
        load(planted_config(tmp_path, judge={"template": str(own)}))
    with pytest.raises(ConfigError, match="cannot be read"):
        load(planted_config(tmp_path, judge={"template": str(tmp_path / "none")}))


def test_a_judge_is_not_taken_for_the_generator(tmp_path: Path) -> None:
    bare = write_problems(tmp_path / "bare.jsonl", 6, solutions=0)
    changes = {"problems": {"path": str(bare)}, "generator": {"per_problem": 2}}
    run(load(planted_config(tmp_path, **changes)))
    before = completers(RunDir(tmp_path / "run"))
    assert None not in before
    run(load(planted_config(tmp_path, **changes, judge={"when": "always"})))
    assert answers(tmp_path / "run")
    assert completers(RunDir(tmp_path / "run")) == before
    for other in ({"when": "always", "kind": "verify", "chains": 1}, None):
        run(load(planted_config(tmp_path, **changes, judge=other)))
        assert completers(RunDir(tmp_path / "run")) == before


def test_the_doctor_looks_at_a_judge_of_its_own(tmp_path: Path) -> None:
    own = {"prompt": {"kind": "raw"}, "completer": {"kind": "planted", "delay_ms": 1.0}}
    found = roles(load(planted_config(tmp_path, judge=own)))["judge"]
    assert found.prompt.kind == "raw"
    assert found.completer == load(planted_config(tmp_path, judge=own)).judge.completer  # type: ignore[union-attr]
    assert "judge" not in roles(load(planted_config(tmp_path, judge={})))


def test_the_doctor_looks_at_the_answers_of_a_judge(tmp_path: Path) -> None:
    model = write_tokenizer(tmp_path / "model")
    own = {"kind": "endpoint", "url": "http://127.0.0.1:9/v1", "model": "j"}
    told = {}
    for yes, tokenizer in (("Y", str(model)), ("Yes", str(model)), ("Yes", None)):
        judge = {"kind": "verify", "yes": yes, "no": "N"}
        judge["completer"] = {**own, "tokenizer": tokenizer}
        its = roles(load(planted_config(tmp_path, judge=judge)))["judge"]
        [check] = guarded("judge", lambda its=its, yes=yes: [choices(its, (yes, "N"), "judge")])
        told[yes, bool(tokenizer)] = (check.status, check.detail)
    assert told["Y", True] == (Status.OK, "'Y' and 'N' are one token each")
    assert told["Yes", True][0] is Status.FAIL
    assert "no token of its own" in told["Yes", True][1]
    assert told["Yes", False][0] is Status.OK


def test_the_run_directory_of_a_judge_is_no_other_run(tmp_path: Path) -> None:
    with_judge = load(planted_config(tmp_path, judge={"samples": 2}))
    assert with_judge.hash == load(planted_config(tmp_path)).hash
    assert not RunDir(tmp_path / "run").judgements("x").exists()


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
