"""`labeler audit` on planted runs: what it says follows from the labels, alone and of two runs."""

import io
import json
import math
import shutil
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from labeler.apps.audit import How, Outputs, audit, findings_of
from labeler.apps.audit.kept import Kept
from labeler.apps.audit.replays import options
from labeler.apps.audit.sources import AuditError
from labeler.apps.run import run
from labeler.audit.findings import Findings
from labeler.audit.settings import AuditSettings
from labeler.config import ConfigError, load
from labeler.posterior import ValueModel
from tests.apps.audits import N, planted, scanned, truths
from tests.apps.old_runs import age
from tests.runs import label_rows, planted_config, rollout_rows, write_problems

EXACT = How(sample=0)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, which no test changes."""
    return planted(tmp_path_factory.mktemp("audited"), problems_count=24)


@pytest.fixture(scope="module")
def truth(root: Path) -> Path:
    return truths(root, root.parent / "truth.jsonl")


@pytest.fixture(scope="module")
def found(root: Path, truth: Path) -> Findings:
    return findings_of(root, how=How(truth=truth, sample=60))


def value(
    found: Findings, measure: str, reference: str = "", rule: str = "", n: int | None = None
) -> float:
    """The one number of that name over all solutions."""
    [row] = [
        r
        for r in found.rows
        if (r.measure, r.reference, r.rule, r.n, r.group) == (measure, reference, rule, n, "")
    ]
    assert row.value is not None
    return row.value


def steps(root: Path) -> list[tuple[int, int]]:
    """(n, correct) of steps 1..K-1 of all solutions."""
    return [(s["n"], s["correct"]) for row in label_rows(root) for s in row["labels"][:-1]]


@pytest.mark.parametrize("n", [1, 4, N])
def test_the_share_of_dead_labels_is_that_of_the_counts(
    root: Path, found: Findings, n: int
) -> None:
    counts = steps(root)
    dead = sum(comb(N - c, n) / comb(N, n) for _, c in counts) / len(counts)
    assert {total for total, _ in counts} == {N}
    assert value(found, "zero_share", "pool", n=n) == pytest.approx(dead)


def test_first_errors_are_those_of_the_labels(root: Path, truth: Path, found: Findings) -> None:
    said = {r["solution_id"]: r["first_error"] for r in map(json.loads, truth.open())}
    wrong = [row for row in label_rows(root) if row["is_correct"] is False]
    decided = sum(row["first_error"] is not None for row in wrong) / len(wrong)
    known = [row for row in wrong if said[row["solution_id"]]]
    right = sum(row["first_error"] == said[row["solution_id"]] for row in known) / len(known)
    assert value(found, "label_decided") == pytest.approx(decided)
    assert value(found, "label_exact", "truth") == pytest.approx(right)
    counted = [[s["correct"] for s in row["labels"][:-1]] for row in known]
    zeros = [next((k for k, c in enumerate(cs, 1) if not c), len(cs) + 1) for cs in counted]
    exact = sum(z == said[row["solution_id"]] for z, row in zip(zeros, known, strict=True))
    assert value(found, "located_exact", "truth", "first_zero", N) == pytest.approx(
        exact / len(known)
    )


def test_what_is_said_is_what_was_run(root: Path, found: Findings) -> None:
    rows = label_rows(root)
    assert found.run["solutions"] == len(rows)
    assert found.run["pool"] == N
    assert found.run["truth"] == len(rows)
    assert len(found.sentences) == 3
    assert found.run["tokens_per_second"] is None
    assert any("no engine-hours" in caution for caution in found.cautions)


def test_no_number_is_nan(found: Findings) -> None:
    def walk(held: Any) -> None:  # noqa: ANN401 - plain JSON
        if isinstance(held, dict):
            held = list(held.values())
        if isinstance(held, list | tuple):
            for one in held:
                walk(one)
        assert not isinstance(held, float) or math.isfinite(held)

    walk(found.as_dict())


def test_the_same_run_gives_the_same_findings(root: Path, truth: Path, found: Findings) -> None:
    assert findings_of(root, how=How(truth=truth, sample=60)) == found


def test_policies_are_weighed_on_the_logs_own_rollouts(found: Findings) -> None:
    assert found.advice is not None
    tried = [o for o in found.advice.options if o.policy == "adaptive"]
    assert {o.reference for o in tried} == {"truth"}
    by_confidence = sorted(tried, key=lambda o: o.confidence or 0)
    assert len(by_confidence) == 4
    rollouts = [o.rollouts for o in by_confidence]
    assert rollouts == sorted(rollouts)
    exhaustive = next(o for o in found.advice.options if o.policy == "exhaustive" and o.n == N)
    assert rollouts[-1] < exhaustive.rollouts


def test_a_policy_is_replayed_by_its_own_search(root: Path) -> None:
    """Without truth against half of the pool; without wrong answers there is nothing to find."""
    _, scan = scanned(root)
    settings = AuditSettings(pool=N, value_model=ValueModel(hazard=0.2))
    made = options(scan.kept, settings, "pool")
    assert {o.reference for o in made} == {"pool"}
    assert {o.n for o in made} == {N // 2}
    right = [_only_right(kept) for kept in scan.kept]
    assert options(right, settings, "pool") == []


def test_a_policy_is_replayed_where_each_step_has_a_pool(root: Path, truth: Path) -> None:
    """As in the exact part; a wrong answer without a true first error is not missed."""
    _, scan = scanned(root, truth)
    settings = AuditSettings(pool=N, value_model=ValueModel(hazard=0.2))
    assert {o.n for o in options(scan.kept, settings, "truth")} == {N}
    assert options(scan.kept, AuditSettings(pool=N + 1), "truth") == []
    none = [replace(kept, truth=dict.fromkeys(kept.truth, 0)) for kept in scan.kept]
    assert options(none, settings, "truth") == []


def _only_right(kept: Kept) -> Kept:
    names = frozenset(s.id for s in kept.task.solutions)
    return replace(kept, task=replace(kept.task, right=names))


def printed(root: Path, other: Path | None = None, how: How = EXACT, **out: Path) -> str:
    text = io.StringIO()
    audit(root, other, how, Outputs(**out), Console(file=text, width=100))
    return text.getvalue()


def test_it_prints_one_table_three_sentences_and_cautions(root: Path, truth: Path) -> None:
    shown = printed(root, how=How(sample=0, truth=truth))
    assert "against the truth" in shown
    lines = shown.splitlines()
    assert [line.split()[0] for line in lines if line[:3].strip().isdigit()] == [
        "1", "2", "4", "8", "16"
    ]  # fmt: skip
    said = findings_of(root, how=How(sample=0, truth=truth))
    assert len(said.sentences) == 3
    assert [line for line in lines if line in said.sentences] == list(said.sentences)
    assert [line[2:] for line in lines if line.startswith("- ")] == list(said.cautions)


def test_machines_read_what_people_read(root: Path, tmp_path: Path) -> None:
    how = How(sample=0, grid=(2, 8))
    alone = printed(root, how=how, json=Path("-"))
    shown = printed(root, how=how, json=tmp_path / "a.json", parquet=tmp_path / "a.parquet")
    assert "against all rollouts" in shown
    assert json.loads(alone) == json.loads((tmp_path / "a.json").read_text())
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert {(row.pop("run"), row.pop("side")) for row in rows} == {(str(root), None)}
    assert rows == json.loads(alone)["rows"]
    with pytest.raises(ConfigError, match="is a directory"):
        printed(root, how=how, json=tmp_path)


def test_two_policies_on_the_same_problems(root: Path, truth: Path, tmp_path: Path) -> None:
    other = planted(tmp_path, policy={"kind": "bisection", "n": 8}, problems_count=24)
    path = tmp_path / "both.json"
    shown = printed(root, other, How(sample=0, truth=truth), json=path)
    assert "rollouts a solution" in shown
    both = json.loads(path.read_text())
    rows = {r["first"]["measure"]: r for r in both["contrasts"] if not r["first"]["group"]}
    spent = rows["label_rollouts"]
    held = [len(rollout_rows(one)) / len(label_rows(one)) for one in (root, other)]
    assert [spent[side]["value"] for side in ("first", "second")] == pytest.approx(held)
    assert spent["difference"] == pytest.approx(spent["second"]["value"] - spent["first"]["value"])
    assert spent["low"] <= spent["difference"] <= spent["high"] < 0
    assert not any("left out" in caution for caution in both["second"]["cautions"])


def test_a_run_beside_itself_differs_in_nothing(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    printed(root, root, json=path)
    for contrast in json.loads(path.read_text())["contrasts"]:
        assert contrast["difference"] in (0, None)
        assert contrast["low"] in (0, None)


def test_only_what_two_runs_share_is_compared(root: Path, tmp_path: Path) -> None:
    few = planted(tmp_path / "few", problems_count=6)
    path = tmp_path / "both.json"
    printed(root, few, json=path)
    both = json.loads(path.read_text())
    assert both["first"]["run"]["problems"] == both["second"]["run"]["problems"] == 6
    assert any("left out" in caution for caution in both["first"]["cautions"])
    (tmp_path / "none").mkdir()
    config = planted_config(tmp_path / "none")
    problems = tmp_path / "none" / "problems.jsonl"
    problems.write_text(
        problems.read_text().replace("planted-", "other-").replace("Gold 1", "Gold 9")
    )
    run(load(config))
    with pytest.raises(AuditError, match="nothing can be compared"):
        printed(root, tmp_path / "none" / "run")


def test_runs_that_share_problems_alone_are_compared_by_these(tmp_path: Path) -> None:
    """Each wrote its own solutions."""
    roots = []
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        config = planted_config(folder, seed=seed, generator={"per_problem": 2})
        problems = folder / "problems.jsonl"
        rows = [json.loads(line) | {"solutions": []} for line in problems.read_text().splitlines()]
        problems.write_text("".join(json.dumps(row) + "\n" for row in rows))
        run(load(config))
        roots.append(folder / "run")
    printed(roots[0], roots[1], json=tmp_path / "both.json")
    both = json.loads((tmp_path / "both.json").read_text())
    assert both["first"]["run"]["problems"] == 12
    assert any("hardly a solution" in caution for caution in both["first"]["cautions"])


def test_another_grader_is_asked_about_a_sample(root: Path, tmp_path: Path) -> None:
    """The log's grader is not installed: some of its rollouts are graded anew."""
    shutil.copytree(root, tmp_path / "run")
    age(tmp_path / "run", lambda r: r | {"verdict": "incorrect", "reason": "wrong"})
    told = findings_of(tmp_path / "run", how=How(sample=100))
    [cause] = [c for c in told.causes if c.name == "grader_disagreement"]
    assert 90 <= cause.of <= 110
    whole = [r for row in label_rows(root) for r in row["labels"][:-1]]
    share = sum(s["correct"] for s in whole) / sum(s["n"] for s in whole)
    assert abs(cause.count / cause.of - share) < 0.2


