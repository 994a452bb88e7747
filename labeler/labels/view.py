"""view.py - one solution's evidence to its row of labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pydantic import Field, PositiveInt

from labeler.labels.beliefs import entries
from labeler.labels.first_error import Located, first_zero, likeliest
from labeler.labels.rows import Failure, SolutionLabel, StepLabel, Stopping, Value
from labeler.labels.values import Tally, Truncation, difference, measured
from labeler.model import Outcome, Problem, Solution, Verdict
from labeler.params import Params
from labeler.posterior import ValueModel

if TYPE_CHECKING:
    from labeler.posterior.values import Posterior


class LabelConfig(Params):
    """How rollouts become labels. Changing it samples nothing again."""

    rule: Literal["posterior", "first_zero"] = "posterior"
    """How the first error is located. posterior: the likeliest one given all counts of the
    problem. first_zero: the first step whose prefix has no correct rollout (Math-Shepherd)."""
    decided: float = Field(default=0.5, ge=0, lt=1)
    """Rule posterior: the first error is undecided where none is more probable than this."""
    right_answers: bool = False
    """Rule first_zero: locate errors in solutions whose own answer is right, too (they are trace
    errors). The rule posterior always looks; its prior is that of the value model."""
    hard_at_least: float = Field(default=0.0, ge=0, le=1)
    """A step's `hard` label is true when it has a correct rollout and soft >= this. The default
    is Math-Shepherd's hard estimate: any correct rollout. The first error does not depend on it."""
    truncated: Truncation = "incorrect"
    """What a rollout that ran out of tokens counts for. Values are defined within the token
    budget, so it is incorrect; "ungradable" takes it out of the denominator."""
    n: PositiveInt | None = None
    """Use only the first n rollouts of each prefix; None: as many as the policy's n."""
    pair_margin: float = Field(default=0.5, ge=0, le=1)
    """Of two valued next steps of a tree search one is preferred when its soft value is higher by
    this, or is above zero where the other's is zero."""
    confidence: float = Field(default=0.95, ge=0.5, lt=1)
    """Probability content of every interval."""
    value_model: ValueModel = ValueModel()
    """The model behind the rule posterior and soft_posterior; `labeler calibrate` fits it."""


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
    if not steps or not all(0 <= k < steps for k in evidence.tallies):
        raise ValueError(
            f"solution {solution.id} has {steps} steps and tallies of prefixes "
            f"{sorted(evidence.tallies)}: prefixes 0..K-1 of at least one step are labelled"
        )
    tallies = [evidence.tallies.get(k, Tally()) for k in range(steps)]
    values = [measured(t.correct, t.n, config.confidence) for t in tallies]
    values.append(_own_value(evidence.is_correct))
    if config.rule == "first_zero":
        located = first_zero(values[1:], evidence.is_correct, config.right_answers)
    else:
        located = likeliest(belief, steps, config.decided, config.confidence)
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
        labels=_step_labels((evidence, belief), [*tallies, Tally()], values, located, config),
        n_rollouts=sum(t.n_rollouts for t in tallies),
        n_tokens=sum(t.n_tokens for t in tallies),
        failures=tuple(Failure(k, c) for k, c in sorted(evidence.failures.items())),
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


def _step_labels(
    known: "tuple[Evidence, Posterior | None]",
    tallies: Sequence[Tally],
    values: Sequence[Value],
    located: Located,
    config: LabelConfig,
) -> tuple[StepLabel, ...]:
    """The labels of steps 1..K, from what is known of prefixes 0..K."""
    evidence, belief = known
    means, lows, highs = (
        (belief.mean.tolist(), belief.low.tolist(), belief.high.tolist())
        if belief
        else ([None] * len(values),) * 3
    )
    labels = []
    for k in range(1, len(values)):
        value = values[k]
        progress = difference(value, values[k - 1])
        labels.append(
            StepLabel(
                n=value.n,
                correct=value.correct,
                truncated=tallies[k].truncated,
                ungradable=tallies[k].ungradable,
                soft=value.soft,
                low=value.low,
                high=value.high,
                soft_posterior=means[k],
                credible_low=lows[k],
                credible_high=highs[k],
                hard=is_hard(value, config),
                progress=progress.mean if progress else None,
                progress_low=progress.low if progress else None,
                progress_high=progress.high if progress else None,
                stopping=evidence.stopping,
                target=located.target(k),
                basis=located.basis(k, value),
            )
        )
    return tuple(labels)


def is_hard(value: Value, config: LabelConfig) -> bool | None:
    """Whether a measured value counts as alive."""
    if value.soft is None:
        return None
    return value.correct > 0 and value.soft >= config.hard_at_least
