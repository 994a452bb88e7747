import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.apps.pilot import speed


@given(
    rate=st.integers(1, 50),
    seconds=st.integers(10, 100),
    pause=st.integers(100, 10_000),
    engines=st.integers(1, 4),
)
def test_speed_leaves_pauses_out(rate: int, seconds: int, pause: int, engines: int) -> None:
    first = [(i / rate, 7) for i in range(rate * seconds + 1)]
    later = [(at + seconds + pause, tokens) for at, tokens in first]
    measured = speed([*later, *first], engines)
    assert measured is not None
    assert measured.tokens * engines == pytest.approx(7 * rate, rel=0.15)
    assert measured.rollouts * 7 == pytest.approx(measured.tokens)


def test_a_moment_tells_no_speed() -> None:
    assert speed([], 1) is None
    assert speed([(5.0, 100)] * 50, 1) is None
