"""chain.py - the value model as arrays over a grid of levels.

Level i of G stands for the values in a cell of equal width in arcsin(sqrt(value)): fine where
values are near zero or one. Within a cell a value is Beta with the cell's mean and variance, which
on this scale has one concentration for all cells.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, log_expit, logit, ndtr

from labeler.posterior.value_model import ValueModel

Floats = NDArray[np.float64]
Betas = tuple[Floats, Floats]
"""a and b of Beta distributions."""


@dataclass(frozen=True, eq=False)
class Chain:
    """A value model on its grid of G levels."""

    first: Floats
    """(G,): probability of each level of prefix 0, the problem's difficulty."""
    onward: Floats
    """(G, G): of the level after a right step (column), given the level before it (row)."""
    wrong: Floats
    """(G,): log probability that a step is the first wrong one, by the level before it."""
    right: Floats
    """(G,): that it is not."""
    alive: Betas
    """(G,): the value of an alive prefix."""
    lucky: Betas
    """(G,): of a dead prefix that luck can mend, by the level before the error."""


@lru_cache(maxsize=256)
def chain_of(model: ValueModel) -> Chain:
    """The arrays of a model."""
    size = model.grid
    cuts = np.sin(np.pi * np.arange(size + 1) / (2 * size)) ** 2
    level = np.sin(np.pi * (np.arange(size) + 0.5) / (2 * size)) ** 2
    first = np.maximum(np.diff(betainc(model.v_a, model.v_b, cuts)), 1e-12)
    first /= first.sum()
    odds = logit(level)
    inner = (logit(cuts[1:-1])[None, :] - odds[:, None] - model.drift) / model.walk
    ends = np.full((size, 1), np.inf)
    walked = np.diff(ndtr(np.hstack((-ends, inner, ends))), axis=1)
    hazard = logit(model.hazard) - model.steepness * odds
    within = 12 * size**2 / np.pi**2  # so that a Beta is as wide as its cell
    low = model.recovery * level**model.scaling
    return Chain(
        first=first,
        onward=(1 - model.jump) * walked + model.jump * first,
        wrong=log_expit(hazard),
        right=log_expit(-hazard),
        alive=(within * level, within * (1 - level)),
        lucky=(model.kappa_dead * low, model.kappa_dead * (1 - low)),
    )


def levels(model: ValueModel) -> Floats:
    """(G,): the value that each level stands for."""
    a, b = chain_of(model).alive
    found: Floats = a / (a + b)
    return found


def successes(betas: Betas, count: int) -> Floats:
    """(count+1, ...): probability of 0..count successes in `count` rollouts of a Beta's value."""
    a, b = betas
    found = np.empty((count + 1, *a.shape))
    found[0] = 1.0
    for i in range(count):
        found[0] *= (b + i) / (a + b + i)
    for y in range(count):
        found[y + 1] = found[y] * ((count - y) / (y + 1)) * ((a + y) / (b + (count - y - 1)))
    return found
