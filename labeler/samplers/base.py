"""base.py - what every completer shares: sampling parameters, seeds, fingerprints, the Source.

1. A seed depends on the run's seed, the role, the prefix's content and the index, on nothing
   else: not on the order of arrival, the machine, or what was asked for together.
2. A fingerprint covers what shapes the distribution of completions and leaves out what does
   not: how a model is served, where, how fast, and with which luck (`seeded`).
3. A Source owns what is costly (an engine, a connection, a pool). Its samplers share it, so a
   generator of solutions and a completer can sit on one engine with other sampling.
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Protocol

from pydantic import Field, PositiveInt

from labeler.model import Completion, Finish, LabelerError, Sampler, SamplerError, digest
from labeler.params import Params
from labeler.prompts import PromptConfig
from labeler.samplers.choices import Choices

COMPLETER = "completer"
GENERATOR = "generator"
"""The role that samples whole solutions from prefix 0."""
JUDGE = "judge"
"""The role that reads solutions."""
CHOOSER = "chooser"
"""Where a run keeps the judge's sampler that tells how likely its choices are."""


class Sampling(Params):
    """What a completion is drawn with. Part of the definition of a value: always recorded."""

    temperature: float = Field(default=0.7, ge=0)
    """0 is greedy: then all rollouts of a prefix are one and the same."""
    top_p: float = Field(default=1.0, gt=0, le=1)
    """Nucleus: the smallest set of tokens with this probability mass; 1 takes all."""
    top_k: int = Field(default=-1, ge=-1)
    """Only the k likeliest tokens; -1 (or 0) takes all."""
    max_tokens: PositiveInt = 1024
    """The token budget of a completion. One that spends it is truncated."""
    stop: tuple[str, ...] = ()
    """Texts that end a completion (left out of it), besides the end-of-turn token."""
    seeded: bool = True
    """Send a seed with each rollout, derived from content. False sends none (a little faster)."""

    @property
    def identity(self) -> tuple[str, ...]:
        """What of it shapes the distribution of completions, as text."""
        top_k = max(self.top_k, 0)
        numbers = (repr(self.temperature), repr(self.top_p), str(top_k), str(self.max_tokens))
        return (*numbers, *self.stop)


class Source(Protocol):
    """An open completer: gives samplers that share what is costly."""

    def sampler(
        self,
        sampling: Sampling | None = None,
        role: str = COMPLETER,
        choices: Choices = (),
        prompt: PromptConfig | None = None,
    ) -> Sampler:
        """A sampler with the configured sampling, or another.

        `role` is salted into the fingerprint and the seeds, so that the luck of two roles is
        independent. With `choices` it says how likely each of them is (choices.py); `prompt` is
        another one than the completer was opened with. Raises LabelerError where it cannot.
        """


class EngineDiedError(SamplerError):
    """The engine behind a sampler stopped; a new process may work where this one cannot."""


class EngineStartError(LabelerError):
    """An engine could not be started with the model that is there."""


def fingerprint(
    sampling: Sampling, role: str, parts: Mapping[str, str], choices: Choices = ()
) -> str:
    """24 hex characters over `parts` (by name), the sampling, the role and the choices."""
    named = [text for name in sorted(parts) for text in (name, parts[name])]
    among = [str(len(choices)), *choices] if choices else []
    return digest(str(len(named)), *named, *sampling.identity, role, *among, size=12)


class Luck:
    """The random numbers of one prefix under one role, by index."""

    def __init__(self, seed: int, role: str, prefix_key: str) -> None:
        self._hash = blake2b(f"{seed}:{role}:{prefix_key}:".encode(), digest_size=24)

    def bits(self, index: int) -> bytes:
        """24 bytes that depend on nothing but seed, role, prefix and index."""
        h = self._hash.copy()
        h.update(str(index).encode())
        return h.digest()

    def seed(self, index: int) -> int:
        """A seed of 31 bits, which every server takes."""
        return int.from_bytes(self.bits(index)[:4], "big") >> 1


def uniform(bits: bytes) -> float:
    """A number in [0, 1) from 8 bytes (53 bits are used)."""
    return (int.from_bytes(bits[:8], "big") >> 11) / (1 << 53)


def failed(cause: str, seed: int | None = None, prompt_tokens: int = 0) -> Completion:
    """A completion that could not be had, with its cause as the text."""
    return Completion(cause, Finish.ERROR, 0, prompt_tokens, seed)
