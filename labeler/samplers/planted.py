"""planted.py - a world whose values are written in its text.

A question states its gold and V(0), each step states the value after it, and the last step
states the answer that the solution reaches:

    Planted problem 17. Gold 423. Value 0.62.
    Step 1. Value 0.55.
    Step 2. Value 0. The answer is 425.

The sampler reads the last "Value x" in the prefix's text (in the question for prefix 0) and
reaches the gold with that probability. It keeps no state (but see `failing`), needs no model,
and is exact: V(k) is known, and the same seed, prefix and index give the same completion in
any process and any order. A token is a word.

In the generator's role it writes a whole solution from prefix 0, right with probability V(0);
a wrong one has a step from which the value is 0, or 0.05 (an error that luck can mend). With
`steps` a completion, too, is not the answer alone: it goes on step by step, each step stating the
value after it, so that a completion can be continued from within (a tree search does that).
"""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from hashlib import blake2b
from typing import Literal

from pydantic import Field, NonNegativeInt

from labeler.model import Completion, Finish, Prefix, Sampler, SamplerError
from labeler.params import Params
from labeler.prompts import PromptConfig
from labeler.samplers.base import (
    COMPLETER,
    GENERATOR,
    JUDGE,
    Luck,
    Sampling,
    Source,
    failed,
    fingerprint,
    uniform,
)
from labeler.samplers.choices import Choices
from labeler.samplers.planted_judge import PlantedJudge

_VALUE = re.compile(r"Value (\d+(?:\.\d+)?)\.")
_GOLD = re.compile(r"Gold (-?\d+)\.")
_WORD = re.compile(r"\s*\S+")
_WORDINGS = ((", one way", 0.1), (", another way", 0.0), (", a third way", -0.1))


class PlantedConfig(Params):
    """A planted world: known values, no model. For tests, laws and dry runs."""

    kind: Literal["planted"] = "planted"
    truncated: float = Field(default=0.0, ge=0, le=1)
    """Share of completions cut short before an answer; values shrink by it."""
    failing: float = Field(default=0.0, ge=0, le=1)
    """Share of (prefix, index) that fail when first asked for and succeed on a later call."""
    delay_ms: float = Field(default=0.0, ge=0)
    """Milliseconds that each call takes."""
    steps: NonNegativeInt = 0
    """Completions write the steps up to this one, and the answer in the last; 0: only the answer.
    A step comes in one of three wordings, so that completions share some of their steps."""
    sampling: Sampling = Sampling()
    """Only `max_tokens` (in words), `seeded` and the fingerprint heed it."""

    def open(self, prompt: PromptConfig, seed: int) -> AbstractAsyncContextManager[Source]:
        """The planted world as a source; `prompt` does not matter to it."""
        return _open(self, seed)

    def environment(self) -> dict[str, str]:
        """Nothing needs to stand before a process starts."""
        return {}


@asynccontextmanager
async def _open(config: PlantedConfig, seed: int) -> AsyncIterator[Source]:
    yield PlantedSource(config, seed)


class PlantedSource:
    """Gives planted samplers."""

    def __init__(self, config: PlantedConfig, seed: int) -> None:
        self._config = config
        self._seed = seed

    def sampler(
        self,
        sampling: Sampling | None = None,
        role: str = COMPLETER,
        choices: Choices = (),
        prompt: PromptConfig | None = None,
    ) -> Sampler:
        """A sampler of the planted world; role "generator" writes solutions, "judge" reads them."""
        if role == JUDGE:
            return PlantedJudge(sampling or self._config.sampling, self._seed, choices)
        return PlantedSampler(self._config, sampling or self._config.sampling, role, self._seed)


