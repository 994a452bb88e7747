"""pool.py - killable warm worker processes for the slow path, seen from asyncio.

A pool starts nothing until its first job. Then one server process is exec'd (worker.py), which
forks workers; each has a socket of its own to the caller. A job's clock starts when its worker
says so; when it overruns, the worker is killed and the next job gets a fresh one.
1. No signal is used or touched in the calling process: it works in threads and Ray actors.
2. A job costs at most its own verdict: a timeout is TIMEOUT, a dead worker GRADER_DIED.
3. Closing the pool, or killing its process, ends server and workers.
It belongs to the event loop that it was opened in, and does not know what a job means.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from types import TracebackType
from typing import Self

from labeler.grading.conventions import Conventions
from labeler.grading.frames import Message, pack
from labeler.grading.rulings import Judged, Rule, Ruling
from labeler.grading.server import LOST, START_S, GraderError, Peer, Server, start
from labeler.model import Reason

_DEFAULT = Conventions()
_DIED = Ruling(Reason.GRADER_DIED, Rule.LIMITS)


@dataclass(slots=True)
class WorkerPool:
    """Runs slow comparisons, at most `workers` at once. Open it with `async with`."""

    workers: int
    timeout_s: float
    memory_mb: int
    _slots: asyncio.Semaphore = field(init=False)
    _starting: asyncio.Lock = field(init=False)
    _idle: list[Peer] = field(default_factory=list)
    _server: Server | None = None
    _open: bool = False

    async def __aenter__(self) -> Self:
        self._open = True
        self._slots = asyncio.Semaphore(self.workers)
        self._starting = asyncio.Lock()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._open = False
        server, self._server = self._server, None
        for worker in self._idle:
            worker.close()
        self._idle.clear()
        if server is not None:
            await server.stop()

    @property
    def pids(self) -> Sequence[int]:
        """The server and its idle workers: empty before the first job."""
        return [*([self._server.peer.pid] if self._server else []), *(w.pid for w in self._idle)]

    async def run(self, gold: str, answer: str, conventions: Conventions = _DEFAULT) -> Judged:
        """The ruling on one pair of spans.

        Raises GraderError if no worker can start, or where the pool is not open.
        """
        if not self._open:
            raise GraderError("this grader is not open: use it inside `async with`")
        choices = conventions.model_dump(exclude_defaults=True)
        job = {"gold": gold, "answer": answer, "conventions": choices}
        async with self._slots:
            try:
                worker = await self._started(job)
            except LOST:
                return Judged(_DIED, 0.0)
            start, keep = perf_counter(), False
            try:
                reply = await self._reply(worker)
                keep = "retire" in reply and not reply["retire"]
                ruling = Ruling(Reason(reply["reason"]), Rule(reply["rule"]))
            except (*LOST, ValueError):
                ruling = _DIED
            finally:
                if keep:
                    self._idle.append(worker)
                else:
                    self._discard(worker)
            return Judged(ruling, (perf_counter() - start) * 1e3)

    async def _started(self, job: Message) -> Peer:
        """A worker that has taken the job up: one that died while it was idle costs nothing."""
        while True:
            worker, fresh = await self._worker()
            try:
                worker.writer.write(pack(job))
                async with asyncio.timeout(START_S):
                    await worker.receive()
                return worker
            except BaseException as error:
                self._discard(worker)
                if fresh or not isinstance(error, LOST):
                    raise

    async def _reply(self, worker: Peer) -> Message:
        reply = asyncio.ensure_future(worker.receive())
        try:
            await asyncio.wait({reply}, timeout=self.timeout_s)
            for _ in range(3):  # a reply that came while this loop was busy still counts
                if not reply.done():
                    await asyncio.sleep(0)
            late = {"reason": Reason.TIMEOUT, "rule": Rule.LIMITS}
            return reply.result() if reply.done() else late
        finally:
            reply.cancel()

    def _discard(self, worker: Peer) -> None:
        worker.close()
        if self._server is not None:
            self._server.send({"kill": worker.pid})

    async def _worker(self) -> tuple[Peer, bool]:
        """An idle worker, or a fresh one (True): of a fresh server, where the old one is gone."""
        while self._idle:
            worker = self._idle.pop()
            if not worker.gone:
                return worker, False
            self._discard(worker)
        with suppress(*LOST):
            return await (await self._live_server()).fork(self.memory_mb << 20), True
        return await (await self._live_server()).fork(self.memory_mb << 20), True

    async def _live_server(self) -> Server:
        async with self._starting:
            if self._server is not None and self._server.gone:
                old, self._server = self._server, None
                await old.stop()
            if self._server is None:
                self._server = await start()
            return self._server
