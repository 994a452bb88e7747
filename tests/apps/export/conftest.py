"""A labelled run, shared or to be changed."""

import shutil
from pathlib import Path

import pytest

from labeler.apps.run import run
from labeler.config import load
from tests.runs import planted_config


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planted run of 24 solutions; nothing changes it."""
    folder = tmp_path_factory.mktemp("exported")
    run(load(planted_config(folder)))
    return folder / "run"


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(root, tmp_path / "run")
    return tmp_path / "run"
