"""Calibration errors and monotone maps of drawn points."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.apps.reliability import GROUP, Point, calibration, cross_fitted, monotone_map

points = st.lists(
    st.builds(
        Point,
        problem=st.sampled_from("abcdefgh"),
        confidence=st.floats(0, 1),
        hit=st.sampled_from([0.0, 1.0]),
    ),
    min_size=1,
    max_size=120,
)


def drawn(truth: float, count: int = 4000) -> list[Point]:
    """Points whose hits come with the probability `confidence ** truth`."""
    rng = np.random.default_rng(1)
    said = rng.uniform(0.3, 1, count)
    hits = rng.random(count) < said**truth
    return [
        Point(str(i // 2), float(s), float(h))
        for i, (s, h) in enumerate(zip(said, hits, strict=True))
    ]


@given(points)
def test_the_error_and_its_interval_are_in_range(found: list[Point]) -> None:
    made = calibration(found)
    assert 0 <= made.low <= made.high <= 1
    assert abs(made.confidence - made.right) - 1e-9 <= made.ece <= 1
    assert made.solutions == len(found)


@given(points)
def test_a_map_never_falls(found: list[Point]) -> None:
    pairs = monotone_map(found)
    assert 1 <= len(pairs) <= max(1, len(found) // GROUP)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(pairs))
    assert all(0 <= right <= 1 for _, right in pairs)


def test_what_is_calibrated_is_found_so_and_what_is_not_can_be_mapped() -> None:
    assert calibration(drawn(1)).ece < 0.03
    off = drawn(3)
    assert calibration(off).low > 0.15
    mapped = cross_fitted(off)
    assert len(mapped) == len(off)
    assert calibration(mapped).ece < 0.04
    said, right = zip(*monotone_map(off), strict=True)
    assert np.interp(0.8, said, right) == pytest.approx(0.8**3, abs=0.06)
