"""Counts of rollouts, values with their intervals, and the interval of a difference."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.labels import Tally, Value, difference, jeffreys, tally
from labeler.model import Finish, Graded, Rollout, Verdict
from tests.labelled import CUT, RIGHT, UNGRADABLE, WRONG


def graded(verdict: Verdict, index: int = 0, n_tokens: int = 3) -> Graded:
    rollout = Rollout("k", 1, index, "c", None, "text", Finish.STOP, n_tokens, 5, 0.0)
    return Graded(rollout, verdict)


# -- counting -------------------------------------------------------------------------------


def test_a_tally_counts_each_kind() -> None:
    verdicts = [RIGHT, WRONG, CUT, UNGRADABLE, RIGHT]
    found = tally(graded(v, i) for i, v in enumerate(verdicts))
    assert found == Tally(n=4, correct=2, truncated=1, ungradable=1, n_tokens=15)
    assert found.n_rollouts == 5


def test_truncated_rollouts_leave_the_denominator_on_request() -> None:
    found = tally([graded(RIGHT), graded(CUT)], "ungradable")
    assert found == Tally(n=1, correct=1, truncated=1, ungradable=1, n_tokens=6)


@given(st.lists(st.sampled_from([RIGHT, WRONG, CUT, UNGRADABLE])), st.randoms())
def test_a_tally_ignores_order(verdicts: list[Verdict], shuffler: st.DataObject) -> None:
    there = [graded(v, i, n_tokens=i) for i, v in enumerate(verdicts)]
    back = list(there)
    shuffler.shuffle(back)
    assert tally(there) == tally(back)


# -- values ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("correct", "n", "low", "high"),
    [  # Brown, Cai and DasGupta 2001, table 5
        (0, 7, 0.0, 0.292),
        (1, 7, 0.016, 0.501),
        (2, 7, 0.065, 0.648),
        (3, 7, 0.139, 0.766),
        (7, 7, 0.708, 1.0),
    ],
)
def test_jeffreys_intervals_are_those_of_the_paper(
    correct: int, n: int, low: float, high: float
) -> None:
    assert jeffreys(correct, n, 0.95) == pytest.approx((low, high), abs=6e-4)


@given(st.integers(1, 3000), st.floats(0, 1), st.floats(0.5, 0.999))
def test_an_interval_holds_its_value(n: int, share: float, confidence: float) -> None:
    correct = round(n * share)
    low, high = jeffreys(correct, n, confidence)
    assert 0 <= low <= correct / n <= high <= 1
    assert (low == 0) == (correct == 0)
    assert (high == 1) == (correct == n)


def wilson(correct: int, n: int) -> Value:
    z, p = 1.959964, correct / n
    centre, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Value(n, correct, p, (centre - half) / scale, (centre + half) / scale)


def test_the_mover_interval_of_a_difference() -> None:
    # Newcombe 1998, table II, example (a), method 10: 56/70 - 48/80 from Wilson limits.
    found = difference(wilson(56, 70), wilson(48, 80))
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=6e-5)
