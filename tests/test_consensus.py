"""Consensus filtering: buckets, kappa, and counts that add up."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.consensus import Bucket, ConsensusConfig, Pair, agreement, bucket, decide, kappa

NAMED = st.none() | st.integers(0, 6)


@given(NAMED, NAMED, st.integers(0, 3))
def test_every_solution_is_in_one_bucket(ours: int | None, judge: int | None, far: int) -> None:
    found = bucket(ours, judge, far)
    assert (found is Bucket.ROLLOUTS_UNDECIDED) == (ours is None)
    assert (found is Bucket.BOTH_NONE) == (ours == 0 and judge == 0)
    if found is Bucket.SAME_STEP:
        assert ours
        assert judge
        assert abs(ours - judge) <= far
    if found is Bucket.DISAGREE:
        assert ours is not None
        assert judge is not None
        assert (ours == 0) != (judge == 0) or abs(ours - judge) > far


@given(NAMED, NAMED)
def test_a_wider_tolerance_keeps_what_a_narrower_one_kept(
    ours: int | None, judge: int | None
) -> None:
    kept = [decide(ours, judge, ConsensusConfig(tolerance=far))[0] for far in range(7)]
    assert kept == sorted(kept)


@given(NAMED, NAMED, st.sampled_from(Bucket), st.booleans())
def test_what_is_not_kept_says_why(
    ours: int | None, judge: int | None, of: Bucket, keep: bool
) -> None:
    config = ConsensusConfig.model_validate({of.value: keep})
    kept, reason = decide(ours, judge, config)
    assert (reason is None) == kept
    if bucket(ours, judge) is of:
        assert kept == keep


def test_kappa() -> None:
    # 50 subjects, 20 both yes, 15 both no: observed .7, by chance .5 (Cohen's own form).
    assert kappa({(1, 1): 20, (1, 0): 5, (0, 1): 10, (0, 0): 15}) == pytest.approx(0.4)
    assert kappa({(2, 2): 3, (0, 0): 1}) == 1.0
    assert kappa({}) is None
    assert kappa({(0, 0): 9}) is None


@given(st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 9)))
def test_kappa_is_symmetric_and_at_most_one(counts: dict[tuple[int, int], int]) -> None:
    found = kappa(counts)
    assert found == kappa({(b, a): n for (a, b), n in counts.items()})
    assert found is None or found <= 1


@given(st.lists(st.tuples(NAMED, NAMED, st.booleans(), st.sampled_from("ab"))))
def test_counts_add_up(rows: list[tuple[int | None, int | None, bool, str]]) -> None:
    found = agreement(Pair(a, b, kept, {"source": source}) for a, b, kept, source in rows)
    assert found.solutions == sum(found.matrix.values()) == len(rows)
    assert found.kept == sum(kept for _, _, kept, _ in rows)
    by_source = Counter(source for *_, source in rows)
    rates = found.keep_rates.get("source", {})
    assert {group: n for group, (_, n) in rates.items()} == by_source
    assert sum(kept for kept, _ in rates.values()) == found.kept
