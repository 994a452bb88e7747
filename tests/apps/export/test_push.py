"""`--push` through huggingface_hub, to a real server on this machine."""

from pathlib import Path

import pytest

from labeler.apps.export import ExportWish, export
from labeler.apps.run import run
from labeler.config import ConfigError, load
from labeler.formats import Trl
from tests.apps.export.hub import TOKEN, serving
from tests.processes import finished
from tests.runs import planted_config


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pushed")
    run(load(planted_config(folder, count=4)))
    return folder / "run"


@pytest.fixture(autouse=True)
def online(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As a user would have it, with a home of its own."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")


def pushed(root: Path, out: Path) -> tuple[int, str]:
    return finished("export", root, "--format", "trl", "--out", out, "--push", "me/labels")


def test_the_folder_is_on_the_hub(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        code, output = pushed(root, tmp_path / "out")
    assert (code, "pushed to me/labels" in output) == (0, True), output + str(hub.requests)
    here = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    assert hub.files == here
    [created] = hub.created
    assert created == {
        "type": "dataset",
        "organization": "me",
        "name": "labels",
        "visibility": "private",
    }


def test_a_refused_push_keeps_the_export_and_says_how_to_go_on(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_" + "x" * 34)
    with serving() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        code, output = pushed(root, tmp_path / "out")
    assert (code, "Traceback" in output) == (1, False), output
    assert f"the export is whole in {tmp_path / 'out'}, but me/labels did not take it" in output
    assert "hf upload me/labels" in output
    assert hub.files == {}
    assert (tmp_path / "out" / "train.parquet").exists()


def test_a_name_that_no_hub_takes_is_told_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no dataset's name on a hub: give OWNER/NAME"):
        export(ExportWish(tmp_path / "absent", Trl(), tmp_path / "out", push="not a repo!"))


def test_no_hub_is_one_message(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    code, output = pushed(root, tmp_path / "out")
    assert (code, "did not take it" in output, "Traceback" in output) == (1, True, False), output
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    code, output = pushed(root, tmp_path / "out2")
    assert (code, "did not take it" in output, "Traceback" in output) == (1, True, False), output
