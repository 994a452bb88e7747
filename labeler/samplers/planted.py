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
a wrong one has a step from which the value is 0, or 0.05 (an error that luck can mend).
"""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal

from pydantic import Field

from labeler.model import Completion, Finish, Prefix, SamplerError
from labeler.params import Params
from labeler.prompts import PromptConfig
from labeler.samplers.base import (
    COMPLETER,
    GENERATOR,
    Luck,
    Sampling,
    Source,
    failed,
    fingerprint,
    uniform,
)

_VALUE = re.compile(r"Value (\d+(?:\.\d+)?)\.")
_GOLD = re.compile(r"Gold (-?\d+)\.")
_WORD = re.compile(r"\s*\S+")


class PlantedConfig(Params):
    """A planted world: known values, no model. For tests, laws and dry runs."""

    kind: Literal["planted"] = "planted"
    truncated: float = Field(default=0.0, ge=0, le=1)
    """Share of completions cut short before an answer; values shrink by it."""
    failing: float = Field(default=0.0, ge=0, le=1)
    """Share of (prefix, index) that fail when first asked for and succeed on a later call."""
    delay_ms: float = Field(default=0.0, ge=0)
    """Milliseconds that each call takes."""
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

    def sampler(self, sampling: Sampling | None = None, role: str = COMPLETER) -> "PlantedSampler":
        """A sampler of the planted world; role "generator" writes solutions."""
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


def planted_step(k: int, value: float, answer: int | None = None) -> str:
    """Step k, with the value after it, and the answer where it is the last."""
    said = "" if answer is None else f" The answer is {answer}."
    return f"Step {k}. Value {_decimal(value)}.{said}"


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


def _answer(gold: int, right: bool, bits: bytes) -> int:
    """The gold, or a number near it."""
    return gold if right else gold + 1 + bits[15] % 9


def _decimal(value: float) -> str:
    """At most six decimals, without an exponent."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
