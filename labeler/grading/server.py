"""server.py - the process that forks grading workers, seen from the process that uses it.

`Server.start` execs worker.py and waits until it is warm, `fork` gives a worker with a socket of
its own, `stop` (or the end of this process) ends the server and its workers. Whatever goes wrong
on the way leaves no process and no descriptor behind.
"""

import array
import asyncio
import os
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from labeler.grading.frames import HEADER, MAX_FRAME, Message, pack, unpack
from labeler.model import LabelerError

START_S = 120.0
"""Longest wait for the server's imports, and for a worker to take a job up."""
LOST = (OSError, asyncio.IncompleteReadError, TimeoutError)
"""What talking to a process that is gone raises."""


class GraderError(LabelerError):
    """The grading workers cannot be started at all."""


@dataclass(slots=True)
class Peer:
    """One end of a socket to the server or to a worker."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    pid: int = 0

    async def receive(self) -> Message:
        """The next message; IncompleteReadError or OSError when the peer is gone."""
        size = HEADER.unpack(await self.reader.readexactly(HEADER.size))[0]
        return unpack(await self.reader.readexactly(size))

    @property
    def gone(self) -> bool:
        """Whether nothing more can come from it, or go to it."""
        lost = self.reader.at_eof() or self.reader.exception() is not None
        return lost or self.writer.is_closing()

    def close(self) -> None:
        """Hang up: a worker ends by it."""
        self.writer.close()


async def _peer(sock: socket.socket) -> Peer:
    sock.setblocking(False)
    reader, writer = await asyncio.open_unix_connection(sock=sock, limit=MAX_FRAME)
    return Peer(reader, writer)


async def start() -> "Server":
    """A warm server; one that was killed while it started is started again, twice."""
    for _ in range(2):
        with suppress(GraderError):
            return await Server.start()
    return await Server.start()


@dataclass(slots=True)
class Server:
    """The process that forks workers."""

    process: "subprocess.Popen[bytes]"
    control: socket.socket
    peer: Peer

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
        except LOST as error:
            await server.stop()
            raise GraderError("the grading worker did not start: see its message above") from error
        except BaseException:  # cancelled: nobody waits for it any more
            server.kill()
            raise
        return server

    @property
    def gone(self) -> bool:
        """Whether its process has ended, or can no longer be talked to."""
        return self.process.poll() is not None or self.peer.gone

    async def fork(self, memory: int) -> Peer:
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
        self.kill()

    def kill(self) -> None:
        """End it at once."""
        self.control.close()
        self.peer.close()
        self.process.kill()
        self.process.wait()


def _environment() -> dict[str, str]:
    """This process's environment for grading alone: no preloads, one thread, fixed hashes."""
    dropped = ("LD_PRELOAD", "PYTHONSTARTUP")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    paths = os.pathsep.join(path for path in sys.path if path)
    return {**kept, **threads, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"}
