"""folder.py - a folder that is there whole or not at all, and never in the place of another."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labeler.files import FileError


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A folder beside `out` to write into; it is synced and takes the name when all went well.

    Raises FileError where `out` is there and not an empty folder, another writer makes it, or the
    disk does not take it. What a killed writer left is cleared away by the next one.
    """
    out = out.resolve()
    guard(out)
    part = out.with_name(f".{out.name}.part")
    with _alone(part, out):
        yield from _written(part, out)


@contextmanager
def _alone(part: Path, out: Path) -> Iterator[None]:
    """Hold the folder in the making as its only writer."""
    try:
        part.mkdir(parents=True, exist_ok=True)
        handle = os.open(part, os.O_RDONLY)
    except OSError as error:
        raise FileError(f"cannot write {out}: {error}.") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise FileError(f"another command is writing {out}: wait for it, or stop it.") from error
    finally:
        os.close(handle)


def _written(part: Path, out: Path) -> Iterator[Path]:
    """The empty folder; what was written there takes its name."""
    try:
        for left in part.iterdir():
            left.unlink()
        yield part
        for file in part.iterdir():
            _sync(file)
        _sync(part)
        part.rename(out)
        _sync(out.parent)
    except OSError as error:
        raise FileError(
            f"cannot write {out}: {error}. Nothing was written: make room (or mend the folder) "
            "and run the same command again."
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def guard(out: Path) -> None:
    """Raises FileError where `out` is there and not an empty folder."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FileError(
            f"{out} is there already, and nothing is overwritten: name another --out, or move it."
        )


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
