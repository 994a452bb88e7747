"""Real processes under test: start the command line, kill what belongs to it, see what is left.

Every process that a started command starts inherits a mark in its environment, so it is found
again wherever it hangs in the process tree, and nothing else is ever touched.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from tests.conftest import ROOT

MARK = "LABELER_TEST_MARK"
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
START = "from labeler.cli import main; main()"


@dataclass(frozen=True, slots=True)
class Command:
    """A running `labeler` command and everything it started."""

    process: subprocess.Popen[str]
    mark: str

    def pids(self, named: str = "") -> list[int]:
        """Living processes with this command's mark whose command line contains `named`."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes()
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if f"{MARK}={self.mark}".encode() in environment and named in line and state != "Z":
                found.append(int(folder.name))
        return sorted(found)

    def kill(self, pid: int) -> None:
        """SIGKILL to one of this command's processes."""
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def wait(self, timeout: float = 480) -> tuple[int, str]:
        """Exit code and output."""
        output, _ = self.process.communicate(timeout=timeout)
        return self.process.returncode, output

    def is_gone(self, patience: float = 30) -> bool:
        """Whether all of its processes end within `patience` seconds."""
        deadline = time.monotonic() + patience
        while self.pids():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True


@contextmanager
def labeler(*arguments: str | Path, most_bytes: int | None = None) -> Iterator[Command]:
    """Start `labeler ARGUMENTS`; at the end nothing of it is left.

    With `most_bytes` the system refuses it any larger file, as a full disk would. It then compiles
    no module to disk: Python would leave a torn one there, which all later processes would read.
    """
    limit = (
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most_bytes},) * 2); " if most_bytes else ""
    )
    mark = uuid4().hex
    command = Command(
        subprocess.Popen(
            [sys.executable, "-c", f"import resource; {limit}{START}", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env={**os.environ, MARK: mark, **({NO_BYTECODE: "1"} if most_bytes else {})},
        ),
        mark,
    )
    try:
        yield command
    finally:
        for pid in command.pids():
            command.kill(pid)
        command.process.communicate()


def finished(*arguments: str | Path, most_bytes: int | None = None) -> tuple[int, str]:
    """Exit code and output of `labeler ARGUMENTS`."""
    with labeler(*arguments, most_bytes=most_bytes) as command:
        return command.wait()


def until(condition: Callable[[], object], patience: float = 120) -> None:
    """Wait until a condition holds; TimeoutError where it does not in time."""
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"still not so after {patience} s")
        time.sleep(0.05)
