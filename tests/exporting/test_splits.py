"""Splits go by question; balance takes exactly what it should, and leaves nobody out for good."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.exporting import Quota, split_of

SEEDS = st.integers(0, 2**32)


@given(st.text(min_size=1), st.floats(0, 1), st.floats(0, 1), SEEDS)
def test_a_larger_share_takes_no_question_out_of_test(
    question: str, one: float, other: float, seed: int
) -> None:
    small, large = sorted((one, other))
    if split_of(question, small, seed) == "test":
        assert split_of(question, large, seed) == "test"
    assert split_of(question, 0.0, seed) == "train"


@pytest.mark.parametrize(
    "spelled", ["what is 2 and 2", "What is $2$ and \\(2\\)?", "WHAT is 2,and 2"]
)
def test_a_question_spelled_otherwise_is_in_the_same_split(spelled: str) -> None:
    for seed in range(20):
        assert split_of(spelled, 0.5, seed) == split_of("What is 2 and 2?", 0.5, seed)


def test_questions_without_a_word_are_told_apart() -> None:
    assert len({split_of("?" * n, 0.5, 0) for n in range(1, 20)}) == 2


def test_the_share_is_about_the_share() -> None:
    tests = sum(split_of(f"question {i}", 0.2, 1) == "test" for i in range(5000))
    assert tests == pytest.approx(1000, abs=5 * (5000 * 0.2 * 0.8) ** 0.5)


@given(st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), SEEDS)
def test_a_quota_is_met_exactly(sizes: tuple[int, int], seed: int) -> None:
    wanted, offered = sizes
    quota = Quota(wanted, offered, seed)
    assert sum([quota.takes(f"s{i}") for i in range(offered)]) == wanted


def test_a_quota_takes_every_row_equally_often() -> None:
    taken = Counter[int]()
    for seed in range(2000):
        quota = Quota(3, 10, seed)
        taken.update(i for i in range(10) if quota.takes(f"s{i}"))
    assert all(taken[i] == pytest.approx(600, abs=5 * (2000 * 0.3 * 0.7) ** 0.5) for i in range(10))


def test_more_than_there_is_cannot_be_taken() -> None:
    with pytest.raises(ValueError, match="3 of 2 rows"):
        Quota(3, 2, 0)
