"""An audited run, which every test leaves as it was."""

from pathlib import Path

import pytest

from tests.apps.audits import planted, truths


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, which every test leaves as it was."""
    return planted(tmp_path_factory.mktemp("audited"), problems_count=24)


@pytest.fixture(scope="module")
def truth(root: Path) -> Path:
    return truths(root, root.parent / "truth.jsonl")
