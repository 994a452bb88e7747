"""An audited run, which no test changes."""

from pathlib import Path

import pytest

from tests.apps.audits import planted, truths


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, which no test changes."""
    return planted(tmp_path_factory.mktemp("audited"), problems_count=24)


@pytest.fixture(scope="module")
def truth(root: Path) -> Path:
    return truths(root, root.parent / "truth.jsonl")
