"""view.py - one solution's evidence to its row of labels."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from labeler.labels.beliefs import entries
from labeler.labels.config import LabelConfig
from labeler.labels.first_error import Located, first_zero, likeliest
from labeler.labels.provers import Columns, ProverEvidence, best_of_columns, columns, values_of
from labeler.labels.ratings import rating
from labeler.labels.rows import (
    Failure,
    ProverValue,
    SolutionLabel,
    StepLabel,
    Stopping,
    Value,
)
from labeler.labels.values import Tally
from labeler.labels.weighted import weighted_values
from labeler.model import Outcome, Problem, Solution, Verdict

if TYPE_CHECKING:
    from labeler.posterior.values import Posterior


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one solution."""

    own: Verdict
    """The verdict of its own answer."""
    tallies: Mapping[int, Tally]
    """By prefix, 0..K-1; absent where nothing was rolled out."""
    stopping: Stopping = Stopping.FIXED
    failures: Mapping[int, str] = field(default_factory=dict)
    """The cause, by prefix, where rollouts could not be had."""
    provers: tuple[ProverEvidence, ...] = ()
    """What further completers' rollouts say."""

    @property
    def is_correct(self) -> bool | None:
        """Whether the own answer is right; None where it could not be graded."""
        own = self.own.outcome
        return None if own is Outcome.UNGRADABLE else own is Outcome.CORRECT


def label(
    problem: Problem,
    solution: Solution,
    evidence: Evidence,
    config: LabelConfig,
    belief: "Posterior | None" = None,
) -> SolutionLabel:
    """The row of one solution. `config.n` and `config.truncated` were applied by the tallies.

    `belief` is what all counts of the problem say of this solution (see beliefs.py); without it,
    the rule posterior decides nothing. Raises ValueError for a solution without steps, and for a
    tally outside prefixes 0..K-1.
    """
    steps = len(solution.steps)
    for tallies in (evidence.tallies, *(p.tallies for p in evidence.provers)):
        _check(solution, tallies)
    known = ProverEvidence("", evidence.tallies, belief)
    own = _own_value(evidence.is_correct)
    values = values_of(known.tallies, own, steps, config.confidence)
    if config.rule == "first_zero":
        located = first_zero(values[1:], evidence.is_correct, config.right_answers)
    else:
        located = likeliest(belief, steps, config.decided, config.confidence)
    provers = list(_provers(known, values, evidence, config))
    at_start, *at_steps = zip(*provers, strict=True) if provers else [None] * (steps + 1)
    return SolutionLabel(
        problem_id=problem.id,
        solution_id=solution.id,
        question=problem.question,
        gold=problem.gold,
        steps=tuple(s.text for s in solution.steps),
        answer=evidence.own.answer,
        is_correct=evidence.is_correct,
        source=problem.source,
        generator=solution.generator,
        value_0=values[0],
        first_error=located.first_error,
        first_error_confidence=_confidence(belief, located),
        first_error_posterior=entries(belief) if belief else None,
        first_error_rule=config.rule,
        labels=_step_labels(columns(known, values, config), at_steps, evidence, located, config),
        n_rollouts=sum(t.n_rollouts for t in evidence.tallies.values()),
        n_tokens=sum(t.n_tokens for t in evidence.tallies.values()),
        failures=tuple(Failure(k, c) for k, c in sorted(evidence.failures.items())),
        provers_0=at_start,
    )


def _check(solution: Solution, tallies: Mapping[int, Tally]) -> None:
    steps = len(solution.steps)
    if not steps or not all(0 <= k < steps for k in tallies):
        raise ValueError(
            f"solution {solution.id} has {steps} steps and tallies of prefixes "
            f"{sorted(tallies)}: prefixes 0..K-1 of at least one step are labelled"
        )


def _confidence(belief: "Posterior | None", located: Located) -> float | None:
    """The probability of the stated first error; where it is undecided, of the likeliest."""
    if belief is None:
        return None
    if located.first_error is None:
        return float(belief.first_error.max())
    return float(belief.first_error[located.first_error - 1])  # none, 0, is the last entry


def _own_value(is_correct: bool | None) -> Value:
    """V(K): the own answer's verdict, exactly."""
    if is_correct is None:
        return Value(0, 0, None, None, None)
    exact = float(is_correct)
    return Value(1, int(is_correct), exact, exact, exact)


def _provers(
    known: ProverEvidence, values: Sequence[Value], evidence: Evidence, config: LabelConfig
) -> Iterator[Columns]:
    """The columns of every prover but the run's own completer, which is `known`."""
    yield from best_of_columns(known, values, config, is_fixed=evidence.stopping is Stopping.FIXED)
    for prover in evidence.provers:
        its = values_of(prover.tallies, values[-1], len(values) - 1, config.confidence)
        yield columns(prover, its, config)
        yield from best_of_columns(prover, its, config)


def _step_labels(
    own: Columns,
    provers: Sequence[tuple[ProverValue, ...] | None],
    evidence: Evidence,
    located: Located,
    config: LabelConfig,
) -> tuple[StepLabel, ...]:
    """The labels of steps 1..K: `own` are the columns of prefixes 0..K, `provers` those of 1..K."""
    after = own[1:]
    targets = [located.target(k) for k in range(1, len(own))]
    weighted = _weighted(after, config)
    ratings = _ratings(targets, after, config)
    return tuple(
        StepLabel(
            n=c.n,
            correct=c.correct,
            truncated=c.truncated,
            ungradable=c.ungradable,
            soft=c.soft,
            low=c.low,
            high=c.high,
            soft_posterior=c.soft_posterior,
            credible_low=c.credible_low,
            credible_high=c.credible_high,
            hard=c.hard,
            progress=c.progress,
            progress_low=c.progress_low,
            progress_high=c.progress_high,
            stopping=evidence.stopping,
            target=targets[k - 1],
            basis=located.basis(k, c.n > 0),
            rating=ratings[k - 1],
            weighted=weighted[k - 1],
            provers=provers[k - 1],
        )
        for k, c in enumerate(after, 1)
    )


def _weighted(steps: Columns, config: LabelConfig) -> Sequence[float | None]:
    if not config.weighted:
        return [None] * len(steps)
    return weighted_values([c.hard for c in steps])


def _ratings(
    targets: Iterable[bool | None], steps: Columns, config: LabelConfig
) -> Sequence[int | None]:
    if config.neutral is None:
        return [None] * len(steps)
    return [
        rating(target, c.progress_low, c.progress_high, config.neutral)
        for target, c in zip(targets, steps, strict=True)
    ]
