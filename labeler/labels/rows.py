"""rows.py - the nouns of labels; field names are the columns of labels/*.parquet.

soft, hard, progress and their intervals are None exactly where there is nothing to measure them
from; target may be inferred, and basis says so.
"""

from dataclasses import dataclass
from enum import StrEnum


class Stopping(StrEnum):
    """Whether the number of rollouts of a prefix was set beforehand."""

    FIXED = "fixed"
    ADAPTIVE = "adaptive"
    """It depended on their outcomes: soft values are biased, soft_posterior is not."""


class Basis(StrEnum):
    """What a step's target rests on."""

    MEASURED = "measured"
    """That very prefix was rolled out (or is the whole solution, with its own verdict)."""
    INFERRED = "inferred"
    """Other prefixes decide it."""
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Value:
    """The measured value of one prefix; soft, low and high are None where n = 0."""

    n: int
    correct: int
    soft: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ProverValue:
    """The value columns of one prefix under a further prover."""

    prover: str
    """A further completer's name; `best_of_J` of the run's own completer, `NAME/best_of_J` of a
    further one: then n and correct are the counts of single rollouts that soft is estimated
    from."""
    n: int
    correct: int
    truncated: int
    ungradable: int
    soft: float | None
    low: float | None
    high: float | None
    soft_posterior: float | None
    credible_low: float | None
    credible_high: float | None
    hard: bool | None
    progress: float | None
    progress_low: float | None
    progress_high: float | None


@dataclass(frozen=True, slots=True)
class StepLabel:
    """Everything said about one step, from the prefix that ends with it."""

    n: int
    correct: int
    truncated: int
    ungradable: int
    soft: float | None
    low: float | None
    high: float | None
    soft_posterior: float | None
    credible_low: float | None
    credible_high: float | None
    hard: bool | None
    progress: float | None
    progress_low: float | None
    progress_high: float | None
    stopping: Stopping
    target: bool | None
    """Whether the step is before the first error; None is undecided."""
    basis: Basis
    rating: int | None = None
    """-1 wrong, 0 neutral, 1 good; None is undecided, or not wanted (see labels/ratings.py)."""
    weighted: float | None = None
    """The weighted value of ReST-MCTS* (see labels/weighted.py), where it is wanted."""
    provers: tuple[ProverValue, ...] | None = None
    """None where there are no further provers."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A prefix that could not be rolled out in full."""

    step: int
    cause: str


@dataclass(frozen=True, slots=True)
class StepProbability:
    """One entry of a first error's posterior; step 0 is "none"."""

    step: int
    probability: float


@dataclass(frozen=True, slots=True)
class SolutionLabel:
    """One row of labels/*.parquet."""

    problem_id: str
    solution_id: str
    question: str
    gold: str
    steps: tuple[str, ...]
    answer: str | None
    is_correct: bool | None
    """None where the solution's own answer is ungradable."""
    source: str
    generator: str
    value_0: Value
    first_error: int | None
    """1-based; 0 is none, None is undecided."""
    first_error_confidence: float | None
    first_error_posterior: tuple[StepProbability, ...] | None
    first_error_rule: str
    labels: tuple[StepLabel, ...]
    n_rollouts: int
    """Of the run's own completer, as n_tokens."""
    n_tokens: int
    judge_first_error: int | None = None
    keep: bool | None = None
    drop_reason: str | None = None
    failures: tuple[Failure, ...] = ()
    provers_0: tuple[ProverValue, ...] | None = None
    """The value of the bare question under each further prover, in the order of the steps'
    `provers`: progress of a prover telescopes from here. Its own progress is None."""
