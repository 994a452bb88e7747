"""Settings that every test shares, and paths of the data that ships."""

import os
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent

settings.register_profile(
    "tests", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")


@pytest.fixture
def shared_data() -> Path:
    """Public data beside the project; tests that need it skip without it."""
    folder = os.environ.get("LABELER_SHARED")
    if not folder:
        pytest.skip("LABELER_SHARED is not set: public data is not part of the project")
    return Path(folder) / "data"
