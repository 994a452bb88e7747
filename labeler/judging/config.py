"""config.py - who judges, and what it is asked."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    NonNegativeInt,
    PositiveInt,
    TypeAdapter,
    field_validator,
    model_validator,
)

from labeler.judging.reading import Answer, Judgement, Round, named_by, read, vote
from labeler.model import Ask, Finish, Prefix, Rollout, digest
from labeler.params import Params
from labeler.prompts import PromptConfig
from labeler.samplers import CompleterConfig, Sampling, share

_QUESTION, _STEPS = "{question}", "{steps}"
_ANSWERS = "Yes or No"
"""How the texts of the package name what a Verifier chooses between."""
_CUE = f"\n\nIs every step right? {_ANSWERS}?\n"


@cache
def _shipped(name: str) -> str:
    """A prompt that comes with the package."""
    return (files("labeler.judging") / "prompts" / f"{name}.txt").read_text(encoding="utf-8")


class Judge(Params):
    """What both kinds of judges share."""

    completer: CompleterConfig | None = None
    """The model; null means the run's own completer and its engine."""
    sampling: Sampling | None = None
    """How it samples; null means as its completer's own configuration says."""
    prompt: PromptConfig | None = None
    """The turns round the text below; null means the run's, with all that they tell the completer
    to do: give the judge its own where they ask for a solution, or for an answer in a box."""
    text: str = Field(repr=False)
    """What it is shown, with {question} and {steps} where these go. `template: FILE` in a
    configuration reads it from a file."""
    when: Literal["matters", "always"] = "matters"
    """matters: only solutions of which its answer can change whether they are kept are judged (by
    `consensus:`; by default those whose first error rollouts have decided). always: all."""

    @field_validator("text")
    @classmethod
    def _has_slots(cls, text: str) -> str:
        for slot in (_QUESTION, _STEPS):
            if text.count(slot) != 1:
                raise ValueError(f"must hold {slot} once")
        return text

    def shown(self, question: str, steps: Sequence[str], prompt: PromptConfig) -> Prefix:
        """What the judge is asked of these steps, as the prefix that it completes.

        `prompt` is the run's, for a judge without one of its own.
        """
        numbered = "\n\n".join(f"Step {k}: {text}" for k, text in enumerate(steps, 1))
        before, _, after = self.text.partition(_STEPS)
        asked = before.replace(_QUESTION, question) + numbered + after.replace(_QUESTION, question)
        return Prefix(asked, "", 0, (self.prompt or prompt).digest)


class Locator(Judge):
    """An LLM that names the earliest wrong step of each solution, or says that there is none."""

    kind: Literal["locate"] = "locate"
    text: str = Field(default_factory=lambda: _shipped("first_error"), repr=False)
    samples: PositiveInt = 1
    """Answers to each solution. More than half of them must name the same step."""

    @property
    def choices(self) -> tuple[str, ...]:
        """It answers in words."""
        return ()

    def judgement(
        self, question: str, steps: Sequence[str], prompt: PromptConfig, threshold: float
    ) -> Judgement:
        """Asks once, for all samples; words need no threshold."""
        [said] = yield Round((Ask(self.shown(question, steps, prompt), self.samples),))
        answers = tuple(_answer(r, 0, named=read(r.text, r.finish, len(steps))) for r in said)
        return vote(answers, self.samples)

    def calls(self, steps: int) -> int:
        """Answers to a solution of so many steps."""
        return self.samples

    def name(self, completers: Sequence[str], prompt: PromptConfig) -> str:
        """Names its folder in judgements/: who it is, and what it is shown."""
        return digest(*completers, self.text, (self.prompt or prompt).digest, size=8)