def test_small_and_hopeless_logs_say_what_cannot_be_concluded(tmp_path: Path) -> None:
    one = planted(tmp_path / "one", problems_count=1, policy={"kind": "exhaustive", "n": 1})
    shown = printed(one, how=How(), json=tmp_path / "one.json")
    assert "nan" not in shown.lower()
    told = json.loads((tmp_path / "one.json").read_text())
    assert any("pool" in caution for caution in told["cautions"])
    assert all(row["low"] is None for row in told["rows"] if row["measure"] == "zero_share")


def test_a_pilot_with_more_rollouts_can_be_asked_about_alone(tmp_path: Path) -> None:
    few = {"path": str(write_problems(tmp_path / "few.jsonl", 4))}
    run(load(planted_config(tmp_path, problems=few, policy={"kind": "exhaustive", "n": 16})))
    run(load(planted_config(tmp_path, 20, policy={"kind": "exhaustive", "n": 4})))
    whole = findings_of(tmp_path / "run", how=EXACT)
    assert whole.run["pool"] == 4
    assert any("--pool" in caution for caution in whole.cautions)
    pilot = findings_of(tmp_path / "run", how=How(sample=0, pool=16))
    assert pilot.run["pool"] == 16
    assert {row.n for row in pilot.rows if row.measure == "zero_share"} >= {1, 2, 4, 8, 16}
    assert any("left out" in caution for caution in pilot.cautions)


def test_it_says_where_it_differs_from_what_was_asked(tmp_path: Path) -> None:
    root = planted(tmp_path, labels={"hard_at_least": 0.5})
    shown = printed(root, how=How(sample=0, grid=(64,)))
    assert "labels.hard_at_least" in shown
    assert "of 64, which were asked for" in shown
    assert "In percent" not in shown  # no table of nothing


def test_a_truth_that_does_not_fit_is_refused(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_text('{"solution_id": "nobody", "first_error": 1}\n')
    told = findings_of(root, how=How(sample=0, truth=path))
    assert any("names none" in caution for caution in told.cautions)
    name = label_rows(root)[0]["solution_id"]
    path.write_text(json.dumps({"solution_id": name, "first_error": 99}) + "\n")
    with pytest.raises(ConfigError, match="99"):
        findings_of(root, truth=path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"grid": "1,x", "max_flip": 0.05}, "--grid"),
        ({"grid": "0,1", "max_flip": 0.05}, "--grid"),
        ({"grid": None, "max_flip": 1.5}, "--max-flip"),
        ({"grid": None, "max_flip": math.nan}, "--max-flip"),
        ({"grid": None, "max_flip": 0.05, "pool": 0}, "--pool"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        How.read(**options)
