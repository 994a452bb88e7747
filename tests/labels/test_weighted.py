"""ReST-MCTS*'s weighted values: even climbs, and falls that cost what they would have brought."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.labels import Evidence, Tally
from labeler.labels.weighted import weighted_values
from tests.labelled import RIGHT, UNGRADABLE, WRONG, ZERO, labelled

HARD = st.lists(st.booleans(), min_size=1, max_size=12)


def test_by_hand() -> None:
    # m = 3, 2, 1, 0 steps to go. 0 + 1/4; + (3/4)/3 = 1/2; - (1/2)/2 = 1/4; - (3/4)/1 < 0.
    assert weighted_values([True, True, False, False]) == pytest.approx([0.25, 0.5, 0.25, 0.0])
    assert weighted_values([False, True]) == pytest.approx([0.0, 1.0])


@given(st.integers(1, 50))
def test_good_steps_climb_evenly_to_one(steps: int) -> None:
    climb = [k / steps for k in range(1, steps + 1)]
    assert weighted_values([True] * steps) == pytest.approx(climb)


@given(HARD)
def test_values_stay_between_zero_and_one(hard: list[bool]) -> None:
    values = weighted_values(hard)
    assert all(v is not None and 0 <= v <= 1 for v in values)
    before = [0.0, *values]
    for good, old, new in zip(hard, before, values, strict=False):
        assert new >= old if good else new <= old
    last = 1.0 if hard[-1] else max(0.0, 2 * before[-2] - 1)
    assert values[-1] == pytest.approx(last), "no step is to go: a good one brings all that lacks"


@given(HARD, st.integers(0, 11))
def test_nothing_is_known_from_an_unknown_step_on(hard: list[bool], at: int) -> None:
    gap = [None if k == at else good for k, good in enumerate(hard)]
    assert (
        weighted_values(gap)
        == [*weighted_values(hard)[:at], *[None] * (len(hard) - at)][: len(hard)]
    )


def test_a_row_has_them_on_request() -> None:
    config = ZERO.model_copy(update={"weighted": True})
    tallies = {0: Tally(8, 8), 1: Tally(8, 3), 2: Tally(8, 0)}
    known = Evidence(WRONG, tallies)
    assert [s.weighted for s in labelled(known, 3).labels] == [None] * 3
    found = [s.weighted for s in labelled(known, 3, config).labels]
    assert found == pytest.approx([1 / 3, 0.0, 0.0])
    right = labelled(Evidence(RIGHT, {1: Tally(8, 1), 2: Tally(8, 1)}), 3, config)
    assert [s.weighted for s in right.labels] == pytest.approx([1 / 3, 2 / 3, 1.0])
    unknown = labelled(Evidence(UNGRADABLE, {1: Tally(8, 1)}), 2, config)
    assert [s.weighted for s in unknown.labels] == [0.5, None]
