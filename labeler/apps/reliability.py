"""reliability.py - are first errors that are named with probability p right in a share p of cases?

Pure numbers: confidences and hits in, the expected calibration error and a monotone map out. It
does not know what a hit is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BINS = 15
"""Bins of equal width, as usual."""
BOOTSTRAPS = 1000
GROUP = 25
"""Solutions whose hits the map averages at least: fewer say little of a probability."""

DIGITS = 4
"""To which a map is told."""


@dataclass(frozen=True, slots=True)
class Point:
    """A solution's named first error."""

    problem: str
    confidence: float
    hit: float
    """Whether it was right, or the probability of that."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """An expected calibration error (Naeini, Cooper and Hauskrecht 2015) with its interval.

    It is above zero without any miscalibration, since bins hold finitely many solutions.
    """

    ece: float
    low: float
    high: float
    """95%, from a bootstrap over problems."""
    confidence: float
    """Mean confidence."""
    right: float
    """Share of hits."""
    solutions: int


def calibration(points: Sequence[Point]) -> Calibration:
    """The calibration of some points; at least one."""
    names = {name: i for i, name in enumerate(dict.fromkeys(p.problem for p in points))}
    gaps = np.zeros((len(names), BINS))
    sizes = np.zeros(len(names))
    for p in points:
        gaps[names[p.problem], min(int(p.confidence * BINS), BINS - 1)] += p.confidence - p.hit
        sizes[names[p.problem]] += 1
    drawn = np.random.default_rng(0).multinomial(
        len(names), np.full(len(names), 1 / len(names)), size=BOOTSTRAPS
    )
    low, high = np.percentile(np.abs(drawn @ gaps).sum(axis=1) / (drawn @ sizes), [2.5, 97.5])
    return Calibration(
        ece=float(np.abs(gaps.sum(axis=0)).sum() / sizes.sum()),
        low=float(low),
        high=float(high),
        confidence=float(np.mean([p.confidence for p in points])),
        right=float(np.mean([p.hit for p in points])),
        solutions=len(points),
    )


def monotone_map(points: Sequence[Point]) -> list[tuple[float, float]]:
    """From a confidence to the share of hits: never falling, linear between these pairs.

    Isotonic regression over groups of neighbouring confidences (Zadrozny and Elkan 2002).
    """
    from scipy.optimize import isotonic_regression

    ranked = sorted(points, key=lambda p: (round(p.confidence, DIGITS), -p.hit))  # pools equals
    groups = np.array_split(
        np.array([(p.confidence, p.hit) for p in ranked]), max(1, len(ranked) // GROUP)
    )
    at = np.array([group.mean(axis=0) for group in groups])
    sizes = np.array([float(len(group)) for group in groups])
    fitted = isotonic_regression(at[:, 1], weights=sizes)
    pairs = []
    for start, end in zip(fitted.blocks[:-1], fitted.blocks[1:], strict=True):
        middle = np.average(at[start:end, 0], weights=sizes[start:end])
        pairs.append((round(float(middle), DIGITS), round(float(fitted.x[start]), DIGITS)))
    return pairs


def cross_fitted(points: Sequence[Point]) -> list[Point]:
    """The points with mapped confidences, each half of the problems by the other half's map."""
    names = {name: i % 2 for i, name in enumerate(dict.fromkeys(p.problem for p in points))}
    halves = [[p for p in points if names[p.problem] == half] for half in (0, 1)]
    found = []
    for mine, others in (halves, halves[::-1]):
        said, right = zip(*monotone_map(others), strict=True)
        mapped = np.interp([p.confidence for p in mine], said, right).tolist()
        found += [Point(p.problem, c, p.hit) for p, c in zip(mine, mapped, strict=True)]
    return found
