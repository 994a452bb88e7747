"""Damaged, foreign and lost files of a run: one message that names the file, or healed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from labeler.apps.label import label
from labeler.apps.run import Summary, run
from labeler.config import ConfigError, load
from labeler.files import FileError, RunDir, count_rows, parts
from labeler.model import LabelerError
from tests.apps.test_run import accounted
from tests.runs import label_rows, planted_config, rollout_rows


def done(config: Path, *overrides: str) -> Summary:
    return run(load(config, overrides))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A config whose run is done."""
    config = planted_config(tmp_path_factory.mktemp("finished"), count=6)
    done(config)
    return config


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> tuple[Path, str]:
    """A copy of the finished run, and the override that names it."""
    root = tmp_path / "run"
    shutil.copytree(finished.parent / "run", root)
    return root, f"run_dir={root}"


DAMAGES = {
    "config.json": ["", "[]", '{"config": []}', '{"architectures": []}', "\xff"],
    "units.json": ["", "[]", "{}", '{"units": 0}'],
    "quarantine.jsonl": ['{"pos', "[]", "{}"],
    "manifest/0000.json": ["", "[]", '{"unit": 3}'],
    "problems/0000.parquet": ["", "PAR1"],
    "problems/backup.parquet": ["PAR1"],
    "solutions/0000.parquet": ["", "PAR1"],
    "staged/": ["", "PAR1"],
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, ts in DAMAGES.items() for t in ts])
def test_a_damaged_file_is_named(
    finished: Path, copy: tuple[Path, str], name: str, text: str
) -> None:
    root, here = copy
    path = root / name if not name.endswith("/") else min((root / name).iterdir())
    path.unlink(missing_ok=True)  # a label part is linked into labels/
    path.write_bytes(text.encode("latin-1"))
    labels = label_rows(root)
    with pytest.raises(LabelerError) as error:
        done(finished, here)
    assert str(path) in str(error.value)
    assert label_rows(root) == labels


LOSSES: dict[str, Callable[[Path], None]] = {
    "one label part": lambda root: min((root / "staged").iterdir()).unlink(),
    "all label parts": lambda root: shutil.rmtree(root / "staged"),
    "the labels": lambda root: shutil.rmtree(root / "labels"),
    "the manifest": lambda root: shutil.rmtree(root / "manifest"),
    "a table of problems": lambda root: min((root / "problems").iterdir()).unlink(),
    "a table of solutions": lambda root: min((root / "solutions").iterdir()).unlink(),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_what_can_be_made_anew_is(finished: Path, copy: tuple[Path, str], loss: str) -> None:
    root, here = copy
    before = label_rows(root), rollout_rows(root)
    LOSSES[loss](root)
    summary = done(finished, here)
    assert (label_rows(root), rollout_rows(root)) == before
    assert summary.facts.rows_in == summary.facts.counts.solutions == len(before[0])
    accounted(summary, rows=len(before[0]))


def test_a_damaged_log_is_sampled_again_as_its_message_says(
    finished: Path, copy: tuple[Path, str]
) -> None:
    root, here = copy
    before = label_rows(root)
    part = min((root / "rollouts").iterdir())
    part.write_bytes(b"PAR1")
    with pytest.raises(FileError, match="move it and manifest/ out of the run directory") as error:
        label(root, ["labels.n=2"])
    assert str(part) in str(error.value)
    part.unlink()
    shutil.rmtree(root / "manifest")
    done(finished, here)
    assert label_rows(root) == before


def test_a_directory_of_something_else_is_left_alone(finished: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    for name in ("README.md", "labels/mine.txt", ".cache.tmp"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("mine")
    with pytest.raises(ConfigError, match="is no run directory"):
        done(finished, f"run_dir={root}")
    held = {str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()}
    assert {"README.md", "labels/mine.txt", ".cache.tmp"} <= held
    assert "config.json" not in held
    assert (root / "README.md").read_text() == "mine"


@pytest.mark.parametrize("text", ["", "\n\n", "not JSON\n", '{"question": "q"}\n'])
def test_input_without_a_usable_row_is_an_error(tmp_path: Path, text: str) -> None:
    config = planted_config(tmp_path)
    (tmp_path / "problems.jsonl").write_text(text)
    with pytest.raises(LabelerError, match=r"no row of .*problems\.jsonl can be used"):
        done(config)
    quarantine = RunDir(tmp_path / "run").quarantine
    held = quarantine.read_text().splitlines() if quarantine.exists() else []
    assert len(held) == len([line for line in text.split("\n") if line])


def test_golds_that_cannot_be_graded_count_once(tmp_path: Path) -> None:
    """With solutions or without, in whichever unit, however often the run goes on."""
    config = planted_config(tmp_path, count=8, generator={"per_problem": 3})
    source = tmp_path / "problems.jsonl"
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    for row in rows[::2]:
        row["answer"] = "\\frac{"
    for row in rows[:4]:
        del row["solutions"]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for override in ("seed=0", "generator.per_problem=5", "generator.per_problem=2"):
        summary = done(config, override)
        assert summary.facts.quarantined == {"unparsed_gold": 2 + 4}
        assert summary.facts.failed == 0
        stored = count_rows(parts(RunDir(tmp_path / "run").solutions))
        assert summary.facts.counts.solutions == stored - 4
        assert label(tmp_path / "run", ["labels.n=1"]).failed == 0
