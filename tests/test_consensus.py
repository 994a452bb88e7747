"""Consensus filtering: buckets, kappa, and counts that add up."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.consensus import (
    Bucket,
    ConsensusConfig,
    Pair,
    agreement,
    bucket,
    decide,
    kappa,
    matters,
)

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


WHY = st.none() | st.sampled_from(["disagree", "judge_unparsed"])


@given(st.lists(st.tuples(NAMED, NAMED, WHY, st.sampled_from("ab"))))
def test_counts_add_up(rows: list[tuple[int | None, int | None, str | None, str]]) -> None:
    found = agreement(Pair(a, b, why, {"source": source}) for a, b, why, source in rows)
    assert found.solutions == sum(found.matrix.values()) == len(rows)
    assert found.kept == sum(why is None for _, _, why, _ in rows)
    assert found.reasons == Counter(why for _, _, why, _ in rows if why)
    by_source = Counter(source for *_, source in rows)
    rates = found.keep_rates.get("source", {})
    assert {group: n for group, (_, n) in rates.items()} == by_source
    assert sum(kept for kept, _ in rates.values()) == found.kept


POLICY = st.builds(
    lambda kept, far: ConsensusConfig(tolerance=far, **{b.value: b in kept for b in Bucket}),
    st.sets(st.sampled_from(Bucket)),
    st.integers(0, 2),
)


@given(NAMED, st.integers(6, 9), st.data(), POLICY)
def test_asking_only_where_it_matters_keeps_the_same_solutions(
    ours: int | None, steps: int, data: st.DataObject, config: ConsensusConfig
) -> None:
    named = data.draw(st.none() | st.integers(0, steps))
    heard = named if matters(ours, steps, config) else None
    assert decide(ours, named, config)[0] == decide(ours, heard, config)[0]


@given(NAMED, st.integers(1, 6), st.lists(st.sampled_from(Bucket), unique=True), st.integers(0, 2))
def test_a_judge_is_asked_where_some_answer_changes_what_is_kept(
    ours: int | None, steps: int, kept: list[Bucket], far: int
) -> None:
    config = ConsensusConfig(tolerance=far, **{b.value: b in kept for b in Bucket})
    outcomes = {decide(ours, judge, config)[0] for judge in (None, *range(steps + 1))}
    assert matters(ours, steps, config) == (outcomes == {True, False})
    if ours is None:
        assert not matters(ours, steps, config)
