"""Steps that say nothing new bring nothing, on the recorded pool."""

from statistics import mean, median

import pytest

from labeler.labels.ratings import rating
from labeler.testbed import pool
from labeler.testbed.restated import Says, progress_of_right_steps, says
from tests.conftest import ROOT

QUESTION = "Nina starts with 14 shells. Omar has 9 more than Nina. How many has Omar?"
STEPS = ["Nina at first: 14.", "Omar: 14 + 9 = 23.", "The answer is 23.", "The answer is 7.", "So."]


@pytest.mark.parametrize(
    ("k", "kind"),
    [(1, Says.QUOTED), (2, Says.NEW), (3, Says.REPEATED), (4, Says.OTHER), (5, Says.OTHER)],
)
def test_a_step_by_its_text(k: int, kind: Says) -> None:
    assert says(QUESTION, STEPS, k) is kind


def test_restatements_have_progress_near_zero_and_are_rated_neutral() -> None:
    found = progress_of_right_steps(pool.load(ROOT / "data/testbed/pool.parquet"))
    sizes = {kind: [abs(p.mean) for p in steps] for kind, steps in found.items()}
    neutral = {
        kind: mean(rating(True, p.low, p.high, 0.1) == 0 for p in steps)
        for kind, steps in found.items()
    }
    assert len(sizes[Says.REPEATED]) > 100
    assert median(sizes[Says.REPEATED]) == 0
    assert mean(sizes[Says.REPEATED]) < 0.02
    assert mean(sizes[Says.NEW]) > 0.06
    assert neutral[Says.REPEATED] > 0.95
    assert neutral[Says.NEW] < 0.2
    # Quoting a number of the question is no restatement to the completer: it decides what follows.
    assert mean(sizes[Says.QUOTED]) > mean(sizes[Says.NEW])
