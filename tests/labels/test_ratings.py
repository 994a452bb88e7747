"""The three-way label: neutral has to be shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.labels import Evidence, SolutionLabel, Tally
from labeler.labels.ratings import rating
from tests.labelled import RIGHT, UNGRADABLE, WRONG, ZERO, labelled

NUMBER = st.floats(-1, 1)


@pytest.mark.parametrize(
    ("target", "low", "high", "found"),
    [
        (True, -0.05, 0.09, 0),
        (True, -0.05, 0.1, 1),
        (True, -0.3, 0.0, 1),
        (True, None, None, 1),
        (False, -0.05, 0.05, -1),
        (False, None, None, -1),
        (None, -0.05, 0.05, None),
    ],
)
def test_the_rule(
    target: bool | None, low: float | None, high: float | None, found: int | None
) -> None:
    assert rating(target, low, high, 0.1) == found


@given(st.none() | st.booleans(), NUMBER, NUMBER, st.floats(0.01, 1))
def test_a_higher_threshold_only_adds_neutral_steps(
    target: bool | None, one: float, other: float, threshold: float
) -> None:
    low, high = sorted((one, other))
    tight, loose = rating(target, low, high, threshold / 2), rating(target, low, high, threshold)
    assert loose == tight or (tight, loose) == (1, 0)
    assert (loose is None) == (target is None)
    assert (loose == -1) == (target is False)


def rated(own: object, n: int, neutral: float | None) -> SolutionLabel:
    """Alive, alive, dead, dead."""
    tallies = {0: Tally(n, n), 1: Tally(n, n), 2: Tally(n, n), 3: Tally(n, 0)}
    return labelled(Evidence(own, tallies), 4, ZERO.model_copy(update={"neutral": neutral}))


def test_a_row_is_rated_on_request() -> None:
    assert [s.rating for s in rated(WRONG, 64, None).labels] == [None] * 4
    assert [s.rating for s in rated(WRONG, 64, 0.1).labels] == [0, 0, -1, -1]
    assert [s.rating for s in rated(WRONG, 8, 0.1).labels] == [1, 1, -1, -1]
    assert [s.rating for s in rated(WRONG, 8, 0.3).labels] == [0, 0, -1, -1]
    assert [s.rating for s in rated(RIGHT, 64, 0.1).labels] == [0, 0, 1, 1]
    undecided = labelled(
        Evidence(UNGRADABLE, {0: Tally(64, 64), 1: Tally(64, 64)}),
        3,
        ZERO.model_copy(update={"neutral": 0.1}),
    )
    assert [s.rating for s in undecided.labels] == [0, None, None]
