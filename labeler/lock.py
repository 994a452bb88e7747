"""lock.py - one writer a run directory.

A driver holds `.driver.lock` alone while it lives; each of its actors holds a share of
`.actors.lock`. A driver that starts proves with both that nobody else works in the directory:
a second `labeler run` is refused, and one that follows a kill waits until the last process of
the killed run is gone. A file system without locks is taken on trust.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labeler.model import LabelerError


class RunLockedError(LabelerError):
    """Another labeler run works in this directory."""


@contextmanager
def alone(root: Path, patience: float = 30.0) -> Iterator[None]:
    """Hold the run directory as its only driver.

    Waits up to `patience` seconds for a killed run's processes to end, then raises RunLockedError.
    """
    deadline = time.monotonic() + patience
    with _held(root / ".driver.lock", fcntl.LOCK_EX, deadline):
        with _held(root / ".actors.lock", fcntl.LOCK_EX, deadline):
            pass
        yield


@contextmanager
def shared(root: Path) -> Iterator[None]:
    """Hold a share of the run directory, as an actor of its driver."""
    with _held(root / ".actors.lock", fcntl.LOCK_SH, time.monotonic() + 5):
        yield


@contextmanager
def _held(path: Path, kind: int, deadline: float) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    try:
        while not _take(handle, kind):
            if time.monotonic() > deadline:
                raise RunLockedError(
                    f"another labeler run works in {path.parent}: wait for it, or stop it"
                )
            time.sleep(0.2)
        yield
    finally:
        os.close(handle)


def _take(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
