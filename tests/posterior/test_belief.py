"""The joint posterior against brute force, its laws, and its limits."""

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.posterior import Tree
from labeler.posterior.belief import Belief
from tests.posterior.brute import Brute
from tests.posterior.drawn import MODEL, beliefs, coherent, observed, tree_from, with_more

pytestmark = pytest.mark.filterwarnings("error")


@settings(max_examples=40)
@given(beliefs(grid=3, most=3, steps=3))
def test_it_agrees_with_brute_force(belief: Belief) -> None:
    for s in range(len(belief.tree.paths)):
        found = belief.joint(s).first_error
        np.testing.assert_allclose(found, Brute(belief, s).first_error, atol=1e-7)


@settings(max_examples=40)
@given(coherent(grid=3, steps=3))
def test_the_evidence_agrees_with_brute_force(belief: Belief) -> None:
    unseen = Belief(belief.tree, belief.model)
    wanted = Brute(belief, 0).weight / Brute(unseen, 0).weight
    assert exp(belief.evidence()) == pytest.approx(wanted, rel=1e-6)


@given(beliefs(grid=MODEL.grid, n=64, model=st.just(MODEL)))
def test_the_grid_is_fine_enough(belief: Belief) -> None:
    fine = Belief(belief.tree, belief.model.model_copy(update={"grid": 192}))
    fine.observe(range(len(belief.n)), belief.n.tolist(), belief.correct.tolist())
    for s in range(len(belief.tree.paths)):
        found, wanted = belief.joint(s).first_error, fine.joint(s).first_error
        np.testing.assert_allclose(found, wanted, atol=0.05)


@given(beliefs(most=4), st.data())
def test_the_order_of_solutions_does_not_matter(belief: Belief, data: st.DataObject) -> None:
    tree = belief.tree
    order = data.draw(st.permutations(range(len(tree.paths))))
    turned = Belief(
        Tree.of([tree.paths[s] for s in order], [tree.own[s] for s in order]), belief.model
    )
    for s, path in zip(order, turned.tree.paths, strict=True):
        nodes = list(tree.paths[s])
        turned.observe(path, belief.n[nodes].tolist(), belief.correct[nodes].tolist())
    assert turned.evidence() == pytest.approx(belief.evidence())
    for i, s in enumerate(order):
        found, wanted = turned.joint(i), belief.joint(s)
        for name in ("first_error", "alive", "lucky"):
            np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), atol=1e-9)


@given(beliefs(), st.data())
def test_the_order_of_replies_does_not_matter(belief: Belief, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(belief.n))))
    again = observed(belief, order=order)
    for s in range(len(belief.tree.paths)):
        again.joint(s)  # whatever is kept from here must not outlive the next counts
    again.observe([0], [5], [5])
    again.observe([0], [int(belief.n[0])], [int(belief.correct[0])])
    assert again.evidence() == pytest.approx(belief.evidence(), abs=1e-9)
    for s in range(len(belief.tree.paths)):
        np.testing.assert_allclose(again.joint(s).alive, belief.joint(s).alive, atol=1e-12)


@given(beliefs())
def test_probabilities_sum_to_one(belief: Belief) -> None:
    for s in range(len(belief.tree.paths)):
        joint = belief.joint(s)
        steps = len(belief.tree.paths[s])
        assert joint.first_error.sum() == pytest.approx(1)
        assert (joint.lucky >= 0).all()
        assert (joint.alive >= 0).all()
        assert (joint.lucky[-2:] == 0).all()
        assert (joint.lucky.sum(axis=1) <= joint.first_error + 1e-9).all()
        for k in range(steps):
            np.testing.assert_allclose(joint.alive[k, :k].sum(), 0, atol=1e-12)
            np.testing.assert_allclose(
                joint.alive[k, k:].sum(axis=1), joint.first_error[k:], atol=1e-9
            )


@given(beliefs(most=2, n=3), st.data())
def test_the_evidence_of_all_outcomes_of_a_rollout_adds_up(
    belief: Belief, data: st.DataObject
) -> None:
    node = data.draw(st.integers(0, len(belief.n) - 1))
    parts = [exp(with_more(belief, node, 1, right).evidence()) for right in (0, 1)]
    assert sum(parts) == pytest.approx(exp(belief.evidence()))


def test_wrong_siblings_without_counts_say_nothing() -> None:
    """Those that share steps may have been chosen since they are wrong."""
    counts = range(6), [16] * 6, [8] * 6
    alone, among = (Belief(tree_from([[0] * 5] * m, [False] * m), MODEL) for m in (1, 6))
    for belief in (alone, among):
        belief.observe(*counts)
    np.testing.assert_allclose(among.joint(3).first_error, alone.joint(0).first_error)
    branched = tree_from([[0] * 5, [0, 0, 1, 1], [0, 2, 2]], [False] * 3)
    belief = Belief(branched, MODEL)
    belief.observe(*counts)
    np.testing.assert_allclose(belief.joint(0).first_error, alone.joint(0).first_error)


