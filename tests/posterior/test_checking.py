"""Predicting each prefix from the others: right on worlds of the model, wrong beside them."""

from itertools import pairwise

import numpy as np
import pytest

from labeler.posterior import ValueModel
from labeler.posterior.checking import check
from labeler.posterior.evidence import Counted
from tests.posterior.drawn import MODEL, draw_world, tree_from

COARSE = MODEL.model_copy(update={"grid": 16})


def drawn(model: ValueModel, problems: int, n: int) -> list[Counted]:
    rng = np.random.default_rng(7)
    worlds = [draw_world(rng, model) for _ in range(problems)]
    return [Counted(w.tree, np.full(len(w.values), n), rng.binomial(n, w.values)) for w in worlds]


@pytest.mark.parametrize("n", [1, 8, 64])
def test_worlds_of_the_model_look_as_expected(n: int) -> None:
    found = check(drawn(COARSE, 150, n), COARSE)
    assert found.zeros == pytest.approx(found.zeros_expected, abs=0.03)
    assert found.spread == pytest.approx(1, abs=0.15)


def test_a_model_that_expects_too_little_is_told() -> None:
    problems = drawn(COARSE, 100, 16)
    tame = COARSE.model_copy(update={"walk": 0.05, "jump": 0.001})
    sure = COARSE.model_copy(update={"zero": 0.05, "recovery": 0.3, "kappa_dead": 50})
    spreads = [check(problems, model).spread for model in (COARSE, tame)]
    assert all(a < b for a, b in pairwise(spreads))
    assert check(problems, sure).zeros_expected < check(problems, COARSE).zeros - 0.02


def test_prefixes_without_rollouts_are_left_out() -> None:
    tree = tree_from([[0, 0]], [None])
    one = check([Counted(tree, np.array([8, 0, 8]), np.array([4, 0, 0]))], COARSE)
    assert one.prefixes == 2
    with pytest.raises(ValueError, match="no rollouts"):
        check([Counted(tree, np.zeros(3, int), np.zeros(3, int))], COARSE)
