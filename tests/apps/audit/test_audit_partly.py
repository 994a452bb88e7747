"""`labeler audit` where the truth, a second run or the labels speak of a part of the log alone."""

import json
import shutil
from pathlib import Path

import pytest

from labeler import manifest
from labeler.apps.audit import How, Outputs, audit, findings_of
from labeler.apps.label import label
from labeler.audit.findings import Findings
from labeler.files import FileError, RunDir, parts, read_table
from labeler.terminal import console
from tests.apps.audits import N, truths
from tests.runs import label_rows


def told(folder: Path, known: dict[str, int]) -> Path:
    path = folder / "truth.jsonl"
    rows = [{"solution_id": name, "first_error": first} for name, first in known.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def every(root: Path, folder: Path) -> dict[str, int]:
    rows = truths(root, folder / "all.jsonl").read_text().splitlines()
    return {row["solution_id"]: row["first_error"] for row in map(json.loads, rows)}


def cautions(found: Findings) -> str:
    return "\n".join(found.cautions)


def test_truth_of_few_problems_gives_no_interval(root: Path, tmp_path: Path) -> None:
    problems = {row["solution_id"]: row["problem_id"] for row in label_rows(root)}
    few = sorted(set(problems.values()))[:3]
    known = {s: f for s, f in every(root, tmp_path).items() if problems[s] in few}
    found = findings_of(root, told(tmp_path, known))
    against = [row for row in found.rows if row.reference == "truth" and row.value is not None]
    assert {row.measure for row in against} >= {"hard_wrong", "soft_bias", "soft_rmse"}
    assert all(row.low is None and row.high is None for row in against)
    assert f"The truth is known of {len(known)} of {len(problems)} solutions" in cautions(found)


def test_all_policies_are_held_against_one_reference(root: Path, tmp_path: Path) -> None:
    known = every(root, tmp_path)
    wrong = [s for s, first in known.items() if first]
    for chosen in (wrong[:2], list(known)):
        found = findings_of(root, told(tmp_path, {s: known[s] for s in chosen}))
        assert found.advice is not None
        assert {option.reference for option in found.advice.options} == {"truth"}


def test_a_truth_that_contradicts_the_answers_is_told(root: Path, tmp_path: Path) -> None:
    known = dict.fromkeys(every(root, tmp_path), 0)
    found = findings_of(root, told(tmp_path, known), How(sample=0, truth=told(tmp_path, known)))
    wrong = sum(not row["is_correct"] for row in label_rows(root))
    assert f"finds no error in {wrong} of {wrong} solutions with a wrong answer" in cautions(found)


def test_labels_cost_what_they_look_at(root: Path, tmp_path: Path) -> None:
    label(root, ["labels.n=4"])
    few = {row.measure: row.value for row in findings_of(root, how=How(sample=0)).rows}
    label(root, ["labels.n=null"])
    full = {row.measure: row.value for row in findings_of(root, how=How(sample=0)).rows}
    assert few["label_rollouts"] == pytest.approx((full["label_rollouts"] or 0) * 4 / N)
    assert few["label_tokens"] == pytest.approx((full["label_tokens"] or 0) * 4 / N)


@pytest.mark.parametrize("graded", [True, False])
def test_of_a_run_that_is_half_done_what_it_worked_on(
    root: Path, tmp_path: Path, graded: bool
) -> None:
    other = shutil.copytree(root, tmp_path / "run")
    run = RunDir(other)
    unit, entry = sorted(manifest.read(run).items())[0]
    whole, in_unit = len(label_rows(root)), read_table(run.staged / entry.labels).num_rows
    for part in run.manifest.glob(f"{unit}*"):
        part.unlink()
    for part in () if graded else parts(run.verdicts(entry.grader), unit):
        part.unlink()
    audit(root, other, How(sample=0), Outputs(tmp_path / "two.json", tmp_path / "t.pq"), console())
    both = json.loads((tmp_path / "two.json").read_text())
    without = 0 if graded else in_unit
    for side in ("first", "second"):
        assert both[side]["run"]["solutions"] == whole - without
    told = f"Of the two runs' solutions {without} are left out"
    assert graded != any(told in caution for caution in both["first"]["cautions"])


def test_rollouts_that_are_gone(root: Path, tmp_path: Path) -> None:
    other = shutil.copytree(root, tmp_path / "run")
    part, *_ = parts(RunDir(other).rollouts)
    part.unlink()
    with pytest.raises(FileError, match="put it back from a copy"):
        findings_of(other, how=How(sample=0))


def test_the_rows_of_two_are_told_apart(root: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    audit(root, root, How(sample=0), Outputs(parquet=tmp_path / "two.parquet"), console())
    rows = pq.read_table(tmp_path / "two.parquet").to_pylist()
    keys = [
        tuple(r[k] for k in ("side", "measure", "reference", "rule", "n", "group")) for r in rows
    ]
    assert len(set(keys)) == len(keys)
    assert {row["side"] for row in rows} == {"first", "second"}
