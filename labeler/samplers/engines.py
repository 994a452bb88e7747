"""engines.py - two ways to run vLLM behind one: token ids in, completions out.

SteppedEngine runs `LLMEngine.step()` in a thread of this process (the CPU's way: one process,
quick to start). AsyncEngine runs `AsyncLLM`, whose engine is a process of its own (the GPU's
way: the event loop never competes with the engine for the interpreter).
1. Every request gets an answer: a completion, one with Finish.ERROR, or EngineDiedError.
2. After the engine died, nothing hangs: what waits and what comes later raises EngineDiedError.
3. Cancelling `generate` aborts its requests.
4. Requests go over in one message a call, and come back in one message a step.
They know nothing of prefixes, seeds' origin or prompts.
"""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol

from labeler.model import Completion, Finish, LabelerError
from labeler.samplers.base import EngineDiedError, Sampling, failed

_FINISH = {"stop": Finish.STOP, "length": Finish.LENGTH}


@dataclass(frozen=True, slots=True)
class Job:
    """One completion to generate."""

    ids: list[int]
    sampling: Sampling
    max_tokens: int
    seed: int | None


class Engine(Protocol):
    """A running engine."""

    max_model_len: int
    """Tokens that prompt and completion have room for together."""

    async def generate(self, jobs: Sequence[Job]) -> list[Completion]:
        """One completion for each job, in order. Raises EngineDiedError."""

    async def close(self) -> None:
        """Frees the engine; what still waits raises EngineDiedError."""


@dataclass(slots=True)
class _Batch:
    """The jobs of one call."""

    jobs: Sequence[Job]
    names: list[str]
    future: "asyncio.Future[None]"
    done: list[Completion | None]
    missing: int


@dataclass(frozen=True, slots=True)
class _Abort:
    names: list[str]


@dataclass(frozen=True, slots=True)
class _Close:
    pass


@dataclass(slots=True)
class SteppedEngine:
    """vLLM in this process, stepped by one thread. Open it with `start`."""

    build: Callable[[], Any]
    """Makes the LLMEngine; called in the engine's thread."""
    max_model_len: int = 0
    _commands: "SimpleQueue[_Batch | _Abort | _Close]" = field(default_factory=SimpleQueue)
    _waiting: dict[str, tuple[_Batch, int]] = field(default_factory=dict)
    """By request name; touched by the event loop alone."""
    _died: str | None = None
    _counter: "itertools.count[int]" = field(default_factory=itertools.count)
    _loop: asyncio.AbstractEventLoop | None = None
    _thread: Thread | None = None

    async def start(self) -> "SteppedEngine":
        """Starts the thread and waits until the model is loaded. Raises LabelerError."""
        self._loop = asyncio.get_running_loop()
        ready: asyncio.Future[int] = self._loop.create_future()
        self._thread = Thread(target=self._run, args=(ready,), name="vllm-step", daemon=True)
        self._thread.start()
        self.max_model_len = await ready
        return self

    async def generate(self, jobs: Sequence[Job]) -> list[Completion]:
        """One completion for each job, in order. Raises EngineDiedError."""
        if self._died is not None:
            raise EngineDiedError(self._died)
        if not jobs:
            return []
        names = [str(next(self._counter)) for _ in jobs]
        future = asyncio.get_running_loop().create_future()
        batch = _Batch(jobs, names, future, [None] * len(jobs), len(jobs))
        self._waiting.update((name, (batch, i)) for i, name in enumerate(names))
        self._commands.put(batch)
        try:
            await future
        except asyncio.CancelledError:
            for name in names:
                self._waiting.pop(name, None)
            self._commands.put(_Abort(names))
            raise
        return [c for c in batch.done if c is not None]

    async def close(self) -> None:
        """Frees the engine and joins its thread."""
        self._die("the vLLM engine was closed")
        self._commands.put(_Close())
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    def _run(self, ready: "asyncio.Future[int]") -> None:
        """The thread: builds the engine and steps it until told to close, or until it breaks."""
        try:
            engine = self.build()
        except BaseException as e:  # noqa: BLE001 - whoever waits for the start must hear of it
            self._post(_refuse, ready, LabelerError(f"vLLM cannot start: {_cause(e)}"))
            return
        try:
            self._post(_accept, ready, engine.model_config.max_model_len)
            self._serve(engine)
        except BaseException as e:  # noqa: BLE001 - whoever waits for a completion must hear of it
            self._post(self._die, f"the vLLM engine died: {_cause(e)}")
        finally:
            _release(engine)

    def _serve(self, engine: Any) -> None:
        done: list[tuple[str, Completion]] = []
        while True:
            for command in self._take(wait=not engine.has_unfinished_requests()):
                if isinstance(command, _Close):
                    return
                if isinstance(command, _Abort):
                    engine.abort_request(command.names)
                else:
                    done += _submit(engine, command)
            if engine.has_unfinished_requests():
                done += [(o.request_id, _completion(o)) for o in engine.step() if o.finished]
            if done:
                self._post(self._resolve, done)
                done = []

    def _take(self, *, wait: bool) -> list["_Batch | _Abort | _Close"]:
        """All commands that are there; waits for the first one where there is nothing to do."""
        commands = [self._commands.get()] if wait else []
        while True:
            try:
                commands.append(self._commands.get_nowait())
            except Empty:
                return commands

    def _post(self, call: Callable[..., None], *args: object) -> None:
        """Has the event loop do something."""
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(call, *args)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    def _resolve(self, done: Sequence[tuple[str, Completion]]) -> None:
        for name, completion in done:
            batch, i = self._waiting.pop(name, (None, 0))
            if batch is None:
                continue
            seed = batch.jobs[i].seed
            batch.done[i] = _with_seed(completion, seed)
            batch.missing -= 1
            if not batch.missing and not batch.future.done():
                batch.future.set_result(None)

    def _die(self, why: str) -> None:
        """Sticky: the first reason stays."""
        self._died = self._died or why
        for batch, _ in self._waiting.values():
            if not batch.future.done():
                batch.future.set_exception(EngineDiedError(self._died))
        self._waiting.clear()


