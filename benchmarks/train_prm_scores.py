"""F1 of several contenders over seeds, with paired bootstrap intervals; and over several worlds.

A draw of the bootstrap takes the test problems (one solution each) and the seeds with replacement,
the same for every contender. An F1 is that of each seed's model, averaged over the drawn seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

Floats = NDArray[np.float64]
DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95% interval."""

    value: float
    low: float
    high: float

    @staticmethod
    def of(value: float, draws: Floats) -> "Estimate":
        """From the draws of a bootstrap."""
        low, high = np.quantile(draws, [0.025, 0.975])
        return Estimate(value, float(low), float(high))

    def __str__(self) -> str:
        return f"{self.value:+.3f} ({self.low:+.3f} to {self.high:+.3f})"


def over_draws(differences: Sequence[float]) -> Estimate:
    """Their mean, with Student's 95% interval (two draws or more)."""
    mean = fmean(differences)
    within = float(student.ppf(0.975, len(differences) - 1)) * stdev(differences)
    half = within / len(differences) ** 0.5
    return Estimate(mean, mean - half, mean + half)


class Comparison:
    """What all contenders' predictions are worth."""

    def __init__(
        self, truths: Sequence[int], predicted: Mapping[str, Sequence[Sequence[int]]]
    ) -> None:
        """By contender and seed one predicted first error a test solution, 1-based, 0 none."""
        truth = np.array(truths)
        seeds = len(next(iter(predicted.values())))
        luck = np.random.default_rng(0)
        even = np.full(len(truth), 1 / len(truth))
        drawn = luck.multinomial(len(truth), even, DRAWS).astype(float)
        picked = luck.multinomial(seeds, np.full(seeds, 1 / seeds), DRAWS) / seeds
        self._values: dict[str, float] = {}
        self._draws: dict[str, Floats] = {}
        for name, rows in predicted.items():
            hits = np.array(rows) == truth
            self._values[name] = float(_f1(np.ones((1, len(truth))), hits, truth > 0).mean())
            self._draws[name] = (_f1(drawn, hits, truth > 0) * picked).sum(axis=1)

    def f1(self, name: str) -> Estimate:
        """A contender's F1."""
        return Estimate.of(self._values[name], self._draws[name])

    def difference(self, name: str, other: str) -> Estimate:
        """Its F1 less another's."""
        value = self._values[name] - self._values[other]
        return Estimate.of(value, self._draws[name] - self._draws[other])


def _f1(weights: Floats, hits: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> Floats:
    """(draws, seeds): ProcessBench's F1, as labeler.scores.f1, under the weights of each draw."""
    error = weights @ (hits & wrong).T / np.maximum(weights @ wrong, 1e-9)[:, None]
    right = weights @ (hits & ~wrong).T / np.maximum(weights @ ~wrong, 1e-9)[:, None]
    found: Floats = 2 * error * right / np.maximum(error + right, 1e-9)
    return found
