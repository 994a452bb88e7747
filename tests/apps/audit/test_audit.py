"""`labeler audit` on a planted run: what it says follows from the labels."""

import json
import math
import shutil
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

import pytest

from labeler.apps.audit import How, findings_of
from labeler.apps.audit.kept import Kept
from labeler.apps.audit.replays import options
from labeler.audit.findings import Findings
from labeler.audit.settings import AuditSettings
from labeler.posterior import ValueModel
from tests.apps.audits import N, scanned
from tests.apps.old_runs import age
from tests.runs import label_rows


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
