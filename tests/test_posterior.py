"""The value model's mathematics against brute force, its limits, and its calibration."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import comb
from scipy.stats import beta, betabinom

from labeler.posterior import ValueModel, first_error_prior, posterior

pytestmark = pytest.mark.filterwarnings("error")
MODEL = ValueModel()
Floats = NDArray[np.float64]
Table = Sequence[tuple[int, int]]
OWN = st.sampled_from([True, False, None])


@st.composite
def counts(draw: st.DrawFn, max_n: int = 12, max_steps: int = 6) -> Table:
    n = draw(st.lists(st.integers(0, max_n), min_size=1, max_size=max_steps))
    return [(m, draw(st.integers(0, m))) for m in n]


def brute(
    table: Table, own: bool | None, model: ValueModel, points: int = 4000
) -> tuple[Floats, Floats]:
    """First error and means by plain summation over v, from scipy's beta-binomial.

    The mean of prefix k is the ratio of two likelihoods: with a further correct rollout and
    without.
    """
    v = (np.arange(points) + 0.5) / points
    weight = beta.pdf(v, model.v_a, model.v_b)
    prior = first_error_prior(len(table), own, model)

    def joint(rows: Table) -> Floats:
        def one(k: int, alive: bool) -> Floats:
            n, c = rows[k]
            if alive:
                a, b = model.kappa * v, model.kappa * (1 - v)
                return betabinom.pmf(c, n, a, b) / comb(n, c)
            luck = betabinom.pmf(c, n, model.dead_a, model.dead_b) / comb(n, c)
            return (model.zero * (c == 0) + (1 - model.zero) * luck) * np.ones_like(v)

        firsts = [*range(1, len(rows) + 1), len(rows) + 1]
        return np.array(
            [
                p * sum(weight * np.prod([one(k, k < t) for k in range(len(rows))], axis=0))
                for t, p in zip(firsts, prior, strict=True)
            ]
        )

    base = joint(table)
    more = [
        [(n + (i == k), c + (i == k)) for i, (n, c) in enumerate(table)] for k in range(len(table))
    ]
    return base / base.sum(), np.array([joint(m).sum() / base.sum() for m in more])


@pytest.mark.parametrize("own", [True, False, None])
@pytest.mark.parametrize(
    "table",
    [
        [(0, 0)],
        [(4, 1)],
        [(8, 3), (8, 0)],
        [(4, 2), (0, 0), (4, 0), (2, 1)],
        [(8, 8), (8, 7), (8, 1), (8, 0), (8, 0)],
        [(3, 0), (3, 0), (3, 0)],
    ],
)
def test_agrees_with_plain_summation(table: Table, own: bool | None) -> None:
    found = posterior(table, own, MODEL)
    first_error, mean = brute(table, own, MODEL)
    np.testing.assert_allclose(found.first_error, first_error, atol=2e-3)
    np.testing.assert_allclose(found.mean[:-1], mean, atol=2e-3)


def test_other_parameters_agree_too() -> None:
    model = ValueModel(kappa=20, v_a=2, v_b=3, zero=0.2, dead_a=0.5, dead_b=4, sound=0.6, right=0.3)
    table = [(8, 3), (8, 2), (8, 1), (8, 0)]
    for own in (True, False, None):
        first_error, mean = brute(table, own, model)
        found = posterior(table, own, model)
        np.testing.assert_allclose(found.first_error, first_error, atol=2e-3)
        np.testing.assert_allclose(found.mean[:-1], mean, atol=2e-3)


@given(counts(), OWN)
def test_probabilities_and_intervals_are_in_range(table: Table, own: bool | None) -> None:
    found = posterior(table, own, MODEL)
    assert found.first_error.shape == found.mean.shape == (len(table) + 1,)
    assert found.first_error.min() >= 0
    assert found.first_error.sum() == pytest.approx(1)
    assert (found.low >= 0).all()
    assert (found.low <= found.high).all()
    assert (found.high <= 1).all()
    assert ((found.mean >= 0) & (found.mean <= 1)).all()


@given(counts(), OWN, st.data())
def test_more_correct_rollouts_mean_a_higher_value(
    table: Table, own: bool | None, data: st.DataObject
) -> None:
    k = data.draw(st.integers(0, len(table) - 1))
    n, c = table[k]
    if c == n:
        return
    more = list(table)
    more[k] = n, c + 1
    assert posterior(more, own, MODEL).mean[k] >= posterior(table, own, MODEL).mean[k] - 1e-12


def test_without_rollouts_it_is_the_prior() -> None:
    wrong = posterior(np.zeros((4, 2)), False, MODEL)
    np.testing.assert_allclose(wrong.first_error, [0.25, 0.25, 0.25, 0.25, 0])
    assert wrong.mean[0] == pytest.approx(0.5)
    assert wrong.mean[-1] == wrong.low[-1] == wrong.high[-1] == 0
    right = posterior(np.zeros((4, 2)), True, MODEL)
    assert right.first_error[-1] == pytest.approx(MODEL.sound)
    unknown = posterior(np.zeros((4, 2)), None, MODEL)
    np.testing.assert_allclose(unknown.first_error, (wrong.first_error + right.first_error) / 2)
    assert (unknown.mean[-1], unknown.low[-1], unknown.high[-1]) == (pytest.approx(0.5), 0, 1)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9, 1.0])
def test_many_rollouts_outweigh_the_model(share: float) -> None:
    n = 10_000
    found = posterior([(n, int(n * share))] * 5, None, MODEL)
    np.testing.assert_allclose(found.mean[:-1], share, atol=2e-3)
    assert (found.high[:-1] - found.low[:-1] < 0.025).all()


@given(st.lists(st.tuples(st.integers(0, 10_000), st.floats(0, 1)), min_size=1, max_size=12), OWN)
def test_it_stays_finite_at_thousands_of_rollouts(
    rows: list[tuple[int, float]], own: bool | None
) -> None:
    found = posterior([(n, round(n * share)) for n, share in rows], own, MODEL)
    for array in (found.first_error, found.mean, found.low, found.high):
        assert np.isfinite(array).all()
    assert found.first_error.sum() == pytest.approx(1)


def test_hundreds_of_steps_that_contradict_the_answer_stay_finite() -> None:
    found = posterior([(64, 64)] * 300, False, MODEL)
    assert found.first_error[299] == pytest.approx(1)
    found = posterior([(64, 0)] * 300, True, MODEL)
    assert np.isfinite(found.mean).all()


def test_a_drop_against_its_own_problem_is_what_looks_dead() -> None:
    easy = posterior([(8, 8), (8, 1)], None, MODEL)
    hard = posterior([(8, 1), (8, 1)], None, MODEL)
    assert easy.first_error[0] > 3 * hard.first_error[0]


def test_bad_counts_are_refused() -> None:
    for table in ([], [(1, 2)], [(2, -1)], [1, 2], [(1, 1, 1)]):
        with pytest.raises(ValueError, match=r"counts|correct"):
            posterior(table, True, MODEL)


def planted(rng: np.random.Generator, model: ValueModel, n: int) -> tuple[Floats, Floats, int]:
    """Counts and true values of one wrong-answer solution, drawn from the model itself."""
    steps = int(rng.integers(1, 10))
    first = int(rng.integers(1, steps + 1))
    v = rng.beta(model.v_a, model.v_b)
    alive = rng.beta(model.kappa * v, model.kappa * (1 - v), size=steps)
    recovers = rng.random(steps) >= model.zero
    dead = recovers * rng.beta(model.dead_a, model.dead_b, size=steps)
    values = np.where(np.arange(steps) < first, alive, dead)
    return np.column_stack((np.full(steps, n), rng.binomial(n, values))), values, first


@pytest.mark.parametrize("n", [1, 8, 64])
def test_intervals_and_probabilities_are_calibrated_on_worlds_of_the_model(n: int) -> None:
    rng = np.random.default_rng(5)
    covered, positive, claimed, hits = [], [], [], []
    for _ in range(1200):
        table, values, first = planted(rng, MODEL, n)
        found = posterior(table, False, MODEL)
        covered.extend((found.low[:-1] <= values) & (values <= found.high[:-1]))
        positive.extend(values > 0)
        claimed.append(found.first_error.max())
        hits.append(found.first_error.argmax() + 1 == first)
    covered, positive = np.array(covered), np.array(positive)
    assert 0.925 < covered[positive].mean() < 0.97  # about 5,000 values
    assert covered[~positive].mean() > 0.99  # the atom at zero lies inside
    assert abs(np.mean(hits) - np.mean(claimed)) < 0.04


@settings(max_examples=20)
@given(counts(max_n=40))
def test_the_grid_is_fine_enough(table: Table) -> None:
    coarse = posterior(table, None, MODEL)
    fine = posterior(table, None, ValueModel(grid=1024))
    np.testing.assert_allclose(coarse.first_error, fine.first_error, atol=0.01)
    np.testing.assert_allclose(coarse.mean, fine.mean, atol=0.01)
