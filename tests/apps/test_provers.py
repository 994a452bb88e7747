"""Commands on runs with further completers: plan, inspect, doctor, and what readers see."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from labeler import manifest
from labeler.apps.doctor import roles
from labeler.apps.inspect import inspect, lines
from labeler.apps.label import label
from labeler.apps.pilot import completers as named
from labeler.apps.plan import plan
from labeler.apps.run import run
from labeler.config import ConfigError, load
from labeler.files import RunDir
from tests.prover_runs import CUT, SAME
from tests.runs import label_rows, planted_config, rollout_rows


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with two further completers."""
    folder = tmp_path_factory.mktemp("provers")
    run(load(planted_config(folder, completers=[CUT, SAME], labels={"best_of": [1, 4]})))
    return folder


@pytest.fixture
def folder(shared: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(shared, tmp_path / "copy")
    return tmp_path / "copy"


def test_the_plan_counts_further_completers(shared: Path, capsys: pytest.CaptureFixture) -> None:
    config, root = shared / "config.yaml", f"run_dir={shared / 'run'}"
    plan(load(config, [root]), None, Console(width=120))
    assert "Nothing is left to sample" in capsys.readouterr().out
    more = json.dumps([CUT | {"n": 8}, SAME])
    plan(load(config, [root, f"completers={more}"]), None, Console(width=120))
    table = [line.split() for line in capsys.readouterr().out.splitlines()]
    rows = {" ".join(words[:-1]) for words in table if words}
    prefixes = len({key for _, key, _ in rollout_rows(shared / "run")})
    assert f"rollouts of further completers {8 * prefixes} counted: cut," in rows
    assert f"still to sample {2 * prefixes}" in rows


def test_inspect_shows_every_prover_and_reads_older_label_sets(folder: Path) -> None:
    root = folder / "run"
    label(root, ["labels.weighted=true", "labels.neutral=0.9"])
    out = io.StringIO()
    inspect(root, None, 1, 0, Console(file=out, width=150))
    shown = out.getvalue()
    for told in ("cut/best_of_4  ", "same  ", "best_of_1  ", "weighted 0.", "rating "):
        assert told in shown
    row = label_rows(root)[0]
    del row["provers_0"]
    for step in row["labels"]:
        del step["rating"], step["weighted"]
    assert [line for line in lines(row, {}) if "weighted" in str(line)] == []


def test_datasets_reads_the_columns_of_provers(shared: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    files = {"data_files": str(shared / "run/labels/*.parquet"), "split": "train"}
    rows = datasets.load_dataset("parquet", **files, cache_dir=str(tmp_path))
    streamed = list(datasets.load_dataset("parquet", **files, streaming=True))
    assert [row["provers_0"] for row in rows] == [row["provers_0"] for row in streamed]
    names = ["best_of_1", "best_of_4", "cut", "cut/best_of_1", "cut/best_of_4", "same"]
    assert [p["prover"] for p in rows[0]["labels"][0]["provers"]][:6] == names


def test_doctor_looks_at_every_model(tmp_path: Path) -> None:
    same_model = {"name": "hot", "sampling": {"temperature": 1.3}}
    config = load(planted_config(tmp_path, completers=[CUT, same_model]))
    assert list(roles(config)) == ["completer", "prover cut"]
    assert roles(config)["prover cut"].completer == config.completers[0].completer


@pytest.mark.parametrize(
    ("completers", "told"),
    [
        ([CUT, CUT], "two completers are called cut"),
        ([CUT | {"name": "best_of_4"}], "labels.best_of"),
        ([CUT | {"name": "a/b"}], r"completers\.0\.name"),
        ([SAME | {"m": 3}], r"completers\.0\.m: no such key; valid are completer, n, name"),
        (
            [{"name": "x", "completer": {"kind": "planted", "truncate": 0.1}}],
            r"completers\.0\.completer\.truncate: no such key; did you mean 'truncated'",
        ),
    ],
)
def test_what_is_wrong_with_completers_is_named(
    tmp_path: Path, completers: list[dict[str, Any]], told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        load(planted_config(tmp_path, completers=completers))


def test_the_runs_own_completer_is_told_from_further_ones(folder: Path) -> None:
    where = RunDir(folder / "run")
    own = next(iter(manifest.read(where).values())).completer
    assert named(where) == (own, None)
    run(load(folder / "config.yaml", [f"run_dir={where.root}", "completers=[]"]))
    assert named(where) == (own, None)
    shutil.rmtree(where.manifest)
    run_again = load(folder / "config.yaml", [f"run_dir={where.root}"])
    assert run_again.completers
    where.config.write_text(
        json.dumps(
            json.loads(where.config.read_text()) | {"config": run_again.model_dump(mode="json")}
        )
    )
    assert named(where) == (own, None)
