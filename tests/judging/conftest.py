"""A judged run."""

from pathlib import Path

import pytest

from tests.judging.judged import judged


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judged(tmp_path_factory.mktemp("judged"))
