"""fitting.py - the value model that fits a completer's counts best; no truth is needed.

The parameters maximise the marginal likelihood of all counts (over difficulties, first errors and
recovery) times a weak prior about the model that the search starts from, which keeps parameters
that the counts say nothing of at their defaults.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from labeler.posterior.chain import Floats
from labeler.posterior.evidence import Counted, Evidence
from labeler.posterior.value_model import ValueModel

PLAIN = {"drift": (-3.0, 3.0), "steepness": (0.0, 3.0), "scaling": (0.0, 2.0)}
"""What is fitted as it is, within bounds,"""
POSITIVE = ("v_a", "v_b", "walk", "kappa_dead")
"""by its logarithm,"""
SHARES = ("jump", "zero", "recovery", "hazard", "slip", "mended")
"""by its log odds."""
FREE = (*PLAIN, *POSITIVE, *SHARES)
WIDTH = 1.5
"""Standard deviation of the prior of each parameter, on the scale on which it is unbounded."""

ENOUGH = 0.01
"""Nats: a round that gains less is the last one."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted model, and how much better it explains the counts."""

    model: ValueModel
    evidence: float
    """Log marginal likelihood of all counts, in bits."""
    before: float
    """The same under the model that the search started from."""


def fit(problems: Sequence[Counted], start: ValueModel, rounds: int = 60) -> Fit:
    """Fit the model to problems with counts. ValueError where there are no rollouts at all."""
    if not any(p.n.any() for p in problems):
        raise ValueError("no rollouts to fit to")
    origin, told = _free(start), Evidence(problems)

    def loss(x: Floats) -> float:
        model = _model(x, start)
        return -told.of(model) + float((((x - origin) / WIDTH) ** 2).sum()) / 2

    bounds = [*PLAIN.values(), *[(-8.0, 8.0)] * (len(FREE) - len(PLAIN))]
    options = {"maxiter": rounds, "ftol": ENOUGH / max(1.0, abs(loss(origin)))}
    found = minimize(loss, origin, method="L-BFGS-B", bounds=bounds, options=options)
    model = _rounded(_model(found.x, start))
    bits = np.log(2)
    return Fit(model, told.of(model) / bits, told.of(start) / bits)


def evidence(problems: Sequence[Counted], model: ValueModel) -> float:
    """Log marginal likelihood of all counts, given the own answers, in nats."""
    return Evidence(problems).of(model)


def _free(model: ValueModel) -> Floats:
    """The fitted parameters on the scales that they are fitted on."""
    plain = [getattr(model, name) for name in PLAIN]
    positive = [np.log(getattr(model, name)) for name in POSITIVE]
    return np.array([*plain, *positive, *(logit(getattr(model, name)) for name in SHARES)])


def _model(x: Floats, start: ValueModel) -> ValueModel:
    positive, shares = len(PLAIN), len(PLAIN) + len(POSITIVE)
    values = [*x[:positive], *np.exp(x[positive:shares]), *expit(x[shares:])]
    return start.model_copy(update=dict(zip(FREE, map(float, values), strict=True)))


def _rounded(model: ValueModel) -> ValueModel:
    """Three significant digits say all that is known; of a share near one, of what it lacks."""
    near = {n: 1 - float(f"{1 - v:.3g}") for n in SHARES if (v := getattr(model, n)) > 0.5}
    rounded = {n: float(f"{getattr(model, n):.3g}") for n in FREE}
    return ValueModel.model_validate(model.model_dump() | rounded | near)
