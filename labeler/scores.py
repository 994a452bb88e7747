"""scores.py - how good labels or predictions of first errors are, against somebody's truth.

A first error is 1-based, 0 for none; a prediction may be None: undecided, which counts as wrong.
Every number over nothing is None, never NaN. Pure: luck comes from the caller's seed alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from labeler.intervals import LEAST, of_number, of_share

Pair = tuple[int, int | None]
"""The true first error and the predicted one."""
Sums = npt.NDArray[np.float64]
Place = Literal["early", "exact", "late", "none", "undecided"]
DRAWS = 1000
"""Of a bootstrap."""
PLACES: tuple[Place, ...] = ("early", "exact", "late", "none", "undecided")


@dataclass(frozen=True, slots=True)
class F1:
    """ProcessBench's score and the two accuracies that it is made of, 0 to 1."""

    error: float | None
    """Share found exactly, of the solutions with a wrong step. None: there are none."""
    right: float | None
    """Share predicted to hold no error, of those without one. None: there are none."""
    f1: float | None
    """Their harmonic mean; 0 where both are 0, None where either is None."""


def f1(pairs: Sequence[Pair]) -> F1:
    """ProcessBench's F1 (Zheng et al. 2024, section 4.1) of pairs of true and predicted errors.

    It is no precision and recall: the harmonic mean of two accuracies, over the solutions with an
    error and over those without.
    """
    return f1_of(f1_sums(pairs))


def f1_sums(pairs: Sequence[Pair]) -> Sums:
    """(4,): solutions with a wrong step, those found exactly; without one, those predicted so."""
    wrong = [true == predicted for true, predicted in pairs if true]
    right = [predicted == 0 for true, predicted in pairs if not true]
    return np.array([len(wrong), sum(wrong), len(right), sum(right)], float)


def f1_of(sums: Sums) -> F1:
    """The score of sums as `f1_sums` gives them, added up over any solutions."""
    error, right = ratio(sums[:2]), ratio(sums[2:])
    if error is None or right is None:
        return F1(error, right, None)
    return F1(error, right, 2 * error * right / (error + right) if error + right else 0.0)


def ratio(sums: Sums) -> float | None:
    """The second of two sums over the first; None over nothing."""
    return float(sums[1] / sums[0]) if sums[0] else None


def place(true: int, predicted: int | None) -> Place:
    """Where a prediction lies: before, at or after the true first error; none; undecided.

    With no true error, "none" is right and everything named is early.
    """
    if predicted is None:
        return "undecided"
    if predicted == 0:
        return "none"
    if predicted == true:
        return "exact"
    return "late" if 0 < true < predicted else "early"


def share_interval(sums: npt.ArrayLike, *, seed: int = 0) -> tuple[float, float] | None:
    """The 95% interval of `ratio`, a share, of sums (G, 2) over groups (labeler/intervals.py).

    Groups are drawn with replacement, not what is in them: solutions of one problem are no
    independent evidence. None where fewer than LEAST groups hold anything.
    """
    parts = np.asarray(sums, float).reshape(-1, 2)
    parts = parts[parts[:, 0] > 0]
    if len(parts) < LEAST:
        return None
    whole = parts.sum(axis=0)
    drawn = np.array([ratio(draw) for draw in _draws(parts, seed)])
    return of_share(float(whole[1] / whole[0]), float(drawn.var()), len(parts))


def interval(
    sums: npt.ArrayLike, statistic: Callable[[Sums], float | None], *, seed: int = 0
) -> tuple[float, float] | None:
    """The 95% interval of a statistic, no share, of sums (G, C) over groups, drawn as above.

    None where there are fewer than LEAST groups, where more than one draw in twenty has no value,
    and where all draws are the same: then they say nothing.
    """
    parts = np.asarray(sums, float)
    if len(parts) < LEAST:
        return None
    drawn = [statistic(draw) for draw in _draws(parts, seed)]
    found = np.array([value for value in drawn if value is not None])
    if len(found) < 0.95 * DRAWS or np.ptp(found) == 0:
        return None
    return of_number(found, len(parts))


def _draws(parts: Sums, seed: int) -> Iterator[Sums]:
    """(C,) each: the sums of as many groups, drawn with replacement."""
    generator = np.random.default_rng(seed)
    for _ in range(DRAWS):
        yield parts[generator.integers(len(parts), size=len(parts))].sum(axis=0)
