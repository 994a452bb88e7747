"""Sums and their intervals; reliability and what lies beyond the pool, on planted worlds."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.audit.auditing import audit
from labeler.audit.estimates import Sums, counted, estimate, per_problem, ratio, weights
from labeler.audit.measured import Key
from labeler.audit.mixture import fitted
from labeler.intervals import LEAST
from tests.audit.batches import One, made, planted, settings


def test_weights_are_poisson_and_a_problems_own() -> None:
    names = [f"p{i}" for i in range(400)]
    drawn = weights(names, seed=0)
    assert (drawn[:, 0] == 1).all()
    rest = drawn[:, 1:]
    shares = [float((rest == k).mean()) for k in range(4)]
    assert shares == pytest.approx(
        [np.exp(-1), np.exp(-1), np.exp(-1) / 2, np.exp(-1) / 6], abs=0.01
    )
    assert abs(np.corrcoef(rest[:200].ravel(), rest[200:].ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(rest[:, :100].ravel(), rest[:, 100:].ravel())[0, 1]) < 0.02
    assert (weights(names[7:9], seed=0) == drawn[7:9]).all()
    assert (weights(names[7:9], seed=1) != drawn[7:9]).any()


def test_sums_merge() -> None:
    luck = np.random.default_rng(0)
    parts = [luck.random((5, 3)) for _ in range(4)]
    names = [[f"{i}-{j}" for j in range(5)] for i in range(4)]
    one, two, whole = Sums(), Sums(), Sums()
    for i, (values, ids) in enumerate(zip(parts, names, strict=True)):
        sums = weights(ids, 0).T @ values
        for into in (whole, one if i % 2 else two):
            into.add("x", sums, np.array([5]))
    one.merge(two)
    assert one.table("x", 3) == pytest.approx(whole.table("x", 3))
    assert one.table("x", 3)[0] == pytest.approx(np.vstack(parts).sum(axis=0))
    assert one.problems("x", 1).tolist() == [20]
    assert (one.table("y", 2) == 0).all()
    with pytest.raises(ValueError, match="seeds"):
        one.merge(Sums(seed=1))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=20))
def test_items_are_counted_by_problem(items: list[tuple[int, int]]) -> None:
    problem, cell = (np.array([item[i] for item in items], dtype=np.int64) for i in (0, 1))
    weight = weights([f"p{i}" for i in range(4)], seed=0, replicates=3)
    one_hot = np.eye(3)[cell].reshape(-1, 3)
    wanted = weight.T @ per_problem(problem, one_hot, 4)
    assert counted(problem, cell, 3, weight) == pytest.approx(wanted)


def test_intervals_cover_what_is_true() -> None:
    """Of a share whose problems differ, in about 95% of planted samples."""
    luck = np.random.default_rng(1)
    hits, widths, trials = 0, [], 200
    for trial in range(trials):
        rates = luck.beta(2, 3, size=50)
        values = luck.binomial(4, rates)[:, None].astype(float)
        sums = weights([f"{trial}-{i}" for i in range(50)], 0).T @ np.hstack(
            (values, 0 * values + 4)
        )
        found = estimate(ratio(sums[:, 0], sums[:, 1]), 200, 50, is_share=True)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.4 <= found.high
        widths.append(found.high - found.low)
    assert 0.89 <= hits / trials <= 0.99
    alike = sqrt(0.4 * 0.6 / 200)
    assert np.mean(widths) > 1.1 * 2 * 1.96 * alike  # solutions of a problem are not independent


def test_what_is_rare_is_covered_too() -> None:
    """A share of .02 that one problem in ten has: a bootstrap alone holds it in about 80%."""
    luck = np.random.default_rng(2)
    hits, trials = 0, 200
    for trial in range(trials):
        values = luck.binomial(5, 0.2, size=(40, 1)) * (luck.random((40, 1)) < 0.1)
        sums = weights([f"{trial}-{i}" for i in range(40)], 0).T @ np.hstack(
            (values, 0 * values + 5)
        )
        found = estimate(ratio(sums[:, 0], sums[:, 1]), 200, 40, is_share=True)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.02 <= found.high
    assert hits / trials >= 0.9


def test_of_few_problems_intervals_reach_further() -> None:
    """By Student's t: of 6 problems 1.4 times as far as the replicates' own 95%."""
    drawn = np.concatenate(([0.0], np.random.default_rng(3).normal(size=100_000)))
    few, many = estimate(drawn, 6, 6), estimate(drawn, 9999, 9999)
    assert few.high == pytest.approx(2.571 * sqrt(6 / 5), rel=0.05)
    assert many.high == pytest.approx(1.96, rel=0.02)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(LEAST, 10**6))
def test_intervals_of_shares_are_shares(share: float, spread: float, problems: int) -> None:
    """Whatever replicates say, rounding of equal ones included."""
    ends = np.clip([share, share - spread, share + spread, share + 1e-17], 0, 1)
    found = estimate(ends, 10, problems, is_share=True)
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= share <= found.high <= 1


def test_what_cannot_be_said_is_none() -> None:
    nothing = estimate(np.full(11, np.nan), 0, 0)
    assert (nothing.value, nothing.low, nothing.high) == (None, None, None)
    few = estimate(np.full(11, 0.5), 8, LEAST - 1)
    assert (few.value, few.low) == (0.5, None)
    never = estimate(np.zeros(11), 30, 30, is_share=True)
    assert (never.low, never.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 30)))
    always = estimate(np.ones(11), 30, 30, is_share=True)
    assert (always.low, always.high) == (pytest.approx(0.025 ** (1 / 30)), 1.0)


def value(found: object, *key: object, **more: object) -> float:
    measured = found.measured[Key(*key, **more)]  # type: ignore[attr-defined]
    return float(measured.replicates[0])


def test_reliability_and_error_of_v_are_the_planted_ones() -> None:
    """Var V and E[V(1-V)] are recovered from four rollouts a prefix."""
    world = planted(7, problems=1500, pool=4)
    steps = world.steps
    found = audit([world.chains], settings(4))
    noise = float((steps * (1 - steps)).mean())
    for n in (1, 4, 8):
        wanted = steps.var() / (steps.var() + noise / n)
        assert value(found, "soft_reliability", "value", n=n) == pytest.approx(wanted, abs=0.02)
        assert value(found, "soft_se", "value", n=n) == pytest.approx(sqrt(noise / n), abs=0.01)
    one, four = (value(found, "soft_reliability", "value", n=n) for n in (1, 4))
    assert four == pytest.approx(4 * one / (1 + 3 * one))  # Spearman and Brown


def test_the_correlation_with_truth_is_corrected() -> None:
    world = planted(8, problems=1500, pool=4)
    good = np.concatenate(
        [(s.truth == 0) | (np.arange(1, len(s.n)) < s.truth) for s in world.solutions]
    )
    wanted = np.corrcoef(world.steps, good)[0, 1]
    found = audit([world.chains], settings(4))
    assert value(found, "soft_correlation", "value") == pytest.approx(wanted, abs=0.02)
    assert value(found, "soft_correlation", "truth", n=1) < wanted - 0.1


def test_labels_at_n_are_what_fresh_rollouts_would_be() -> None:
    """Against truth and in zeros, from a pool of 16, as (1-V)^N says."""
    world = planted(9, problems=1500, pool=16)
    found = audit([world.chains], settings(16))
    good = np.concatenate(
        [(s.truth == 0) | (np.arange(1, len(s.n)) < s.truth) for s in world.solutions]
    )
    for n in (1, 4, 16):
        zero = (1 - world.steps) ** n
        wrong = np.where(good, zero, 1 - zero).mean()
        assert value(found, "zero_share", "pool", n=n) == pytest.approx(zero.mean(), abs=0.01)
        assert value(found, "hard_wrong", "truth", n=n) == pytest.approx(wrong, abs=0.01)
    for n in (32, 64):  # beyond the pool
        zero = (1 - world.steps) ** n
        assert value(found, "zero_share", "value", n=n) == pytest.approx(zero.mean(), abs=0.015)


@given(st.lists(st.integers(0, 9), min_size=9, max_size=9).filter(any))
def test_the_mixture_keeps_to_what_any_distribution_obeys(counts: list[int]) -> None:
    histogram = np.array([counts], dtype=float)
    found = fitted(histogram)
    assert found.weights.sum() == pytest.approx(1)
    zero = [float(found.zero_share(n)[0]) for n in (4, 8, 16)]
    assert zero[0] >= zero[1] >= zero[2] >= zero[1] * (zero[1] / max(zero[0], 1e-300)) ** 2 - 1e-9


def test_soft_labels_against_the_pool_are_draws_without_replacement() -> None:
    """One prefix, (n, c) = (6, 2): the spread of the mean of two drawn ones."""
    chains = made([One("p", [6, 6], [3, 2])])
    found = audit([chains], settings(6, grid=(2,)))
    drawn = [
        (a + b) / 2 for i, a in enumerate([1, 1, 0, 0, 0, 0]) for b in [1, 1, 0, 0, 0, 0][i + 1 :]
    ]
    assert value(found, "soft_se", "pool", n=2) == pytest.approx(np.std(drawn))
    assert value(found, "soft_bias", "pool", n=2) == 0


def test_of_larger_pools_as_many_are_drawn() -> None:
    """Six rollouts where the pool is of four: two of the six, all wrong, in C(4, 2) of C(6, 2)."""
    found = audit([made([One("p", [6, 6], [3, 2])])], settings(4))
    assert value(found, "zero_share", "pool", n=2) == pytest.approx(6 / 15)
    assert value(found, "label_soft", group="bin=0.5-0.6") == pytest.approx(6 / 15)  # two of four
