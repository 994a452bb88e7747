"""The value under Best-of-J: unbiased, between the value and one, and what its interval is."""

from fractions import Fraction
from itertools import pairwise, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.labels import Value, jeffreys, measured
from labeler.labels.best_of import best_of

COUNTS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize("n", [1, 2, 4, 7])
@pytest.mark.parametrize("value", [Fraction(0), Fraction(1, 10), Fraction(2, 3), Fraction(1)])
def test_it_is_unbiased_over_all_outcomes(n: int, value: Fraction) -> None:
    for j in range(1, n + 1):
        mean = sum(
            float(prod(value if right else 1 - value for right in outcome))
            * best_of(measured(sum(outcome), n, 0.95), j).soft
            for outcome in product((False, True), repeat=n)
        )
        assert mean == pytest.approx(float(1 - (1 - value) ** j), abs=1e-12)


def test_the_plain_estimate_would_not_be() -> None:
    # Chen et al. 2021, section 2.1: 1 - (1 - c/n)^J is biased. V = 1/2, n = J = 2.
    plain = sum(0.25 * (1 - (1 - sum(o) / 2) ** 2) for o in product((0, 1), repeat=2))
    ours = sum(0.25 * best_of(measured(sum(o), 2, 0.95), 2).soft for o in product((0, 1), repeat=2))
    assert (plain, ours) == (0.625, 0.75)


def test_by_hand() -> None:
    # 3 of 8 right; of the C(8, 4) = 70 ways to draw four, C(5, 4) = 5 hold no right one.
    found = best_of(measured(3, 8, 0.95), 4)
    assert (found.n, found.correct, found.soft) == (8, 3, 65 / 70)
    low, high = jeffreys(3, 8, 0.95)
    assert (found.low, found.high) == pytest.approx((1 - (1 - low) ** 4, 1 - (1 - high) ** 4))


@given(COUNTS, st.floats(0.5, 0.999))
def test_best_of_one_is_the_value(counts: tuple[int, int], confidence: float) -> None:
    value = measured(*counts, confidence)
    one = best_of(value, 1)
    assert (one.n, one.correct, one.soft) == (value.n, value.correct, value.soft)
    assert (one.low, one.high) == pytest.approx((value.low, value.high), abs=1e-12)


@given(COUNTS, st.floats(0.5, 0.999))
def test_it_grows_with_j_from_the_value_to_one(counts: tuple[int, int], confidence: float) -> None:
    value = measured(*counts, confidence)
    found = [best_of(value, j) for j in range(1, value.n + 1)]
    for fewer, more in pairwise(found):
        assert value.soft <= fewer.soft <= more.soft <= 1
        assert fewer.high <= more.high + 1e-12
    for one in found:
        assert 0 <= one.low <= one.soft <= one.high <= 1
    assert found[-1].soft == float(value.correct > 0)


@given(COUNTS, st.integers(1, 300))
def test_fewer_rollouts_than_j_say_nothing(counts: tuple[int, int], j: int) -> None:
    found = best_of(measured(*counts, 0.95), j)
    assert {found.soft is None, found.low is None, found.high is None} == {counts[1] < j}
    assert best_of(measured(0, 0, 0.95), j) == Value(0, 0, None, None, None)
