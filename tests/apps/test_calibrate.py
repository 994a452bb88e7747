"""`labeler calibrate` on planted runs: any log will do, and what it writes is what a run reads."""

import io
import json
import re
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from labeler.apps.calibrate import Calibrated, calibrate
from labeler.apps.counted import NoRolloutsError
from labeler.apps.label import label
from labeler.apps.run import run
from labeler.config import ConfigError, load
from labeler.files import FileError, RunDir
from labeler.model import LabelerError
from labeler.posterior import ValueModel
from tests.apps.old_runs import OLD, age
from tests.runs import label_rows, planted_config, rollout_rows


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A config whose run is done: 32 rollouts of each prefix."""
    config = planted_config(
        tmp_path_factory.mktemp("pilot"), policy={"kind": "exhaustive", "n": 32}
    )
    run(load(config))
    return config


@pytest.fixture
def root(finished: Path, tmp_path: Path) -> Path:
    """A copy of its run directory."""
    shutil.copytree(finished.parent / "run", tmp_path / "run")
    return tmp_path / "run"


def made(root: Path, truth: Path | None = None, out: Path | None = None) -> tuple[Calibrated, str]:
    printed = io.StringIO()
    found = calibrate(root, truth, out, Console(file=printed, width=80))
    return found, printed.getvalue()


def test_what_is_written_serves_a_run_and_its_labels(finished: Path, root: Path) -> None:
    found, shown = made(root)
    written = root / "value_model.yaml"
    assert f"written to {written}" in shown
    assert found.model != ValueModel()
    assert found.goodness.bits > 0
    assert found.rollouts == len(rollout_rows(root))
    config = load(finished, [f"value_model={written}", "policy.kind=adaptive"])
    assert config.labels.value_model == found.model
    label(root, [f"labels.value_model={written}"])
    rule = json.loads(next((root / "manifest").iterdir()).read_text())["rule"]
    assert ValueModel(**rule["value_model"]) == found.model


def test_what_the_log_holds_counts_and_nothing_else(root: Path, tmp_path: Path) -> None:
    whole, _ = made(root)
    for name in ("manifest", "staged", "labels"):
        shutil.rmtree(root / name)
    again, _ = made(root, out=tmp_path / "other.yaml")
    assert again == whole
    assert (tmp_path / "other.yaml").exists()


def test_a_trees_branches_are_no_sample(tmp_path: Path) -> None:
    tree = {"kind": "omega", "searches": 4}
    completer = {"kind": "planted", "steps": 5}
    run(load(planted_config(tmp_path, policy=tree, completer=completer)))
    found, _ = made(tmp_path / "run")
    generators = [row["generator"] for row in label_rows(tmp_path / "run")]
    assert found.completer in generators
    assert found.solutions == sum(name != found.completer for name in generators)


def test_an_older_graders_verdicts_count(root: Path) -> None:
    whole, _ = made(root)
    age(root)
    assert (root / "verdicts" / OLD).exists()
    assert made(root)[0] == whole


def test_a_deep_log_tells_of_the_value_reference(root: Path) -> None:
    found, shown = made(root)
    assert found.reference is not None
    assert found.reference.solutions == found.solutions
    assert "from 8 rollouts a prefix, against all" in shown
    assert found.truth is None


def truths(root: Path, path: Path, *, by_text: bool) -> Path:
    """What the planted steps say themselves: the first one with a value of at most 0.05."""
    lines = []
    for row in label_rows(root):
        values = [float(re.findall(r"Value (\d[.\d]*)\.", step)[0]) for step in row["steps"]]
        first = next((k for k, value in enumerate(values, 1) if value <= 0.05), 0)
        named = {"problem_id": row["problem_id"], "solution": " ".join(row["steps"])}
        named = named if by_text else {"solution_id": row["solution_id"]}
        lines.append(json.dumps(named | {"first_error": first}) + "\n")
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize("by_text", [False, True])
def test_the_truth_gives_a_map(root: Path, tmp_path: Path, by_text: bool) -> None:
    found, shown = made(root, truths(root, tmp_path / "truth.jsonl", by_text=by_text))
    assert found.truth is not None
    assert found.truth.solutions == found.solutions
    assert found.truth.right > 0.7
    assert found.truth_map
    assert "against the truth" in shown
    text = (root / "value_model.yaml").read_text()
    assert "truth_map:" in text
    assert made(root)[0].model == found.model


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"first_error": 1}, "names no solution"),
        ({"solution_id": "x"}, "`first_error` is"),
        ({"solution_id": "x", "first_error": -1}, "`first_error` is"),
        ({"solution_id": "x", "first_error": 1}, "names none of the solutions"),
        ([], "is no row"),
        (None, "there is no file"),
    ],
)
def test_truths_that_do_not_fit_are_explained(
    root: Path, tmp_path: Path, row: object, said: str
) -> None:
    path = tmp_path / "truth.jsonl"
    if row is not None:
        path.write_text(json.dumps(row))
    with pytest.raises(ConfigError, match=said):
        made(root, path)


def test_truths_may_repeat_or_be_unknown_but_not_contradict(root: Path, tmp_path: Path) -> None:
    path = truths(root, tmp_path / "truth.jsonl", by_text=False)
    before = made(root, path)[0].truth
    rows = path.read_text().splitlines()
    name = json.loads(rows[0])["solution_id"]
    unknown = json.dumps({"solution_id": name, "first_error": None})
    path.write_text("\n".join([*rows, rows[0], unknown]))
    assert made(root, path)[0].truth == before
    other = json.dumps(
        json.loads(rows[0]) | {"first_error": json.loads(rows[0])["first_error"] + 1}
    )
    path.write_text("\n".join([*rows, other]))
    with pytest.raises(ConfigError, match="an earlier row says"):
        made(root, path)


def test_a_directory_is_no_file_to_write(root: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a directory"):
        made(root, out=tmp_path)


def test_a_step_that_is_not_there_is_refused(root: Path, tmp_path: Path) -> None:
    row = label_rows(root)[0]
    wrong = {"solution_id": row["solution_id"], "first_error": len(row["steps"]) + 1}
    (tmp_path / "truth.jsonl").write_text(json.dumps(wrong))
    with pytest.raises(ConfigError, match="steps, and its `first_error`"):
        made(root, tmp_path / "truth.jsonl")


def test_what_tells_nothing_is_refused(root: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a run"):
        made(tmp_path)
    shutil.rmtree(RunDir(root).rollouts)
    with pytest.raises(NoRolloutsError, match="nothing to fit to"):
        made(root)


@pytest.mark.parametrize("name", ["problems", "rollouts", "verdicts", "config.json"])
def test_a_damaged_file_is_named(root: Path, name: str) -> None:
    place = root / name
    path = place if place.is_file() else min(place.rglob("*.parquet"))
    path.write_bytes(b"PAR1")
    with pytest.raises(LabelerError) as error:
        made(root)
    assert isinstance(error.value, FileError)
    assert str(path) in str(error.value)
