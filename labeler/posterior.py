"""posterior.py - the value model's mathematics: what all counts of a solution say together.

The model, in its simple form, of one solution with K steps:
1. The problem has a difficulty v for this completer, v ~ Beta(v_a, v_b).
2. The first error T is one of 1..K, or there is none.
3. A prefix k < T is alive: its value is Beta(kappa v, kappa (1 - v)). Prefix 0 is always alive.
4. A prefix k >= T is dead: its value is exactly zero with probability `zero`, else
   Beta(dead_a, dead_b): recovery by luck.
5. Of n rollouts of a prefix, Binomial(n, value) are correct. The value of the whole solution is
   the verdict of its own answer.

So a prefix looks dead when its value drops against its own problem's, not when it is zero. The
difficulty lies on a grid, everything else is in closed form (beta-binomial marginals, in log
space). Pure: it knows counts, not rollouts, and neither rules nor thresholds.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pydantic import Field, PositiveFloat, PositiveInt

from labeler.params import Params

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


class ValueModel(Params):
    """The model's parameters.

    The defaults were set by eye on a trial (a completer of a million parameters on generated
    word problems) where alive values averaged 0.43 with a 5th percentile of 0.13, and dead ones
    0.06 with a 95th of 0.32. Another completer deserves its own fit.
    """

    kappa: PositiveFloat = 6.0
    """Concentration of alive values about the problem's difficulty."""
    v_a: PositiveFloat = 1.0
    v_b: PositiveFloat = 1.0
    """The difficulty's prior, Beta(v_a, v_b)."""
    zero: float = Field(default=0.5, gt=0, lt=1)
    """Probability that a dead prefix can never recover."""
    dead_a: PositiveFloat = 1.0
    dead_b: PositiveFloat = 7.0
    """Values of the other dead prefixes, Beta(dead_a, dead_b)."""
    sound: float = Field(default=0.9, gt=0, lt=1)
    """Prior probability that a solution with a right answer has no wrong step.

    Of 500 right answers in ProcessBench's MATH part, 94 have one; weaker or stronger generators
    differ.
    """
    right: float = Field(default=0.5, gt=0, lt=1)
    """Prior probability that an answer which could not be graded is right."""
    grid: PositiveInt = 64
    """Points of the difficulty's grid, at equal steps of its prior probability."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """What the counts say, for a solution of K steps."""

    first_error: "Floats"
    """(K+1,): probability of first error 1, ..., K, and last of none. Sums to one."""
    mean: "Floats"
    """(K+1,): posterior mean of the value of prefix 0, ..., K."""
    low: "Floats"
    """(K+1,): lower end of each value's equal-tailed credible interval."""
    high: "Floats"
    """(K+1,): its upper end; zero where the value is surely zero."""


@dataclass(frozen=True, slots=True)
class _Value:
    """A value's distribution, per prefix: an atom at zero, and the moments of the rest."""

    atom: "Floats"
    mean: "Floats"
    variance: "Floats"


def posterior(
    counts: "ArrayLike", own: bool | None, model: ValueModel, confidence: float = 0.95
) -> Posterior:
    """The posterior of a solution's first error and of the values of its prefixes.

    `counts` has shape (K, 2): graded and correct rollouts of prefix 0, ..., K-1, zeros where
    there are none. `own` is whether the solution's own answer is right, None where it could not
    be graded. The intervals hold `confidence` of each value's posterior: the part above zero is
    matched to one Beta by its mean and variance, the atom at zero is exact.
    Raises ValueError when the counts do not fit. Costs about 0.3 ms at K = 10.
    """
    import numpy as np

    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != 2 or len(table) < 1:
        raise ValueError(f"counts must have shape (K, 2) with K >= 1, not {table.shape}")
    n, correct = table[:, 0], table[:, 1]
    if (correct < 0).any() or (correct > n).any():
        raise ValueError("correct rollouts must lie between 0 and the graded ones")
    joint = _joint(n, correct, own, model)
    first_error = joint.sum(axis=1)
    value = _values(n, correct, joint, model)
    low, high = _interval(value, confidence)
    own_mean, own_low, own_high = _own_value(first_error, own, model, confidence)
    return Posterior(
        first_error=first_error,
        mean=np.append((1 - value.atom) * value.mean, own_mean),
        low=np.append(low, own_low),
        high=np.append(high, own_high),
    )


@lru_cache(maxsize=64)
def _difficulties(model: ValueModel) -> "Floats":
    """(G,): the grid, midpoints of equally probable stretches of the prior."""
    import numpy as np
    from scipy.special import betaincinv

    middle = (np.arange(model.grid) + 0.5) / model.grid
    grid: Floats = np.clip(betaincinv(model.v_a, model.v_b, middle), 1e-9, 1 - 1e-9)
    return grid


@lru_cache(maxsize=64)
def _alive_norm(model: ValueModel) -> "Floats":
    """(G,): log B(kappa v, kappa (1 - v))."""
    from scipy.special import betaln

    v = _difficulties(model)
    norm: Floats = betaln(model.kappa * v, model.kappa * (1 - v))
    return norm


