"""worker.py - the process that forks warm grading workers, and the workers themselves.

`python -m labeler.grading.worker FD CALLER` imports the slow path once, then serves the
control socket FD: a message with a socket attached forks a worker that answers jobs on it, a
`kill` ends one. Nothing but grading is imported, so a fork copies no GPU and no threads.
1. The server ends, and its workers with it, when the control socket closes or when CALLER is
   no longer its parent: a killed caller leaves nothing behind.
2. A worker ends when its socket closes, and dies with the server (PR_SET_PDEATHSIG).
3. A worker has an address-space limit, no core dumps and no terminal. It may die at any time.
"""

import array
import ctypes
import os
import resource
import select
import signal
import socket
import sys
from contextlib import suppress

from labeler.grading.frames import HEADER, Message, pack, receive, unpack
from labeler.model import Reason

JOBS_A_WORKER = 5000
"""A worker retires after these, so that sympy's caches stay small."""
_PR_SET_PDEATHSIG = 1
_FD_SIZE = array.array("i").itemsize


def main(argv: list[str]) -> None:
    """Serve until the caller is gone."""
    control = socket.socket(fileno=int(argv[1]))
    caller = int(argv[2])
    import logging

    from labeler.grading.slow import warm

    logging.disable(logging.WARNING)
    warm()
    try:
        control.sendall(pack({"ready": os.getpid()}))
    except OSError:  # the caller is gone
        return
    _Server(control, caller).serve()


class _Server:
    def __init__(self, control: socket.socket, caller: int) -> None:
        self.control = control
        self.caller = caller
        self.children: set[int] = set()

    def serve(self) -> None:
        """Fork and kill as told; look once a second whether the caller still lives."""
        while os.getppid() == self.caller:
            ready, _, _ = select.select([self.control], [], [], 1.0)
            self._reap()
            if not ready:
                continue
            message, sockets = _take(self.control)
            if message is None:
                break
            for fd in sockets:
                self._fork(fd, int(message.get("memory", 0)))
            if message.get("kill") in self.children:
                os.kill(int(message["kill"]), signal.SIGKILL)
        for child in self.children:
            os.kill(child, signal.SIGKILL)
        os._exit(0)

    def _reap(self) -> None:
        """Children are killed by us alone and only before they are reaped: no pid is reused."""
        for child in list(self.children):
            if os.waitpid(child, os.WNOHANG)[0]:
                self.children.discard(child)

    def _fork(self, fd: int, memory: int) -> None:
        server = os.getpid()
        child = os.fork()
        if child:
            self.children.add(child)
            os.close(fd)
            return
        status = 1
        with suppress(BaseException):
            self.control.close()
            _confine(server, memory)
            _work(socket.socket(fileno=fd))
            status = 0
        os._exit(status)


def _take(control: socket.socket) -> tuple[Message | None, list[int]]:
    """One message with the descriptors sent beside its header."""
    try:
        head, ancillary, _, _ = control.recvmsg(HEADER.size, socket.CMSG_SPACE(4 * _FD_SIZE))
    except ConnectionError:
        return None, []
    descriptors = array.array("i")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(data[: len(data) - len(data) % _FD_SIZE])
    if len(head) < HEADER.size:
        return None, []
    data = control.recv(HEADER.unpack(head)[0], socket.MSG_WAITALL)
    return unpack(data), list(descriptors)


def _confine(server: int, memory: int) -> None:
    """Limits of a fresh worker: it dies with the server, and has bounded memory."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(0)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _work(jobs: socket.socket) -> None:
    """Answer jobs: "started" at once, then the ruling; retire after a memory error."""
    from labeler.grading.conventions import Conventions
    from labeler.grading.slow import judge

    jobs.sendall(pack({"worker": os.getpid()}))
    for count in range(1, JOBS_A_WORKER + 1):
        job = receive(jobs)
        if job is None:
            return
        jobs.sendall(pack({"started": True}))
        ruling = judge(job["gold"], job["answer"], Conventions(**job["conventions"]))
        retire = ruling.reason is Reason.TOO_BIG or count == JOBS_A_WORKER
        jobs.sendall(pack({"reason": ruling.reason, "rule": ruling.rule, "retire": retire}))
        if retire:
            return


if __name__ == "__main__":
    main(sys.argv)
