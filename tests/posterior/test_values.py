"""Values under the belief: means against ratios of evidences, intervals, and their coverage."""

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.posterior import ValueModel
from labeler.posterior.belief import Belief
from labeler.posterior.values import posterior_of
from tests.posterior.drawn import MODEL, beliefs, coherent, draw_world, tree_from, with_more

STEADY = MODEL.model_copy(update={"drift": 0.0, "walk": 0.3, "recovery": 0.2, "zero": 0.3})
pytestmark = pytest.mark.filterwarnings("error")


@given(coherent())
def test_a_mean_is_the_probability_of_a_further_success(belief: Belief) -> None:
    for s, path in enumerate(belief.tree.paths):
        found = posterior_of(belief, s)
        for k, node in enumerate(path):
            more = with_more(belief, node, 1, 1).evidence()
            assert found.mean[k] == pytest.approx(exp(more - belief.evidence()), abs=1e-9)


@given(beliefs(), st.floats(0.5, 0.99))
def test_intervals_are_in_range_and_ordered(belief: Belief, confidence: float) -> None:
    for s, path in enumerate(belief.tree.paths):
        found = posterior_of(belief, s, confidence)
        assert found.first_error.shape == found.mean.shape == (len(path) + 1,)
        assert found.first_error.sum() == pytest.approx(1)
        assert ((found.low >= 0) & (found.low <= found.high) & (found.high <= 1)).all()
        assert ((found.mean >= 0) & (found.mean <= 1)).all()
        wider = posterior_of(belief, s, (1 + confidence) / 2)
        assert (wider.low <= found.low + 1e-9).all()
        assert (wider.high >= found.high - 1e-9).all()


@given(beliefs(most=2), st.data())
def test_a_success_raises_a_value_and_a_failure_lowers_it(
    belief: Belief, data: st.DataObject
) -> None:
    path = belief.tree.paths[0]
    k = data.draw(st.integers(0, len(path) - 1))
    worse, same, better = (
        posterior_of(b, 0).mean[k]
        for b in (with_more(belief, path[k], 1, 0), belief, with_more(belief, path[k], 1, 1))
    )
    assert worse - 1e-9 <= same <= better + 1e-9


def test_the_value_of_a_whole_solution_is_its_own_answer() -> None:
    for own in (True, False):
        found = posterior_of(Belief(tree_from([[0]], [own]), MODEL), 0)
        assert found.mean[-1] == found.low[-1] == found.high[-1] == own
    unknown = posterior_of(Belief(tree_from([[0]], [None]), MODEL), 0)
    assert 0 < unknown.mean[-1] < 1
    assert (unknown.low[-1], unknown.high[-1]) == (0, 1)


@given(beliefs(most=2))
def test_an_unknown_answer_is_as_likely_right_as_the_belief_says(belief: Belief) -> None:
    """Against the evidences of both answers, at the difficulties that the counts leave."""
    belief = Belief(tree_from([[0, 0]], [None]), belief.model)
    belief.observe([0, 2], [6, 6], [5, 4])
    found = posterior_of(belief, 0)
    joint = belief.joint(0)
    luck = joint.lucky.sum() * belief.model.mended
    assert found.mean[-1] == pytest.approx(joint.first_error[-1] + luck)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 1.0])
def test_many_rollouts_outweigh_the_model(share: float) -> None:
    n = 10_000
    belief = Belief(tree_from([[0] * 4], [None]), MODEL)
    belief.observe(range(5), [n] * 5, [int(n * share)] * 5)
    found = posterior_of(belief, 0)
    np.testing.assert_allclose(found.mean[:-1], share, atol=2e-3)
    assert (found.high[:-1] - found.low[:-1] < 0.025).all()


def test_a_value_that_is_surely_zero_has_no_width() -> None:
    belief = Belief(tree_from([[0, 0]], [False]), MODEL.model_copy(update={"zero": 0.99}))
    belief.observe([0, 1, 2], [64, 64, 1000], [64, 64, 0])
    found = posterior_of(belief, 0)
    assert found.low[2] == found.high[2] == 0
    assert found.low[1] > 0.5


@given(beliefs(grid=32, n=10_000))
def test_thousands_of_rollouts_stay_finite(belief: Belief) -> None:
    for s in range(len(belief.tree.paths)):
        found = posterior_of(belief, s)
        for array in (found.first_error, found.mean, found.low, found.high):
            assert np.isfinite(array).all()


@pytest.mark.parametrize("model", [MODEL, STEADY])
def test_worlds_of_the_model_are_covered_and_its_probabilities_hold(model: ValueModel) -> None:
    rng = np.random.default_rng(7)
    covered, positive, claimed, hits = [], [], [], []
    for i in range(400):
        world = draw_world(rng, model)
        belief = world.belief(rng, model, (0, 1, 4, 16, 64)[i % 5])
        for s, path in enumerate(world.tree.paths):
            found, values = posterior_of(belief, s), world.values[list(path)]
            covered.extend((found.low[:-1] <= values) & (values <= found.high[:-1]))
            positive.extend(values > 0)
            claimed.append(np.roll(found.first_error, 1))
            hits.append(np.arange(len(path) + 1) == world.first_errors[s])
    inside, positive = np.array(covered), np.array(positive)
    assert 0.93 <= inside[positive].mean() <= 0.97  # of some 3,000 values
    assert inside[~positive].mean() > 0.98  # the atom at zero lies inside
    assert calibration_error(np.concatenate(claimed), np.concatenate(hits)) < 0.02
    best = np.array([p.max() for p in claimed])
    assert (
        calibration_error(
            best, np.array([h[p.argmax()] for p, h in zip(claimed, hits, strict=True)])
        )
        < 0.06
    )


def calibration_error(claimed: np.ndarray, held: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error over bins of equal width."""
    place = np.minimum((claimed * bins).astype(int), bins - 1)
    gaps = [abs((claimed - held)[place == i].sum()) for i in range(bins)]
    return sum(gaps) / len(claimed)