def test_a_right_sibling_vouches_for_the_steps_that_they_share() -> None:
    alone = Belief(tree_from([[0, 0, 0]], [False]), MODEL).joint(0).first_error
    found = Belief(tree_from([[0, 0, 0], [0, 0, 1]], [False, True]), MODEL).joint(0).first_error
    assert found[:2].sum() < 0.2 * alone[:2].sum()


@pytest.mark.parametrize("own", [True, False, None])
def test_without_rollouts_it_is_the_prior(own: bool | None) -> None:
    """Of a chain: a hazard at each step, and a slip at the last."""
    model = MODEL.model_copy(update={"steepness": 0.0})
    h, s, z, m = model.hazard, model.slip, model.zero, model.mended
    before = [h * (1 - h) ** k for k in range(3)]
    lost, kept = (1 - h) ** 3 * (h + (1 - h) * s), (1 - h) ** 4 * (1 - s)
    right = np.array([*(p * (1 - z) * m for p in before), 0, kept])
    either = np.array([*before, lost, kept])
    prior = {True: right, False: either - right, None: either}[own]
    found = Belief(tree_from([[0, 0, 0]], [own]), model).joint(0).first_error
    np.testing.assert_allclose(found, prior / prior.sum())


def test_a_drop_against_its_own_problem_is_what_looks_dead() -> None:
    def dead(easy: int) -> float:
        belief = Belief(tree_from([[0]], [None]), MODEL)
        belief.observe([0, 1], [8, 8], [easy, 1])
        return float(belief.joint(0).first_error[0])

    assert dead(8) > 3 * dead(1)


def test_a_sibling_tells_how_hard_the_problem_is() -> None:
    """One success in eight: from a hard problem it is alive, and its sibling shows which it is."""

    def dead(sibling: int) -> float:
        belief = Belief(tree_from([[0, 0], [1, 1]], [False, True]), MODEL)
        belief.observe([1, 3, 4], [8, 16, 16], [1, sibling, sibling])
        return float(belief.joint(0).first_error[0])

    assert dead(16) > dead(2) + 0.1


def test_a_sibling_vouches_for_the_steps_that_they_share() -> None:
    def dead(sibling: int) -> float:
        belief = Belief(tree_from([[0, 0, 0], [0, 0, 1]], [False, False]), MODEL)
        belief.observe([0, 4], [8, 8], [7, sibling])
        return float(belief.joint(0).first_error[:2].sum())

    alone = Belief(tree_from([[0, 0, 0]], [False]), MODEL)
    alone.observe([0], [8], [7])
    assert dead(8) < 0.1 * alone.joint(0).first_error[:2].sum() < 0.1 * dead(0)


@given(
    beliefs(grid=32, n=10_000),
    st.sampled_from([0.0, 1e-4, 0.5, 1.0]),
)
def test_thousands_of_rollouts_stay_finite(belief: Belief, share: float) -> None:
    belief.observe([0], [10_000], [round(10_000 * share)])
    assert np.isfinite(belief.evidence())
    for s in range(len(belief.tree.paths)):
        joint = belief.joint(s)
        assert np.isfinite(joint.alive).all()
        assert joint.first_error.sum() == pytest.approx(1)


@pytest.mark.parametrize("own", [True, False, None])
@pytest.mark.parametrize("correct", [0, 1, 64])
def test_hundreds_of_steps_that_contradict_the_answer_stay_finite(
    own: bool | None, correct: int
) -> None:
    belief = Belief(tree_from([[0] * 199], [own]), MODEL)
    belief.observe(range(200), [64] * 200, [correct] * 200)
    joint = belief.joint(0)
    assert np.isfinite(belief.evidence())
    assert joint.first_error.sum() == pytest.approx(1)
    if correct == 64:
        assert joint.first_error[-2 if own is False else -1] > 0.9


@pytest.mark.parametrize(("n", "correct"), [(1, 2), (2, -1), (0, 1), (-1, 0)])
def test_bad_counts_are_refused(n: int, correct: int) -> None:
    belief = Belief(tree_from([[0]], [None]), MODEL)
    with pytest.raises(ValueError, match="between 0 and"):
        belief.observe([0], [n], [correct])
    assert not belief.n.any()


@pytest.mark.parametrize(
    ("keys", "own"), [([[]], [None]), ([["a"], ["b"]], [None, None]), ([["a"]], [])]
)
def test_what_is_no_tree_is_refused(keys: list[list[str]], own: list[bool | None]) -> None:
    with pytest.raises(ValueError, match="prefix 0"):
        Tree.of(keys, own)
