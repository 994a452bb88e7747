"""ProcessBench's F1 and its company: by hand, and against what they must obey."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.intervals import of_share
from labeler.scores import F1, PLACES, f1, f1_of, f1_sums, interval, place, ratio, share_interval

ERROR = st.integers(0, 5)
PAIRS = st.lists(st.tuples(ERROR, st.none() | ERROR), max_size=20)


def test_f1_is_the_harmonic_mean_of_two_accuracies() -> None:
    pairs = [(1, 1), (2, 3), (2, 0), (4, None), (0, 0), (0, 2)]
    assert f1(pairs) == F1(error=0.25, right=0.5, f1=pytest.approx(1 / 3))


@pytest.mark.parametrize(
    ("pairs", "found"),
    [
        ([], F1(None, None, None)),
        ([(0, 0)], F1(None, 1.0, None)),
        ([(1, 1)], F1(1.0, None, None)),
        ([(1, 2), (0, 1)], F1(0.0, 0.0, 0.0)),
        ([(1, None), (0, None)], F1(0.0, 0.0, 0.0)),
        ([(3, 3), (0, 0)], F1(1.0, 1.0, 1.0)),
    ],
)
def test_nothing_is_none_and_undecided_is_wrong(pairs: list, found: F1) -> None:
    assert f1(pairs) == found


@given(PAIRS, PAIRS)
def test_sums_add_up(some: list, others: list) -> None:
    assert f1_of(f1_sums(some) + f1_sums(others)) == f1([*some, *others])


@given(PAIRS)
def test_undecided_is_as_good_as_a_wrong_answer(pairs: list) -> None:
    wrong = [(true, 99 if said is None else said) for true, said in pairs]
    assert f1(wrong) == f1(pairs)


@given(ERROR, st.none() | ERROR)
def test_a_place_is_exact_where_the_first_error_is(true: int, said: int | None) -> None:
    found = place(true, said)
    assert found in PLACES
    assert (found == "exact") == (said == true != 0)
    assert (found == "none") == (said == 0)


def test_places_by_hand() -> None:
    found = [place(3, said) for said in (1, 3, 4, 0, None)]
    assert found == list(PLACES)
    assert place(0, 2) == "early"


def test_the_interval_of_a_share_is_that_of_independent_items() -> None:
    hits = np.random.default_rng(7).random(400) < 0.3
    low, high = share_interval(np.stack([np.ones(400), hits], axis=1)) or (0, 0)
    spread = 1.96 * np.sqrt(hits.mean() * (1 - hits.mean()) / 400)
    assert low == pytest.approx(hits.mean() - spread, abs=0.01)
    assert high == pytest.approx(hits.mean() + spread, abs=0.01)


def test_the_interval_of_a_number_is_that_of_its_mean() -> None:
    drawn = np.random.default_rng(7).normal(size=400)
    low, high = interval(drawn[:, None], lambda s: float(s[0]) / 400) or (0, 0)
    assert low == pytest.approx(drawn.mean() - 1.96 / 20, abs=0.02)
    assert high == pytest.approx(drawn.mean() + 1.96 / 20, abs=0.02)


def test_solutions_of_one_problem_are_one_piece_of_evidence() -> None:
    one = np.array([[1, 1], [1, 0]] * 50)
    ten = one * 10
    assert share_interval(ten) == pytest.approx(share_interval(one))
    assert interval(ten, ratio) == interval(one, ratio)


def test_what_never_happened_may_happen() -> None:
    """A bootstrap of 30 problems that all agree says 1 to 1."""
    always = share_interval([[2, 2]] * 30)
    assert always == (pytest.approx(0.025 ** (1 / 30)), 1.0)
    assert share_interval([[2, 0]] * 30) == (0.0, pytest.approx(1 - 0.025 ** (1 / 30)))
    assert interval([[2, 2]] * 30, ratio) is None


@given(st.floats(0, 1), st.floats(0, 0.25), st.integers(5, 10**6))
def test_intervals_of_shares_are_shares(share: float, variance: float, problems: int) -> None:
    low, high = of_share(share, variance, problems)
    assert 0 <= low <= share <= high <= 1


def test_a_tiny_share_is_no_reason_for_a_wide_interval() -> None:
    """Not wider than that of one that never happened; a share of rounding errors is none."""
    for share, spread in ((3.9e-8, 3e-8), (1e-5, 2e-5), (6.7e-17, 1e-17)):
        never = of_share(0.0, 0.0, 58)[1]
        for p in (share, 1 - share):
            low, high = of_share(p, spread**2, 58)
            assert high - low <= never + 1e-9


def test_problems_without_anything_are_no_evidence() -> None:
    some = [[1, 1], [1, 0]] * 4
    assert share_interval(some + [[0, 0]] * 100) == share_interval(some)


def test_an_interval_needs_groups_and_values() -> None:
    assert share_interval([[5, 3]] * 4) is None
    assert share_interval(np.empty((0, 2))) is None
    assert share_interval([[0, 0]] * 9) is None
    assert interval([[5, 3], [5, 4]] * 2, ratio) is None
    assert interval(np.empty((0, 2)), ratio) is None
    assert interval([[0, 0]] * 9, ratio) is None