@dataclass(slots=True)
class AsyncEngine:
    """vLLM in a process of its own. `start` blocks the event loop while the model loads."""

    build: Callable[[], Any]
    """Makes the AsyncLLM."""
    max_model_len: int = 0
    _engine: Any = None
    _counter: "itertools.count[int]" = field(default_factory=itertools.count)

    async def start(self) -> "AsyncEngine":
        """Loads the model. Raises LabelerError."""
        try:
            self._engine = self.build()
        except Exception as e:
            raise LabelerError(f"vLLM cannot start: {_cause(e)}") from e
        self.max_model_len = self._engine.model_config.max_model_len
        return self

    async def generate(self, jobs: Sequence[Job]) -> list[Completion]:
        """One completion for each job, in order. Raises EngineDiedError."""
        if self._engine is None:
            raise EngineDiedError("the vLLM engine was closed")
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._one(job)) for job in jobs]
        return [task.result() for task in tasks]

    async def _one(self, job: Job) -> Completion:
        from vllm.v1.engine.exceptions import EngineDeadError

        try:
            async for output in self._engine.generate(
                _prompt(job), _params(job), str(next(self._counter))
            ):
                if output.finished:
                    return _with_seed(_completion(output), job.seed)
        except EngineDeadError as e:
            raise EngineDiedError(f"the vLLM engine died: {_cause(e)}") from e
        except Exception as e:  # noqa: BLE001 - one refused request must not end the others
            return failed(_cause(e), job.seed, len(job.ids))
        return failed("the vLLM engine ended the request", job.seed, len(job.ids))

    async def close(self) -> None:
        """Ends the engine's process."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await asyncio.to_thread(engine.shutdown)


def _submit(engine: Any, batch: _Batch) -> list[tuple[str, Completion]]:
    """Adds the jobs; those that the engine refuses come back at once."""
    refused = []
    for name, job in zip(batch.names, batch.jobs, strict=True):
        try:
            engine.add_request(name, _prompt(job), _params(job))
        except ValueError as e:  # vLLM's validation errors are kinds of it
            refused.append((name, failed(_cause(e), None, len(job.ids))))
    return refused


def _prompt(job: Job) -> dict[str, object]:
    return {"type": "token", "prompt_token_ids": job.ids}


def _params(job: Job) -> Any:
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    s = job.sampling
    return SamplingParams(
        temperature=s.temperature,
        top_p=s.top_p,
        top_k=max(s.top_k, 0),
        max_tokens=job.max_tokens,
        stop=list(s.stop),
        seed=job.seed,
        output_kind=RequestOutputKind.FINAL_ONLY,
        skip_clone=True,
    )


def _completion(output: Any) -> Completion:
    """Without its seed, which the engine does not say."""
    [made] = output.outputs
    prompt_tokens = len(output.prompt_token_ids)
    finish = _FINISH.get(made.finish_reason)
    if finish is None:
        return failed(f"vLLM ended the request with {made.finish_reason!r}", None, prompt_tokens)
    return Completion(made.text, finish, len(made.token_ids), prompt_tokens)


def _with_seed(c: Completion, seed: int | None) -> Completion:
    return Completion(c.text, c.finish, c.n_tokens, c.prompt_tokens, seed)


def _accept(ready: "asyncio.Future[int]", max_model_len: int) -> None:
    if not ready.done():
        ready.set_result(max_model_len)


def _refuse(ready: "asyncio.Future[int]", error: Exception) -> None:
    if not ready.done():
        ready.set_exception(error)


def _cause(e: BaseException) -> str:
    return f"{type(e).__name__}: {e}"


def _release(engine: Any) -> None:
    """Gives back model, cache and process groups, so that another engine can start here."""
    import gc

    from vllm.distributed import cleanup_dist_env_and_memory

    engine.engine_core.shutdown()
    cleanup_dist_env_and_memory()
    gc.collect()