class Verifier(Judge):
    """An LLM that says how likely it is that all steps so far are right, for each prefix.

    A generative verifier (Zhang et al. 2024, Generative Verifiers: Reward Modeling as Next-Token
    Prediction): P(yes) from the log probabilities of two answer tokens, at once or after chains of
    thought, averaged. The first error is the first step at whose end it is below
    `consensus.threshold`.
    """

    kind: Literal["verify"] = "verify"
    text: str = Field(repr=False)
    chains: NonNegativeInt = 0
    """Chains of thought that are sampled of each prefix before the question is put; 0: none."""
    cue: str = _CUE
    """Put after a chain, so that the next token is the answer."""
    yes: str = Field(default="Yes", min_length=1)
    """The answer that all steps are right: one token of the model's. The texts of the package
    name it, and the other one, as they are set here."""
    no: str = Field(default="No", min_length=1)
    """The other answer: one token."""

    @model_validator(mode="before")
    @classmethod
    def _default_texts(cls, data: Any) -> Any:  # noqa: ANN401 - whatever a user wrote
        if not isinstance(data, dict):
            return data
        answers = f"{data.get('yes', 'Yes')} or {data.get('no', 'No')}"
        text = _shipped("verify_chains" if data.get("chains") else "verify")
        texts = {"text": text, "cue": _CUE}
        return {key: told.replace(_ANSWERS, answers) for key, told in texts.items()} | data

    @model_validator(mode="after")
    def _two_answers(self) -> Self:
        if self.yes == self.no:
            raise ValueError(f"yes and no are the same answer, {self.yes!r}: give two")
        return self

    @property
    def choices(self) -> tuple[str, ...]:
        """It chooses between these two."""
        return (self.yes, self.no)

    def judgement(
        self, question: str, steps: Sequence[str], prompt: PromptConfig, threshold: float
    ) -> Judgement:
        """Asks of every prefix at once: for chains, where wanted, then for the two answers.

        A prefix is wrong where P(yes) is below the threshold.
        """
        shown = [self.shown(question, steps[:k], prompt) for k in range(1, len(steps) + 1)]
        if self.chains:
            return (yield from self._after_chains(shown, threshold))
        told = yield Round(tuple(Ask(prefix, 1) for prefix in shown), chosen=True)
        answers = [
            _answer(choice, k, score=share(choice.text, self.yes, self.no))
            for k, said in enumerate(told, 1)
            for choice in said
        ]
        heard, whole = any(told), all(told)
        return named_by(answers, len(steps), threshold, heard=heard, whole=whole)

    def _after_chains(self, shown: Sequence[Prefix], threshold: float) -> Judgement:
        """Asks for chains, and after each that came to its end for the choice.

        One that was cut off has no score.
        """
        said = yield Round(tuple(Ask(prefix, self.chains) for prefix in shown))
        chains = [
            (k, chain, Prefix(prefix.question, chain.text + self.cue, 0, prefix.template))
            for k, (prefix, each) in enumerate(zip(shown, said, strict=True), 1)
            for chain in each
        ]
        ended = [prefix for _, chain, prefix in chains if chain.finish is Finish.STOP]
        told = yield Round(tuple(Ask(prefix, 1) for prefix in ended), chosen=True)
        scores = {
            prefix.key: share(choice.text, self.yes, self.no)
            for prefix, choices in zip(ended, told, strict=True)
            for choice in choices
        }
        answers = [
            _answer(chain, k, score=scores.get(p.key) if chain.finish is Finish.STOP else None)
            for k, chain, p in chains
        ]
        whole = all(len(each) == self.chains for each in said) and all(told)
        return named_by(answers, len(shown), threshold, heard=bool(chains), whole=whole)

    def calls(self, steps: int) -> int:
        """Chains and choices of a solution of so many steps."""
        return steps * max(1, 2 * self.chains)

    def name(self, completers: Sequence[str], prompt: PromptConfig) -> str:
        """Names its folder in judgements/: who it is, and what it is shown."""
        shown = (self.text, *([self.cue] if self.chains else []), (self.prompt or prompt).digest)
        return digest(*completers, *shown, size=8)


def _answer(
    rollout: Rollout, step: int, *, named: int | None = None, score: float | None = None
) -> Answer:
    return Answer(step, named, score, rollout.text, rollout.finish, rollout.n_tokens)


JudgeConfig = Annotated[Locator | Verifier, Field(discriminator="kind")]


def judge_config(settings: Mapping[str, Any]) -> Locator | Verifier:
    """What a judge is asked and how it is read, from its settings as a manifest entry holds them.

    Its completer is left out: an entry does not say where that one is.
    """
    asked = {**settings, "completer": None}
    found: Locator | Verifier = TypeAdapter(JudgeConfig).validate_python(asked)
    return found
