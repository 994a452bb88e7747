"""`labeler label` on runs that an older grader graded: kept unasked, graded anew on request."""

import io
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from labeler import manifest
from labeler.apps.label import label, show
from labeler.apps.run import Summary, run
from labeler.config import ConfigError, load
from labeler.files import RunDir
from labeler.grading import AnswerGrader
from tests.apps.old_runs import OLD, age, all_right, files_of, first_two, verdict_rows
from tests.runs import label_rows, planted_config

HERE = AnswerGrader().version


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of three units."""
    folder = tmp_path_factory.mktemp("graded")
    done(folder)
    return folder


@pytest.fixture
def folder(graded: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(graded, tmp_path / "copy")
    return tmp_path / "copy"


def done(folder: Path) -> Summary:
    return run(load(planted_config(folder)))


def graders(root: Path) -> set[str]:
    return {entry.grader for entry in manifest.read(RunDir(root)).values()}


def test_labels_keep_the_grader_that_they_were_made_with(folder: Path) -> None:
    root = folder / "run"
    age(root, all_right)
    before = verdict_rows(root, OLD)
    facts = label(root, ["labels.n=2", "grading.workers=2"])
    assert facts.grader == OLD
    assert graders(root) == {OLD}
    assert OLD in (root / "README.md").read_text()
    assert verdict_rows(root, OLD) == before
    assert verdict_rows(root, HERE) == []
    measured = [step for row in label_rows(root) for step in row["labels"][:-1]]
    assert {step["n"] for step in measured} == {2}
    assert {step["soft"] for step in measured} == {1.0}


def test_verdicts_that_an_older_grader_did_not_give_are_not_mixed_in(folder: Path) -> None:
    root = folder / "run"
    age(root, first_two)
    label(root, ["labels.n=2"])
    before = files_of(root)
    for overrides in ([], ["labels.n=3", "labels.right_answers=true"]):
        with pytest.raises(ConfigError, match="--grader") as error:
            label(root, overrides)
        assert OLD in str(error.value)
        assert HERE in str(error.value)
        assert files_of(root) == before


def test_verdicts_that_this_grader_lacks_are_given(folder: Path) -> None:
    root = folder / "run"
    labels, verdicts = label_rows(root), verdict_rows(root, HERE)
    age(root, first_two, grader=HERE)
    label(root, ["labels.n=2"])
    assert verdict_rows(root, HERE) != verdicts
    label(root, [])
    assert verdict_rows(root, HERE) == verdicts
    assert label_rows(root) == labels


def test_grading_anew_leaves_the_old_verdicts_beside_the_new(folder: Path) -> None:
    root = folder / "run"
    labels, verdicts = label_rows(root), verdict_rows(root, HERE)
    age(root, all_right)
    old = files_of(root / "verdicts" / OLD)
    label(root, ["labels.n=2"])
    facts = label(root, [], regrade=True)
    assert (facts.grader, graders(root)) == (HERE, {HERE})
    assert verdict_rows(root, HERE) == verdicts
    assert label_rows(root) == labels
    assert files_of(root / "verdicts" / OLD) == old
    assert label(root, [], regrade=True) == facts


def test_units_may_rest_on_different_graders(folder: Path) -> None:
    root = folder / "run"
    age(root, first_two, units=["0001"])
    facts = label(root, ["labels.n=2"])
    assert facts.grader == f"{HERE}, {OLD}"
    out = io.StringIO()
    show(facts, root, Console(file=out, width=200))
    assert f"graded by {HERE}, {OLD}" in out.getvalue()
    assert f"labeler label {root} --grader" in out.getvalue()
    with pytest.raises(ConfigError, match="unit 0001 was graded by older1"):
        label(root, [])
    assert label(root, [], regrade=True).grader == HERE


def test_a_lost_label_part_is_made_anew_from_the_old_verdicts(folder: Path) -> None:
    root = folder / "run"
    labels = label_rows(root)
    age(root)
    entries = manifest.read(RunDir(root))
    (root / "staged" / entries["0000"].labels).unlink()
    label(root, [])
    assert label_rows(root) == labels
    (root / "staged" / entries["0000"].labels).unlink()
    (root / "verdicts" / OLD / "0000.parquet").unlink()
    with pytest.raises(ConfigError, match="--grader"):
        label(root, [])


def test_a_run_grades_anew_and_samples_nothing(folder: Path) -> None:
    root = folder / "run"
    labels = label_rows(root)
    age(root, all_right)
    summary = run(load(folder / "config.yaml", [f"run_dir={root}"]))
    assert summary.counters.rollouts == 0
    assert summary.facts.grader == HERE
    assert label_rows(root) == labels


def test_settings_that_make_another_grader_want_the_flag(folder: Path) -> None:
    root = folder / "run"
    before = files_of(root)
    other = "grading.conventions.units=required"
    with pytest.raises(ConfigError, match=r"make another grader .* add --grader"):
        label(root, [other, "labels.n=2"])
    assert files_of(root) == before
    strict = label(root, [other], regrade=True).grader
    assert strict != HERE
    assert verdict_rows(root, strict) != []
    assert label(root, ["labels.n=2"]).grader == strict
    assert label(root, [other]).grader == strict
    assert label(root, [], regrade=True).grader == HERE
