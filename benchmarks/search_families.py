"""Families of value models with stated priors, from which planted problems are drawn.

A problem has a difficulty v and one to five solutions with wrong answers, each of K steps (4 to
40, log-uniform; `short` 4 to 10, `long` 20 to 40) with a first error T. Prefix k < T is alive,
prefix k >= T is dead. Unless a family says otherwise,
    v ~ Beta(1.5, 1.5); T is uniform on 1..K;
    alive values ~ Beta(8 v, 8 (1 - v)), independent given v;
    with probability 0.5 all dead values of a solution are zero, else each is v times a Beta(1, 3).
`assumed` is drawn from the adaptive policy's own model with its default parameters (`assumed_low`
with v half as high); all others lie outside it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from search_cases import Chain

from labeler.posterior import Tree, ValueModel
from labeler.posterior.belief import Belief
from labeler.posterior.chain import Chain as ValueChain
from labeler.posterior.chain import chain_of

Floats = NDArray[np.float64]
Rng = np.random.Generator
Values = Callable[[Rng, float, int], tuple[Floats, Floats]]
"""(rng, v, K) -> what prefixes 0..K-1 are worth alive, and what dead."""
Drawn = tuple[Chain, int]
"""A solution, and its first error of any kind."""

MODEL = ValueModel()
LOW = MODEL.model_copy(update={"v_a": MODEL.v_a / 2, "v_b": MODEL.v_b + MODEL.v_a / 2})


def beta(rng: Rng, mean: Floats | float, size: float, shape: int) -> Floats:
    """`shape` values of Beta(size mean, size (1 - mean))."""
    at = np.clip(mean, 0.01, 0.99)
    return rng.beta(size * at, size * (1 - at), shape)


def dying(rng: Rng, v: float, steps: int) -> Floats:
    """Dead values as described above."""
    return v * rng.beta(1, 3, steps) if rng.random() < 0.5 else np.zeros(steps)


def plain(rng: Rng, v: float, steps: int) -> Values:
    """As described above."""
    return beta(rng, v, 8.0, steps), dying(rng, v, steps)


def drifting(logits: float) -> Callable[[Rng, float, int], Values]:
    """Alive values move by so much on the logit scale from the first step to the last."""

    def draw(rng: Rng, v: float, steps: int) -> Values:
        mean = expit(logit(np.clip(v, 0.02, 0.98)) + logits * np.arange(steps) / steps)
        return beta(rng, mean, 8.0, steps), dying(rng, v, steps)

    return draw


def shared(rng: Rng, v: float, steps: int) -> Values:
    """All dead prefixes of a solution have one value: zero, or Beta(1, 4)."""
    value = rng.beta(1, 4) if rng.random() < 0.5 else 0.0
    return beta(rng, v, 8.0, steps), np.full(steps, value)


def random_walk(rng: Rng, v: float, steps: int) -> Values:
    """The logit of a value walks by N(0, 0.5) a step; death takes 3 off it."""
    walk = logit(np.clip(v, 0.02, 0.98)) + np.cumsum(rng.normal(0, 0.5, steps))
    return expit(walk), expit(walk - 3)


def bimodal(rng: Rng, v: float, steps: int) -> Values:
    """An alive value is near 0.8 with probability v, else near 0.15 (Betas of size 16)."""
    mean = np.where(rng.random(steps) < v, 0.8, 0.15)
    return beta(rng, mean, 16.0, steps), dying(rng, v, steps)


def restated(rng: Rng, v: float, steps: int) -> Values:
    """Three steps in ten change nothing: the value stays what it was (unless it is the error)."""
    alive, dead = plain(rng, v, steps)
    for k in np.flatnonzero(rng.random(steps) < 0.3):
        if k > 1:
            alive[k], dead[k] = alive[k - 1], dead[k - 1]
    return alive, dead


@dataclass(frozen=True, slots=True)
class Family:
    """Solutions whose errors and values are independent given the difficulty."""

    values: Values = plain
    v: tuple[float, float] = (1.5, 1.5)
    """The Beta of the difficulty."""
    hazard: float = 0.0
    """P(T = t) falls by this share each step."""
    slips: float = 0.0
    """Probability that the first error is a slip: the value drops at a later step, uniform."""
    steps: tuple[int, int] = (4, 40)

    def draw(self, rng: Rng, lengths: Sequence[int]) -> list[Drawn]:
        """The solutions of one problem, of these numbers of steps."""
        v = float(rng.beta(*self.v))
        return [self._solution(rng, v, steps) for steps in lengths]

    def _solution(self, rng: Rng, v: float, steps: int) -> Drawn:
        alive, dead = self.values(rng, v, steps)
        weights = (1 - self.hazard) ** np.arange(steps)
        first = weights / weights.sum()
        error = drop = int(rng.choice(steps, p=first)) + 1
        if error < steps and rng.random() < self.slips:
            drop = int(rng.integers(error + 1, steps + 1))
        return planted_chain(alive, dead, drop, first), error


@dataclass(frozen=True, slots=True)
class Assumed:
    """The value model itself, drawn from step by step, on a fine grid of levels."""

    model: ValueModel
    slips: float = 0.0
    steps: tuple[int, int] = (4, 40)

    def draw(self, rng: Rng, lengths: Sequence[int]) -> list[Drawn]:
        """The solutions of one problem, all with wrong answers, of these numbers of steps."""
        fine = self.model.model_copy(update={"grid": 96})
        keys = [[0, *((s, k) for k in range(1, steps))] for s, steps in enumerate(lengths)]
        known = Belief(Tree.of(keys, [False] * len(keys)), fine).joint(0)
        start = pick(rng, known.alive[0].sum(axis=0))
        return [self._solution(rng, chain_of(fine), start, steps) for steps in lengths]

    def _solution(self, rng: Rng, chain: ValueChain, start: int, steps: int) -> Drawn:
        """Drawn until its answer is wrong."""
        while True:
            levels = [start]
            for _ in range(1, steps):
                levels.append(pick(rng, chain.onward[levels[-1]]))
            fails = np.flatnonzero(rng.random(steps) < np.exp(chain.wrong[levels]))
            missed = not len(fails)
            error = int(steps if missed else fails[0] + 1)
            lucky = rng.random() >= self.model.zero
            wrong = rng.random() >= self.model.mended or not lucky or error == steps
            if (not missed and wrong) or (missed and rng.random() < self.model.slip):
                break
        alive = rng.beta(*(shape[levels] for shape in chain.alive))
        a, b = (shape[levels[error - 1]] for shape in chain.lucky)
        return planted_chain(alive, rng.beta(a, b, steps) * lucky, error, np.array([])), error


def pick(rng: Rng, weights: Floats) -> int:
    """A place, drawn by weight."""
    return int(weights.cumsum().searchsorted(rng.random() * weights.sum()))


def planted_chain(alive: Floats, dead: Floats, drop: int, first: Floats) -> Chain:
    """A planted solution."""
    return Chain(tuple(alive.tolist()), tuple(dead.tolist()), drop, tuple(first.tolist()))


FAMILIES: dict[str, Family | Assumed] = {
    "assumed": Assumed(MODEL),
    "assumed_low": Assumed(LOW),
    "plain": Family(),
    "short": Family(steps=(4, 10)),
    "long": Family(steps=(20, 40)),
    "early": Family(hazard=0.25),
    "rising": Family(drifting(2.0)),
    "falling": Family(drifting(-2.0)),
    "harder": Family(v=(1.0, 4.0)),
    "easier": Family(v=(4.0, 1.0)),
    "shared": Family(shared),
    "random_walk": Family(random_walk),
    "bimodal": Family(bimodal),
    "slips": Family(slips=0.3),
    "restated": Family(restated),
}
