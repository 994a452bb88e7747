"""config.py - how rollouts become labels: what of it a user decides."""

from typing import Literal

from pydantic import Field, PositiveInt, field_validator

from labeler.labels.rows import Value
from labeler.labels.values import Truncation
from labeler.params import Params
from labeler.posterior import ValueModel


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
    best_of: tuple[PositiveInt, ...] = ()
    """For each J in it a prover more: Best-of-J of the run's own completer, and of each further
    one. Null where a prefix has fewer than J rollouts, and where their number depended on what
    they gave (stopping adaptive), which would bias it."""
    weighted: bool = False
    """Fill the column `weighted`: ReST-MCTS*'s weighted values, from the steps' hard labels."""
    neutral: float | None = Field(default=None, gt=0, le=1)
    """Fill the column `rating`: 0 for a step before the first error whose progress lies within
    this of zero, its whole interval included; else 1; and -1 from the first error on."""
    confidence: float = Field(default=0.95, ge=0.5, lt=1)
    """Probability content of every interval."""
    value_model: ValueModel = ValueModel()
    """The model behind the rule posterior and soft_posterior; `labeler calibrate` fits it."""

    @field_validator("best_of", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: object) -> object:
        return (value,) if isinstance(value, int) else value

    @field_validator("best_of")
    @classmethod
    def _distinct(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(value)) < len(value):
            raise ValueError("a J stands there twice")
        return value


def is_hard(value: Value, config: LabelConfig) -> bool | None:
    """Whether a measured value counts as alive."""
    if value.soft is None:
        return None
    return value.correct > 0 and value.soft >= config.hard_at_least