def first_error_prior(steps: int, own: bool | None, model: ValueModel) -> "Floats":
    """(K+1,): prior of first error 1, ..., K, none, given what the own answer is."""
    import numpy as np

    wrong = np.append(np.full(steps, 1 / steps), 0.0)
    right = np.append(np.full(steps, (1 - model.sound) / steps), model.sound)
    if own is None:
        return model.right * right + (1 - model.right) * wrong
    return right if own else wrong


def _joint(n: "Floats", correct: "Floats", own: bool | None, model: ValueModel) -> "Floats":
    """(K+1, G): posterior of (first error, difficulty); the last row is "none"."""
    import numpy as np
    from scipy.special import betaln

    v = _difficulties(model)
    hits, misses = correct[:, None], (n - correct)[:, None]
    alive = betaln(hits + model.kappa * v, misses + model.kappa * (1 - v)) - _alive_norm(model)
    before = np.cumsum(alive, axis=0)  # row k: all of 0..k alive
    dead = np.append(_dead(n, correct, model)[1:], 0.0)
    after = np.cumsum(dead[::-1])[::-1]  # entry t-1: all of t..K-1 dead
    log = np.vstack((before + after[:, None], before[-1:]))
    log -= log.max()
    joint = np.exp(log) * first_error_prior(len(n), own, model)[:, None]
    total = joint.sum()
    if total > 0:
        normal: Floats = joint / total
        return normal
    return _rescaled(log, first_error_prior(len(n), own, model))


def _rescaled(log: "Floats", prior: "Floats") -> "Floats":
    """The same where all the likelihood lies, by orders of magnitude, on "none" at prior zero."""
    import numpy as np

    possible = prior > 0
    joint = np.zeros_like(log)
    joint[possible] = np.exp(log[possible] - log[possible].max()) * prior[possible, None]
    normal: Floats = joint / joint.sum()
    return normal


def _recovering(n: "Floats", correct: "Floats", model: ValueModel) -> "Floats":
    """(K,): log likelihood of the counts under a dead prefix that can recover."""
    from scipy.special import betaln

    a, b = model.dead_a, model.dead_b
    log: Floats = betaln(correct + a, n - correct + b) - betaln(a, b)
    return log


def _dead(n: "Floats", correct: "Floats", model: ValueModel) -> "Floats":
    """(K,): log likelihood of the counts under a dead prefix of either kind."""
    import numpy as np

    recovering = np.log1p(-model.zero) + _recovering(n, correct, model)
    return np.where(correct > 0, recovering, np.logaddexp(np.log(model.zero), recovering))


def _values(n: "Floats", correct: "Floats", joint: "Floats", model: ValueModel) -> _Value:
    """The value of prefix 0..K-1 under the posterior: alive at each difficulty, or dead."""
    import numpy as np

    v = _difficulties(model)
    alive = np.cumsum(joint[::-1], axis=0)[::-1][:-1]  # (K, G): alive at k is T > k
    dead = np.append(0.0, np.cumsum(joint.sum(axis=1)))[: len(n)]
    recovering = np.log1p(-model.zero) + _recovering(n, correct, model)
    recovers = np.exp(recovering - _dead(n, correct, model))
    atom = np.where(correct > 0, 0.0, dead * (1 - recovers))
    total_dead = model.dead_a + model.dead_b + n
    parts = np.column_stack((alive, dead * recovers))
    parts /= np.maximum(parts.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    total = np.column_stack((np.tile((model.kappa + n)[:, None], len(v)), total_dead))
    hits = np.column_stack((model.kappa * v + correct[:, None], model.dead_a + correct))
    means = hits / total
    mean = (parts * means).sum(axis=1)
    within = means * (1 - means) / (total + 1)
    variance = (parts * (within + (means - mean[:, None]) ** 2)).sum(axis=1)
    return _Value(atom, mean, variance)


def _interval(value: _Value, confidence: float) -> tuple["Floats", "Floats"]:
    """Equal-tailed interval of each value."""
    import numpy as np
    from scipy.special import betaincinv

    mean = np.clip(value.mean, 1e-12, 1 - 1e-12)
    variance = np.maximum(value.variance, 1e-300)
    size = np.maximum(mean * (1 - mean) / variance - 1, 1e-6)
    share = np.maximum(1 - value.atom, np.finfo(float).tiny)
    tails = np.array([[(1 - confidence) / 2], [(1 + confidence) / 2]])
    inside = np.clip((tails - value.atom) / share, 0.0, 1.0)
    ends = np.where(tails <= value.atom, 0.0, betaincinv(mean * size, (1 - mean) * size, inside))
    return ends[0], ends[1]


def _own_value(
    first_error: "Floats", own: bool | None, model: ValueModel, confidence: float
) -> tuple[float, float, float]:
    """Mean and interval of the whole solution's value: known, or one of zero and one."""
    if own is not None:
        return float(own), float(own), float(own)
    steps = len(first_error) - 1
    mixed = first_error_prior(steps, None, model)
    right = model.right * first_error_prior(steps, True, model) / mixed
    mean = min(1.0, float((first_error * right).sum()))
    tail = (1 - confidence) / 2
    return mean, float(1 - mean < tail), float(mean > tail)
