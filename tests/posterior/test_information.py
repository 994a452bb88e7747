"""What further rollouts would tell, against mutual information by enumeration of outcomes."""

from math import comb, exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.posterior.belief import Belief
from labeler.posterior.chain import Floats
from labeler.posterior.information import information
from tests.posterior.drawn import MODEL, beliefs, coherent, tree_from, with_more

pytestmark = pytest.mark.filterwarnings("error")


def told(belief: Belief, solution: int, count: int) -> Floats:
    return information(belief, solution, belief.joint(solution), count)


def entropy(p: Floats) -> float:
    return float(-sum(q * np.log2(q) for q in p if q > 0))


def enumerated(belief: Belief, solution: int, node: int, count: int) -> float:
    """Entropy of T less its mean after each possible number of successes."""
    left = entropy(belief.joint(solution).first_error)
    for right in range(count + 1):
        after = with_more(belief, node, count, right)
        p = comb(count, right) * exp(after.evidence() - belief.evidence())
        left -= p * entropy(after.joint(solution).first_error)
    return left


@settings(max_examples=25)
@given(coherent(), st.integers(1, 4))
def test_it_is_the_mutual_information(belief: Belief, count: int) -> None:
    for s, path in enumerate(belief.tree.paths):
        found = told(belief, s, count)
        wanted = [enumerated(belief, s, node, count) for node in path]
        np.testing.assert_allclose(found, wanted, atol=1e-7)


@given(beliefs(n=40), st.integers(1, 8))
def test_it_is_never_negative_and_more_rollouts_tell_no_less(belief: Belief, count: int) -> None:
    for s in range(len(belief.tree.paths)):
        one, fewer, more = (told(belief, s, n) for n in (1, count, count + 1))
        whole = entropy(belief.joint(s).first_error)
        assert (one >= 0).all()
        assert (one <= fewer + 1e-9).all()
        assert (fewer <= more + 1e-9).all()
        assert (more <= whole + 1e-9).all()


def test_nothing_is_learnt_where_all_is_known() -> None:
    sure = Belief(tree_from([[]], [False]), MODEL)  # one step, and a wrong answer
    np.testing.assert_allclose(told(sure, 0, 4), [0.0], atol=1e-12)
    known = Belief(tree_from([[0, 0]], [False]), MODEL)
    known.observe([0, 1, 2], [10_000, 10_000, 10_000], [9_000, 0, 0])
    assert (told(known, 0, 4) < 1e-3).all()


def test_no_rollouts_tell_nothing() -> None:
    belief = Belief(tree_from([[0, 0], [0, 1]], [False, None]), MODEL)
    np.testing.assert_allclose(told(belief, 0, 0), 0.0, atol=1e-12)


def test_the_middle_of_a_chain_tells_most() -> None:
    belief = Belief(tree_from([[0] * 7], [False]), MODEL.model_copy(update={"drift": 0.0}))
    belief.observe([0], [64], [60])
    best = int(told(belief, 0, 4).argmax())
    assert 2 <= best <= 6
