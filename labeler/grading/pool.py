"""pool.py - killable warm worker processes for the slow path, seen from asyncio.

A pool starts nothing until its first job. Then one server process is exec'd (worker.py), which
forks workers; each has a socket of its own to the caller. A job's clock starts when its worker
says so; when it overruns, the worker is killed and the next job gets a fresh one.
1. No signal is used or touched in the calling process: it works in threads and Ray actors.
2. A job costs at most its own verdict: a timeout is TIMEOUT, a dead worker GRADER_DIED.
3. Closing the pool, or killing its process, ends server and workers.
It belongs to the event loop that it was opened in, and does not know what a job means.
"""

import array
import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from types import TracebackType
from typing import Self

from labeler.grading.conventions import Conventions
from labeler.grading.frames import HEADER, MAX_FRAME, Message, pack, unpack
from labeler.grading.rulings import Judged, Rule, Ruling
from labeler.model import LabelerError, Reason

START_S = 120.0
"""Longest wait for the server's imports, and for a worker to take a job up."""


_DEFAULT = Conventions()
_DIED = Ruling(Reason.GRADER_DIED, Rule.LIMITS)


class GraderError(LabelerError):
    """The grading workers cannot be started at all."""


@dataclass(slots=True)
class _Peer:
    """One end of a socket to the server or to a worker."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    pid: int = 0

    async def receive(self) -> Message:
        """The next message; IncompleteReadError or OSError when the peer is gone."""
        size = HEADER.unpack(await self.reader.readexactly(HEADER.size))[0]
        return unpack(await self.reader.readexactly(size))

    def close(self) -> None:
        """Hang up: a worker ends by it."""
        self.writer.close()


async def _peer(sock: socket.socket) -> _Peer:
    sock.setblocking(False)
    reader, writer = await asyncio.open_unix_connection(sock=sock, limit=MAX_FRAME)
    return _Peer(reader, writer)


@dataclass(slots=True)
class WorkerPool:
    """Runs slow comparisons, at most `workers` at once. Open it with `async with`."""

    workers: int
    timeout_s: float
    memory_mb: int
    _slots: asyncio.Semaphore = field(init=False)
    _starting: asyncio.Lock = field(init=False)
    _idle: list[_Peer] = field(default_factory=list)
    _server: "_Server | None" = None

    async def __aenter__(self) -> Self:
        self._slots = asyncio.Semaphore(self.workers)
        self._starting = asyncio.Lock()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
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
        """The ruling on one pair of spans. Raises GraderError if no worker can start."""
        async with self._slots:
            try:
                worker = await self._worker()
            except (OSError, asyncio.IncompleteReadError, TimeoutError):
                return Judged(_DIED, 0.0)
            keep = False
            start = perf_counter()
            try:
                choices = conventions.model_dump(exclude_defaults=True)
                job = {"gold": gold, "answer": answer, "conventions": choices}
                reply = await self._ask(worker, job)
                keep = "retire" in reply and not reply["retire"]
                ruling = Ruling(Reason(reply["reason"]), Rule(reply["rule"]))
                return Judged(ruling, (perf_counter() - start) * 1e3)
            except (OSError, ValueError, asyncio.IncompleteReadError):
                return Judged(_DIED, (perf_counter() - start) * 1e3)
            finally:
                if keep:
                    self._idle.append(worker)
                else:
                    self._discard(worker)

    async def _ask(self, worker: _Peer, job: Message) -> Message:
        worker.writer.write(pack(job))
        try:
            async with asyncio.timeout(START_S):
                await worker.receive()
        except TimeoutError:
            return {"reason": Reason.GRADER_DIED, "rule": Rule.LIMITS}
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

    def _discard(self, worker: _Peer) -> None:
        worker.close()
        if self._server is not None:
            self._server.send({"kill": worker.pid})

    async def _worker(self) -> _Peer:
        """An idle worker that lives, or a fresh one."""
        while self._idle:
            worker = self._idle.pop()
            if not worker.reader.at_eof() and not worker.writer.is_closing():
                return worker
            self._discard(worker)
        async with self._starting:
            if self._server is None or self._server.peer.reader.at_eof():
                if self._server is not None:
                    await self._server.stop()
                self._server = await _start()
            server = self._server
        return await server.fork(self.memory_mb << 20)


async def _start() -> "_Server":
    """A warm server; one that was killed while it started is started again, twice."""
    for _ in range(2):
        with suppress(GraderError):
            return await _Server.start()
    return await _Server.start()


@dataclass(slots=True)
class _Server:
    """The process that forks workers."""

    process: "subprocess.Popen[bytes]"
    control: socket.socket
    peer: _Peer

    @classmethod
    async def start(cls) -> Self:
        """Exec the server and wait until it is warm."""
        ours, theirs = socket.socketpair()
        control = ours.dup()
        command = [sys.executable, "-P", "-m", "labeler.grading.worker"]
        with theirs:
            process = subprocess.Popen(  # noqa: ASYNC220 - exec only; nothing is waited for
                [*command, str(theirs.fileno()), str(os.getpid())],
                pass_fds=[theirs.fileno()],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        server = cls(process, control, await _peer(ours))
        try:
            async with asyncio.timeout(START_S):
                server.peer.pid = int((await server.peer.receive())["ready"])
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            await server.stop()
            raise GraderError("the grading worker did not start: see its message above") from error
        return server

    async def fork(self, memory: int) -> _Peer:
        """A fresh worker with an address space of `memory` bytes."""
        ours, theirs = socket.socketpair()
        with theirs:
            fds = array.array("i", [theirs.fileno()])
            data = pack({"memory": memory})
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)]
            self.control.sendmsg([data], rights)
        worker = await _peer(ours)
        try:
            async with asyncio.timeout(START_S):
                worker.pid = int((await worker.receive())["worker"])
        except BaseException:
            worker.close()
            raise
        return worker

    def send(self, message: Message) -> None:
        """Tell the server; if it is gone, so are its workers."""
        with suppress(OSError):
            self.control.sendall(pack(message))

    async def stop(self) -> None:
        """Hang up and wait for its end; a server that does not end is killed."""
        self.control.close()
        self.peer.close()
        for _ in range(200):
            if self.process.poll() is not None:
                return
            await asyncio.sleep(0.01)
        self.process.kill()
        self.process.wait()


def _environment() -> dict[str, str]:
    """This process's environment for grading alone: no preloads, one thread, fixed hashes."""
    dropped = ("LD_PRELOAD", "PYTHONSTARTUP")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    paths = os.pathsep.join(path for path in sys.path if path)
    return {**kept, **threads, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"}
