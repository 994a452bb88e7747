"""Fitting the value model to counts, without truth."""

import numpy as np
import pytest

from labeler.posterior import ValueModel
from labeler.posterior.evidence import Counted, Evidence
from labeler.posterior.fitting import fit
from tests.posterior.drawn import MODEL, Rng, draw_world, tree_from

START = MODEL.model_copy(update={"grid": 12})
TRUTH = START.model_copy(
    update={"v_a": 4.0, "v_b": 2.0, "drift": 0.3, "walk": 0.3, "hazard": 0.3, "zero": 0.25}
    | {"recovery": 0.2, "slip": 0.01}
)


def counted(rng: Rng, model: ValueModel, problems: int, n: int) -> list[Counted]:
    worlds = [draw_world(rng, model, most=1, steps=6) for _ in range(problems)]
    return [Counted(w.tree, np.full(len(w.values), n), rng.binomial(n, w.values)) for w in worlds]


@pytest.mark.timeout(120)
def test_planted_parameters_come_back() -> None:
    problems = counted(np.random.default_rng(3), TRUTH, 150, 24)
    found = fit(problems, START)
    model = found.model
    assert found.evidence > found.before
    assert found.evidence >= Evidence(problems).of(TRUTH) / np.log(2) - 5
    for name, factor in (("walk", 1.8), ("hazard", 1.6), ("zero", 1.8), ("recovery", 1.8)):
        assert 1 / factor < getattr(model, name) / getattr(TRUTH, name) < factor
    assert abs(model.v_a / (model.v_a + model.v_b) - 2 / 3) < 0.1
    assert abs(model.drift - TRUTH.drift) < 0.2


def test_what_the_counts_say_nothing_of_stays() -> None:
    tree = tree_from([[]], [None])
    model = fit([Counted(tree, np.array([8]), np.array([4]))], START).model
    for name in ("zero", "recovery", "kappa_dead", "scaling", "walk", "drift", "mended"):
        assert getattr(model, name) == pytest.approx(getattr(START, name), rel=1e-3)


def test_no_rollouts_are_refused() -> None:
    nothing = Counted(tree_from([[0]], [True]), np.zeros(2, int), np.zeros(2, int))
    for problems in ([], [nothing]):
        with pytest.raises(ValueError, match="no rollouts"):
            fit(problems, START)
