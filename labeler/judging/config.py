"""config.py - who judges, and what it is asked."""

from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import Field, PositiveInt, field_validator

from labeler.model import Prefix, digest
from labeler.params import Params
from labeler.prompts import PromptConfig
from labeler.samplers import CompleterConfig, Sampling

_QUESTION, _STEPS = "{question}", "{steps}"


@cache
def _shipped() -> str:
    """The prompt that comes with the package."""
    return (files("labeler.judging") / "prompts" / "first_error.txt").read_text(encoding="utf-8")


class JudgeConfig(Params):
    """An LLM that names the earliest wrong step of each solution, or says that there is none."""

    completer: CompleterConfig | None = None
    """The model; null means the run's own completer and its engine."""
    sampling: Sampling | None = None
    """How it samples; null means as its completer's own configuration says."""
    prompt: PromptConfig | None = None
    """The turns round the text below; null means the run's. A judge with a prompt of its own needs
    an engine of its own."""
    text: str = Field(default_factory=_shipped, repr=False)
    """What it is shown, with {question} and {steps} where these go. `template: FILE` in a
    configuration reads it from a file."""
    samples: PositiveInt = 1
    """Answers to each solution. More than half of them must name the same step."""
    when: Literal["decided", "always"] = "decided"
    """decided: only solutions whose first error rollouts have located (or shown to be none) are
    judged, since another is dropped whatever the judge says. always: all."""

    @field_validator("text")
    @classmethod
    def _has_slots(cls, text: str) -> str:
        for slot in (_QUESTION, _STEPS):
            if text.count(slot) != 1:
                raise ValueError(f"must hold {slot} once")
        return text

    def shown(self, question: str, steps: tuple[str, ...], prompt: PromptConfig) -> Prefix:
        """What the judge is asked of a solution, as the prefix that it completes.

        `prompt` is the run's, for a judge without one of its own.
        """
        numbered = "\n\n".join(f"Step {k}: {text}" for k, text in enumerate(steps, 1))
        before, _, after = self.text.partition(_STEPS)
        asked = before.replace(_QUESTION, question) + numbered + after.replace(_QUESTION, question)
        return Prefix(asked, "", 0, (self.prompt or prompt).digest)

    def name(self, completer: str, prompt: PromptConfig) -> str:
        """Names its folder in judgements/: who it is, and what it is shown."""
        return digest(completer, self.text, (self.prompt or prompt).digest, size=8)
