"""A run directory."""

from pathlib import Path

import pytest

from labeler.files import RunDir


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")
