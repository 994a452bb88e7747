"""endpoint.py - a completer behind any OpenAI-compatible server (its /v1/completions).

The prefix is rendered here, and sent as token ids where a tokenizer is configured, else as raw
text: the chat endpoint would not continue an assistant's turn verbatim everywhere. One request
an index, each with its own seed.
What is tried again and what ends the run is decided in completions.py. Where the server is,
and the key to it, are no part of the completer's fingerprint.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, PositiveInt

from labeler.model import Completion, Finish, LabelerError, Prefix
from labeler.params import Params
from labeler.prompts import PromptConfig, Renderer, UnrenderableError, load_tokenizer
from labeler.samplers.base import COMPLETER, Luck, Sampling, Source, failed, fingerprint
from labeler.samplers.choices import SPOKEN, Choices, ids_of
from labeler.samplers.completions import EndpointSettings, Link
from labeler.samplers.model_files import files_digest, model_directory

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class EndpointConfig(Params):
    """A model behind an OpenAI-compatible server."""

    kind: Literal["endpoint"] = "endpoint"
    url: str
    """Base address, with its /v1: http://127.0.0.1:8000/v1."""
    model: str
    """The model's name at that server."""
    tokenizer: str | None = None
    """Directory (or hub name) of its tokenizer: prompts are then sent as token ids. Without it
    only raw prompts can be sent, as text."""
    max_model_len: PositiveInt | None = None
    """Room for prompt and completion, if the server wants max_tokens to fit into it: max_tokens is
    then cut to what a prompt of token ids leaves (vLLM's server does that by itself)."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Sent along as it is, and part of the fingerprint. With vLLM's server {top_k: -1,
    repetition_penalty: 1.0} undoes what the model's generation_config.json sets there, and
    {add_special_tokens: false} keeps it from adding a BOS to a text that spells its own."""
    sampling: Sampling = Sampling()
    engine: EndpointSettings = EndpointSettings()

    def open(self, prompt: PromptConfig, seed: int) -> AbstractAsyncContextManager[Source]:
        """A client of the server. Raises LabelerError where the configuration cannot work."""
        return _open(self, prompt, seed)

    def environment(self) -> dict[str, str]:
        """Nothing needs to stand before a process starts."""
        return {}


@asynccontextmanager
async def _open(config: EndpointConfig, prompt: PromptConfig, seed: int) -> AsyncIterator[Source]:
    import httpx

    headers = {}
    if config.api_key_env is not None:
        if config.api_key_env not in os.environ:
            raise LabelerError(f"{config.api_key_env} is not set (completer.api_key_env)")
        headers["Authorization"] = f"Bearer {os.environ[config.api_key_env]}"
    parts = {
        "kind": "endpoint",
        "model": config.model,
        "extra_body": json.dumps(config.extra_body, sort_keys=True),
        "max_model_len": str(config.max_model_len or ""),
    }
    tokenizer = None
    if config.tokenizer is not None:
        directory = model_directory(config.tokenizer)
        parts["tokenizer"] = files_digest(directory, weights=False)
        tokenizer = load_tokenizer(directory)
    limits = httpx.Limits(max_connections=config.engine.concurrency)
    async with httpx.AsyncClient(
        base_url=config.url.rstrip("/") + "/",
        headers=headers,
        timeout=httpx.Timeout(config.engine.timeout_s, pool=None),
        limits=limits,
    ) as client:
        slots = asyncio.Semaphore(config.engine.concurrency)
        link = Link(client, slots, config.engine)
        yield EndpointSource((config, link), (tokenizer, prompt), parts, seed)


class EndpointSource:
    """Samplers of one server."""

    def __init__(
        self,
        via: tuple[EndpointConfig, Link],
        reads: "tuple[PreTrainedTokenizerBase | None, PromptConfig]",
        parts: dict[str, str],
        seed: int,
    ) -> None:
        self._via = via
        self._tokenizer, self._prompt = reads
        self._parts = parts
        self._seed = seed

    def sampler(
        self,
        sampling: Sampling | None = None,
        role: str = COMPLETER,
        choices: Choices = (),
        prompt: PromptConfig | None = None,
    ) -> "EndpointSampler":
        """A sampler of this server's model. Raises LabelerError where it cannot be prompted so."""
        renderer = Renderer(self._tokenizer, prompt or self._prompt)
        if self._tokenizer is None and renderer.config.kind == "chat":
            raise LabelerError(
                "a chat prompt is rendered here and sent as token ids: set `tokenizer` of the "
                "endpoint completer, or `kind: raw` of the prompt"
            )
        if self._tokenizer is not None:
            ids_of(self._tokenizer, choices)
        sampling = sampling or self._via[0].sampling
        name = fingerprint(sampling, role, self._parts, choices)
        luck = (self._seed, role)
        return EndpointSampler(name, (*self._via, renderer), sampling, luck, choices)


class EndpointSampler:
    """Completes prefixes by asking a server."""

    def __init__(
        self,
        completer: str,
        via: tuple[EndpointConfig, Link, Renderer],
        sampling: Sampling,
        luck: tuple[int, str],
        choices: Choices,
    ) -> None:
        self.completer = completer
        self._config, self._link, self._renderer = via
        self._sampling = sampling
        self._luck = luck
        self._choices = choices

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> list[Completion]:
        """One completion for each index. Raises SamplerError when the server refuses."""
        luck = Luck(*self._luck, prefix.key)
        seeds = [luck.seed(i) if self._sampling.seeded else None for i in indices]
        as_text = self._config.tokenizer is None
        try:
            prompt = self._renderer.text(prefix) if as_text else self._renderer.ids(prefix)
        except UnrenderableError as e:
            return [failed(str(e)) for _ in indices]
        room = 1 if self._choices else self._sampling.max_tokens
        if not as_text and self._config.max_model_len is not None:
            room = min(room, self._config.max_model_len - len(prompt))
            if room < 1:
                return [Completion("", Finish.LENGTH, 0, len(prompt), seed) for seed in seeds]
        body = self._body(prompt, room)
        bodies = [body if seed is None else {**body, "seed": seed} for seed in seeds]
        asks = [
            asyncio.ensure_future(self._link.ask(b, luck.bits(i), self._choices))
            for b, i in zip(bodies, indices, strict=True)
        ]
        try:
            return list(await asyncio.gather(*asks))
        finally:
            for ask in asks:
                ask.cancel()

    def _body(self, prompt: list[int] | str, max_tokens: int) -> dict[str, Any]:
        """The request, but for its seed."""
        config, s = self._config, self._sampling
        body: dict[str, Any] = {
            "model": config.model,
            "prompt": prompt,
            "max_tokens": max_tokens,
            "temperature": s.temperature,
            "top_p": s.top_p,
        }
        if self._choices:
            body["logprobs"] = SPOKEN
        elif s.stop:
            body["stop"] = list(s.stop)
        if s.top_k > 0:
            body["top_k"] = s.top_k  # an extension, but nearly all servers know it
        return {**body, **config.extra_body}