class PlantedSampler:
    """Completes planted prefixes, each right with the probability that its text states."""

    def __init__(self, config: PlantedConfig, sampling: Sampling, role: str, seed: int) -> None:
        self._config = config
        self._sampling = sampling
        self._role = role
        self._seed = seed
        self._failed_once: set[tuple[str, int]] = set()
        world = {"kind": "planted", "truncated": repr(config.truncated)}
        if config.steps:
            world["steps"] = str(config.steps)
        self.completer = fingerprint(sampling, role, world)

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> list[Completion]:
        """One completion for each index; SamplerError where the question is not planted."""
        if self._config.delay_ms:
            await asyncio.sleep(self._config.delay_ms / 1000)
        gold, value = read_planted(prefix)
        luck = Luck(self._seed, self._role, prefix.key)
        words = len(prefix.question.split()) + len(prefix.text.split())
        return [self._one(prefix, i, luck.bits(i), (gold, value, words)) for i in indices]

    def _one(
        self, prefix: Prefix, index: int, bits: bytes, world: tuple[int, float, int]
    ) -> Completion:
        gold, value, words = world
        seed = int.from_bytes(bits[:4], "big") >> 1 if self._sampling.seeded else None
        if uniform(bits[16:]) < self._config.failing:
            place = (prefix.key, index)
            if place not in self._failed_once:
                self._failed_once.add(place)
                return failed("planted failure: succeeds when asked again", seed, words)
        if self._role == GENERATOR and not prefix.step:
            text = planted_solution(gold, value, bits)
        elif self._config.steps:
            text = planted_completion(gold, value, bits, (prefix.step, self._config.steps))
        else:
            text = f"The answer is {_answer(gold, uniform(bits) < value, bits)}."
        if uniform(bits[8:]) < self._config.truncated:
            text, finish = "So we go on and", Finish.LENGTH
        else:
            finish = Finish.STOP
        tokens = _WORD.findall(text)
        if len(tokens) > self._sampling.max_tokens:
            tokens, finish = tokens[: self._sampling.max_tokens], Finish.LENGTH
            text = "".join(tokens)
        return Completion(text, finish, len(tokens), words, seed)


def read_planted(prefix: Prefix) -> tuple[int, float]:
    """The gold and the value that a planted prefix states; SamplerError where it states none."""
    gold = _GOLD.search(prefix.question)
    values = _VALUE.findall(prefix.text) or _VALUE.findall(prefix.question)
    if gold is None or not values:
        raise SamplerError(
            "the planted completer needs questions of the form 'Planted problem 1. Gold 42. "
            f"Value 0.6.', not {prefix.question[:60]!r}"
        )
    return int(gold[1]), float(values[-1])


def planted_question(name: str | int, gold: int, value: float) -> str:
    """A question that states its gold and V(0)."""
    return f"Planted problem {name}. Gold {gold}. Value {_decimal(value)}."


def planted_step(k: int, value: float, answer: int | None = None, wording: str = "") -> str:
    """Step k, with the value after it, and the answer where it is the last."""
    said = "" if answer is None else f" The answer is {answer}."
    return f"Step {k}{wording}. Value {_decimal(value)}.{said}"


def planted_solution(gold: int, value: float, bits: bytes) -> str:
    """A solution of 2 to 7 lines, right with probability `value`; `bits` are its luck."""
    right = uniform(bits) < value
    n = 2 + bits[12] % 6
    first_error = n + 1 if right else 1 + bits[13] % n
    dead = 0.05 if bits[14] % 4 == 0 else 0.0
    lines = []
    for k in range(1, n + 1):
        alive = value + (1 - value) * k / n if right else value
        after = alive if k < first_error else dead
        said = _answer(gold, right, bits) if k == n else None
        lines.append(planted_step(k, after, said))
    return "\n".join(lines)


def planted_completion(gold: int, value: float, bits: bytes, span: tuple[int, int]) -> str:
    """The lines after step `span[0]` up to `span[1]` (one at least), right with that probability.

    A wrong one errs at one of its lines, each as likely as the others, and from it on states 0,
    or 0.05. Lines before that state what is left of `value` once so many places of an error have
    passed, give or take .1 by wording, but not less than .1: so the dead are told from the living.
    """
    first, n = span[0] + 1, max(1, span[1] - span[0])
    right = uniform(bits) < value
    error = n + 1 if right else 1 + bits[13] % n
    dead = min(value, 0.05 if bits[14] % 4 == 0 else 0.0)
    lines = []
    for j in range(1, n):
        luck = blake2b(bits + j.to_bytes(2, "big"), digest_size=1).digest()
        wording, shift = _WORDINGS[luck[0] % 3]
        left = value / (value + (1 - value) * (n - j) / n) if value else 0.0
        alive = min(1.0, max(0.1, left + shift))
        lines.append(planted_step(first + j - 1, alive if j < error else dead, None, wording))
    said = _answer(gold, right, bits)
    lines.append(planted_step(first + n - 1, 1.0 if right else dead, said))
    return "\n".join(lines)


def _answer(gold: int, right: bool, bits: bytes) -> int:
    """The gold, or a number near it."""
    return gold if right else gold + 1 + bits[15] % 9


def _decimal(value: float) -> str:
    """At most six decimals, without an exponent."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
