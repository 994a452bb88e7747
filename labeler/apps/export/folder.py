"""folder.py - a folder that is there whole or not at all, and never in the place of another."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labeler.files import FileError


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A folder beside `out` to write into; it is synced and takes the name when all went well.

    Raises FileError where `out` is there and not an empty folder, or the disk does not take it.
    What a killed writer left is cleared away by the next one.
    """
    out = out.resolve()
    guard(out)
    part = out.with_name(f".{out.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
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
