"""settings.py - what is chosen about a process reward model; saved beside its weights."""

from pathlib import Path
from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator

from labeler.params import Params
from labeler.prompts import PromptConfig

Labels = Literal["target", "hard", "soft", "soft_posterior", "sound"]
"""What a step learns: a column of `labels`, or `sound`: the probability that the first error comes
after it, by `first_error_posterior`."""


class Settings(Params):
    """How a model is trained."""

    base: Path = Path("data/testbed/model")
    """A directory of a causal language model in Hugging Face's format."""
    labels: Labels = "target"
    """What is learnt; a step without a label of this kind is left out of the loss."""
    after_error: Literal["keep", "cut"] = "cut"
    """Steps after the first error that the labels name: learnt as they are labelled, or left out of
    the loss, as PRM800K has no labels there."""
    prompt: PromptConfig = PromptConfig()
    """What stands before the steps. kind: raw for a base model without a chat template."""
    separator: str = "\n"
    """Follows each step; the label is on its last token."""
    max_length: PositiveInt = 512
    """Tokens of a solution with its question, at most what the base reads; steps beyond lose their
    labels, and are counted."""
    epochs: PositiveInt = 4
    batch: PositiveInt = 32
    """Solutions an update."""
    rate: float = Field(default=1e-3, gt=0, lt=1e30, allow_inf_nan=False)
    """Highest learning rate; rises for a tenth of the updates, then falls to zero. It suits the
    testbed's model; a model of a thousand times its size wants about 1e-5."""
    validation: float = Field(default=0.1, ge=0, lt=1)
    """Share of the problems that are kept out of training, for the threshold."""
    seed: NonNegativeInt = 0
    """Decides the head's first weights, the order of the batches and the validation problems."""

    @field_validator("separator")
    @classmethod
    def _not_empty(cls, text: str) -> str:
        if not text:
            raise ValueError("must not be empty: the label stands on it")
        return text
