"""stepped.py - vLLM in this process: one thread runs `LLMEngine.step()`, futures wait for it.

The thread owns the engine; the event loop owns what waits. They meet in a queue of commands,
one for each call of `generate`, and in one callback a step with all that it finished: so the
cost of a request is the same whether one or hundreds are in flight.

Engines of one process step by turns: vLLM keeps what a step works on in globals, and two that step
at once end the process.
"""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING

from labeler.model import Completion
from labeler.samplers.base import EngineDiedError, EngineStartError, failed
from labeler.samplers.engines import Job, cause_of, completion_of, params_of, prompt_of, with_seed

if TYPE_CHECKING:
    from vllm.v1.engine.llm_engine import LLMEngine


_TURN = Lock()
"""Held by the engine of this process that is built, stepped or released."""


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


_Command = _Batch | _Abort | _Close


class SteppedEngine:
    """vLLM in this process, stepped by one thread. Open it with `start`."""

    def __init__(self, build: "Callable[[], LLMEngine]") -> None:
        """`build` makes the LLMEngine; it is called in the engine's thread."""
        self.max_model_len = 0
        self._build = build
        self._commands: SimpleQueue[_Command] = SimpleQueue()
        self._waiting: dict[str, tuple[_Batch, int]] = {}
        """By request name; touched by the event loop alone."""
        self._died: str | None = None
        self._counter = itertools.count()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    async def start(self) -> "SteppedEngine":
        """Starts the thread and waits until the model is loaded. Raises EngineStartError."""
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
            with _TURN:
                engine = self._build()
        except BaseException as e:  # noqa: BLE001 - whoever waits for the start must hear of it
            self._post(_refuse, ready, EngineStartError(f"vLLM cannot start: {cause_of(e)}"))
            return
        try:
            self._post(_accept, ready, engine.model_config.max_model_len)
            self._serve(engine)
        except BaseException as e:  # noqa: BLE001 - whoever waits for a completion must hear of it
            self._post(self._die, f"the vLLM engine died: {cause_of(e)}")
        finally:
            _release(engine)

    def _serve(self, engine: "LLMEngine") -> None:
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
                with _TURN:
                    outputs = engine.step()
                done += [(o.request_id, completion_of(o)) for o in outputs if o.finished]
            if done:
                self._post(self._resolve, done)
                done = []

    def _take(self, *, wait: bool) -> list[_Command]:
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
            batch.done[i] = with_seed(completion, batch.jobs[i].seed)
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


def _submit(engine: "LLMEngine", batch: _Batch) -> list[tuple[str, Completion]]:
    """Adds the jobs; those that the engine refuses come back at once."""
    refused = []
    for name, job in zip(batch.names, batch.jobs, strict=True):
        try:
            engine.add_request(name, prompt_of(job), params_of(job))
        except ValueError as e:  # vLLM's validation errors are kinds of it
            refused.append((name, failed(cause_of(e), None, len(job.ids))))
    return refused


def _accept(ready: "asyncio.Future[int]", max_model_len: int) -> None:
    if not ready.done():
        ready.set_result(max_model_len)


def _refuse(ready: "asyncio.Future[int]", error: Exception) -> None:
    if not ready.done():
        ready.set_exception(error)


def _release(engine: "LLMEngine") -> None:
    """Gives back model, cache and process groups, so that another engine can start here."""
    import gc

    from vllm.distributed import cleanup_dist_env_and_memory

    with _TURN:
        engine.engine_core.shutdown()
        cleanup_dist_env_and_memory()
        gc.collect()
