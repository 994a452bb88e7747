"""engines.py - what a vLLM engine does for a sampler: token ids in, completions out.

Two engines do it. SteppedEngine (stepped.py) steps vLLM in a thread of this process: the CPU's
way, quick to start. AsyncEngine, here, runs `AsyncLLM`, whose engine is a process of its own:
the GPU's way, since the event loop never competes with it for the interpreter. Of both:
1. Every request gets an answer: a completion, one with Finish.ERROR, or EngineDiedError.
2. After the engine died, nothing hangs: what waits and what comes later raises EngineDiedError.
3. Cancelling `generate` aborts its requests.
They know nothing of prefixes, prompts, or where seeds come from.
"""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from labeler.model import Completion, Finish
from labeler.samplers.base import EngineDiedError, EngineStartError, Sampling, failed

if TYPE_CHECKING:
    from vllm import RequestOutput, SamplingParams
    from vllm.v1.engine.async_llm import AsyncLLM

_FINISH = {"stop": Finish.STOP, "length": Finish.LENGTH}


@dataclass(frozen=True, slots=True)
class Job:
    """One completion to generate."""

    ids: list[int]
    sampling: Sampling
    max_tokens: int
    seed: int | None
    choices: tuple[int, ...] = ()
    """Tokens whose log probabilities are wanted instead of a text."""


class Engine(Protocol):
    """A running engine."""

    max_model_len: int
    """Tokens that prompt and completion have room for together."""

    async def generate(self, jobs: Sequence[Job]) -> list[Completion]:
        """One completion for each job, in order. Raises EngineDiedError."""

    async def close(self) -> None:
        """Frees the engine; what still waits raises EngineDiedError."""


class AsyncEngine:
    """vLLM in a process of its own. `start` blocks the event loop while the model loads."""

    def __init__(self, build: "Callable[[], AsyncLLM]") -> None:
        """`build` makes the AsyncLLM."""
        self.max_model_len = 0
        self._build = build
        self._engine: AsyncLLM | None = None
        self._counter = itertools.count()

    async def start(self) -> "AsyncEngine":
        """Loads the model. Raises EngineStartError."""
        try:
            self._engine = self._build()
        except Exception as e:
            raise EngineStartError(f"vLLM cannot start: {cause_of(e)}") from e
        self.max_model_len = self._engine.model_config.max_model_len
        return self

    async def generate(self, jobs: Sequence[Job]) -> list[Completion]:
        """One completion for each job, in order. Raises EngineDiedError."""
        if self._engine is None:
            raise EngineDiedError("the vLLM engine was closed")
        return list(await asyncio.gather(*(self._one(job) for job in jobs)))

    async def _one(self, job: Job) -> Completion:
        from vllm.v1.engine.exceptions import EngineDeadError

        assert self._engine is not None
        try:
            async for output in self._engine.generate(
                prompt_of(job), params_of(job), str(next(self._counter))
            ):
                if output.finished:
                    return with_seed(completion_of(output), job.seed)
        except EngineDeadError as e:
            raise EngineDiedError(f"the vLLM engine died: {cause_of(e)}") from e
        except Exception as e:  # noqa: BLE001 - one refused request must not end the others
            return failed(cause_of(e), job.seed, len(job.ids))
        return failed("the vLLM engine ended the request", job.seed, len(job.ids))

    async def close(self) -> None:
        """Ends the engine's process. Blocks the event loop: vLLM's own task there must not run."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.shutdown()


def prompt_of(job: Job) -> dict[str, object]:
    """A prompt that is already token ids, in vLLM's form."""
    return {"type": "token", "prompt_token_ids": job.ids}


def params_of(job: Job) -> "SamplingParams":
    """The parameters of one request; its text comes whole, at the end."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    s = job.sampling
    wanted = list(job.choices)
    choosing = {"logprob_token_ids": wanted, "allowed_token_ids": wanted} if wanted else {}
    return SamplingParams(
        temperature=s.temperature,
        top_p=s.top_p,
        top_k=max(s.top_k, 0),
        max_tokens=job.max_tokens,
        stop=list(s.stop),
        seed=job.seed,
        output_kind=RequestOutputKind.FINAL_ONLY,
        skip_clone=True,
        **choosing,
    )


def completion_of(output: "RequestOutput") -> Completion:
    """Without its seed, which the engine does not say."""
    [made] = output.outputs
    prompt_tokens = len(output.prompt_token_ids)
    finish = _FINISH.get(made.finish_reason)
    if finish is None:
        return failed(f"vLLM ended the request with {made.finish_reason!r}", None, prompt_tokens)
    told = {i: p.logprob for i, p in made.logprobs[0].items()} if made.logprobs else None
    return Completion(made.text, finish, len(made.token_ids), prompt_tokens, logprobs=told)


def with_seed(c: Completion, seed: int | None) -> Completion:
    """The completion with the seed that was sent for it."""
    return replace(c, seed=seed)


def cause_of(e: BaseException) -> str:
    """An error in one line."""
    return f"{type(e).__name__}: {e}"
