"""The recorded pool's part of the bench: every policy on identical luck, parameters cross-fitted.

The pool's problems are halved. On each half the value model is fitted to N = PILOT rollouts of
every prefix, without truth, and the other half is searched with it. Several lucks (orders in which
the recorded rollouts are drawn) are averaged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from search_calibration import Point, calibration, points, reliability
from search_cases import Case
from search_genie import Bound, Known, bound
from search_rules import BASELINES, Contender, Result, adaptive, contenders, results
from search_run import FOLDS, Job, Source, each, fitted, fold, score
from search_scores import Score

from labeler.model import Outcome
from labeler.posterior import ValueModel

Floats = NDArray[np.float64]
PILOT = 8
BATCHES = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Bench:
    """What part of the pool is used, and the models for its halves."""

    models: Mapping[int, ValueModel]
    """By the half that is searched: fitted on the other."""
    lucks: int
    most: int
    """Problems, at most."""

    def sources(self, *, right: bool | None = False) -> Iterator[tuple[Source, ValueModel]]:
        """The halves under each luck, with their models."""
        for luck in range(self.lucks):
            for number in FOLDS:
                yield fold(number, luck, right=right, most=self.most), self.models[number]


def models(most: int) -> dict[int, ValueModel]:
    """The cross-fitted models, by the half that they are used on."""
    found = {}
    for number in FOLDS:
        pilot = fold(number, luck=1000, right=None, most=most)
        found[1 - number] = fitted([pilot], PILOT, ValueModel()).model
    return found


def scores(bench: Bench, confidences: Sequence[float]) -> list[Score]:
    """All contenders on the solutions with a wrong answer."""
    return score([(source, contenders(model, confidences)) for source, model in bench.sources()])


def batches(bench: Bench) -> list[Score]:
    """Adaptive at its default confidence, by how many rollouts it asks for at once."""
    return score(
        [(source, [_batched(model, b) for b in BATCHES]) for source, model in bench.sources()]
    )


def _batched(model: ValueModel, batch: int) -> Contender:
    made = adaptive(model, batch=batch)
    return Contender(f"adaptive batch {batch}", made.policy, made.rule, model)


def calibrated(bench: Bench) -> list[Point]:
    """Every solution of both kinds at the default confidence, against the value reference."""
    jobs = []
    for source, model in bench.sources(right=None):
        reference = Contender("reference", BASELINES["exhaustive 64"], "posterior", model)
        jobs.append((source, adaptive(model), reference))
    return points(jobs)


def calibration_lines(found: Sequence[Point]) -> Iterator[str]:
    """ECE on wrong answers, against each reference, and the reliability by bins."""
    wrong = [p for p in found if not p.right_answer]
    named = {
        "truth": "exact truth, errors that change the state",
        "any": "exact truth, errors of any kind",
        "same": "the value reference's likeliest first error",
        "mass": "the value reference's whole posterior",
    }
    for reference, what in named.items():
        yield f"ECE {calibration(wrong, reference)}  against {what}"
    yield from reliability(wrong, "mass")


def right_answers(bench: Bench) -> Iterator[str]:
    """What is said of right answers: all solutions are searched, these alone are counted."""
    jobs = []
    for source, model in bench.sources(right=None):
        rivals = [
            Contender(name, BASELINES[name], "posterior", model)
            for name in ("exhaustive 8", "exhaustive 64")
        ]
        jobs.append((source, [*rivals, adaptive(model)]))
    tallies = np.sum([row for found in each(_tallied, jobs) for row in found], axis=0)
    yield "(each luck counted)              declared wrong   of them with an error   errors found"
    for contender, (total, declared, true, there, hit) in zip(jobs[0][1], tallies, strict=True):
        yield (
            f"{contender.name:20} {contender.rule:10} {declared:5d} of {total:5d}   "
            f"{true:5d} of {declared:5d}          {hit:5d} of {there:5d} at their step"
        )


def _tallied(job: Job) -> list[list[tuple[int, ...]]]:
    """For each problem and contender, counts of its right answers.

    Of all, those declared wrong, those that are and have an error, those that have one, and those
    whose error is found at its step.
    """
    source, rivals = job
    return [[_declared(result) for result in row] for row in results(rivals, source.cases())]


def _declared(result: Result) -> tuple[int, ...]:
    total = declared = true = there = hit = 0
    for solution in result.case.task.solutions:
        if solution.id in result.case.task.right:
            said = result.decisions[solution.id].first_error
            state = result.case.truths[solution.id].state
            total += 1
            declared += bool(said)
            true += bool(said) and state is not None
            there += state is not None
            hit += state is not None and said == state
    return total, declared, true, there, hit


def genie(bench: Bench) -> Bound:
    """The reference for what is possible.

    Of each problem it takes the mean of the alive and of the dead prefixes' rollouts for their
    values, and the frequency of first errors at steps 1, 2, ... for their distribution.
    """
    cases = [c for source, _ in bench.sources() if source.luck == 0 for c in source.cases()]
    errors = [
        case.truths[s.id].state or len(s.steps) for case in cases for s in case.task.solutions
    ]
    frequency = np.bincount(errors, minlength=max(errors) + 1)[1:] + 1.0
    return bound([known for case in cases for known in _known(case, frequency)])


def _known(case: Case, frequency: Floats) -> Iterator[Known]:
    alive, dead = [0.5], [0.05]  # one rollout's worth of what is usual
    for solution in case.task.solutions:
        error = case.truths[solution.id].state or len(solution.steps)
        for k in range(len(solution.steps)):
            taken = case.take(case.task.prefix(solution, k).key, 10**6)
            rate = np.mean([g.verdict.outcome is Outcome.CORRECT for g in taken])
            (alive if k < error else dead).append(float(rate))
    level = np.mean(alive), min(np.mean(dead), np.mean(alive))
    for solution in case.task.solutions:
        steps = len(solution.steps)
        first = np.append(frequency, np.ones(steps))[:steps]
        values = (np.full(steps - 1, v) for v in level)
        yield Known(*values, first / first.sum(), np.ones(steps - 1))
