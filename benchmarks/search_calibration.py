"""Is a first error that is named with probability p right in a share p of the cases?

The expected calibration error (ECE; Naeini, Cooper, Hauskrecht 2015) of the probability of the
likeliest first error: solutions go into BINS bins of equal width, and the distances between mean
probability and share of hits are averaged, weighted by solutions. A perfectly calibrated policy has
an ECE above zero, too, as bins are finite. The interval is 1.96 standard deviations of a bootstrap
over problems to either side (its percentiles would lie too high: resampling adds to an absolute
value).

A hit is said against a reference: `truth` (the first error that changes the state; in planted
worlds where the value drops), `any` (of any kind), or the value reference, which is the posterior
from 64 rollouts of every prefix: its likeliest first error (`same`), or the probability that it
gives to the one that was named (`mass`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from search_rules import Contender, Result, results
from search_run import Job, Source, each
from search_scores import weights

Floats = NDArray[np.float64]
BINS = 15
REFERENCES = ("truth", "any", "same", "mass")


@dataclass(frozen=True, slots=True)
class Point:
    """One solution."""

    problem: str
    confidence: float
    hits: tuple[float, float, float, float]
    """Against each of REFERENCES."""
    right_answer: bool


@dataclass(frozen=True, slots=True)
class Calibration:
    """An ECE with its interval."""

    ece: float
    low: float
    high: float
    solutions: int

    def __str__(self) -> str:
        return f"{self.ece:.3f} ({self.low:.3f}-{self.high:.3f})"


def points(jobs: Iterable[tuple[Source, Contender, Contender]]) -> list[Point]:
    """Each solution's point under a contender, with another as the value reference."""
    pairs: list[Job] = [(source, (one, other)) for source, one, other in jobs]
    return [point for found in each(_points, pairs) for point in found]


def _points(job: Job) -> list[Point]:
    source, pair = job
    compared = (_compared(*row) for row in results(pair, source.cases()))
    return [point for found in compared for point in found]


def _compared(said: Result, reference: Result) -> Iterable[Point]:
    task = said.case.task
    for solution in task.solutions:
        one, other = said.decisions[solution.id], reference.decisions[solution.id]
        truth = said.case.truths[solution.id]
        assert other.posterior is not None
        mass = float(other.posterior[(one.first_error or 0) - 1])  # none, 0, is the last entry
        hits = (
            float(one.first_error == (truth.state or 0)),
            float(one.first_error == (truth.any or 0)),
            float(one.first_error == other.first_error),
            mass,
        )
        yield Point(task.problem.id, one.confidence, hits, solution.id in task.right)


def calibration(found: Sequence[Point], reference: str) -> Calibration:
    """The ECE against one of REFERENCES."""
    which = REFERENCES.index(reference)
    names = {name: i for i, name in enumerate(dict.fromkeys(p.problem for p in found))}
    gaps = np.zeros((len(names), BINS))
    for p in found:
        at = min(int(p.confidence * BINS), BINS - 1)
        gaps[names[p.problem], at] += p.confidence - p.hits[which]
    sizes = np.bincount([names[p.problem] for p in found], minlength=len(names)).astype(float)
    resampled = weights(len(names))
    every = np.abs(resampled @ gaps).sum(axis=1) / (resampled @ sizes)
    ece = float(np.abs(gaps.sum(axis=0)).sum() / sizes.sum())
    wide = 1.96 * float(every.std())
    return Calibration(ece, max(0.0, ece - wide), ece + wide, len(found))


def reliability(found: Sequence[Point], reference: str) -> list[str]:
    """Mean probability and share of hits, by bins of a tenth."""
    which = REFERENCES.index(reference)
    lines = []
    for low in np.arange(0.0, 1.0, 0.1):
        inside = [
            p
            for p in found
            if low <= p.confidence < low + 0.1 or (low > 0.85 and p.confidence == 1.0)
        ]
        if inside:
            said = np.mean([p.confidence for p in inside])
            right = np.mean([p.hits[which] for p in inside])
            lines.append(f"  said {said:.2f}  right {right:.2f}  of {len(inside)}")
    return lines
