"""published.py - labels/: one whole set, swapped in.

A set is built beside as `.labels.new` and swapped in by two renames. Between these, labels/ is
briefly absent, never half; whoever publishes next (or `recover`) finishes what a killed
publisher left.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from labeler.files import FileError, RunDir, write_table
from labeler.shards.tables import LABELS


def publish(run: RunDir, staged: Sequence[Path]) -> None:
    """Make labels/ hold exactly these staged parts, as 0000.parquet, 0001.parquet, ...

    Parts are linked, not copied, where the file system can. No part at all publishes one file
    without rows, so that readers find the columns. Raises FileError; labels/ is as before then.
    """
    recover(run)
    new, old = _beside(run)
    try:
        new.mkdir(parents=True)
        width = max(4, len(str(len(staged) - 1)))
        for i, part in enumerate(staged):
            _link(part, new / f"{i:0{width}d}.parquet")
        if not staged:
            write_table(new / "0000.parquet", LABELS.empty_table(), "")
        if run.labels.exists():
            run.labels.rename(old)
        new.rename(run.labels)
    except OSError as error:
        raise FileError(
            f"cannot publish {run.labels}: {error}. The labels of every unit are safe in "
            f"{run.staged}: mend the cause and run the same command again."
        ) from error
    recover(run)


def recover(run: RunDir) -> None:
    """Finish, or clear away, what a killed `publish` left. Only for the sole owner of a run."""
    new, old = _beside(run)
    if old.exists() and not run.labels.exists():
        # Killed between the renames: the new set was whole before the old one moved.
        (new if new.exists() else old).rename(run.labels)
    for leftover in (new, old):
        if leftover.exists():
            shutil.rmtree(leftover)


def _beside(run: RunDir) -> tuple[Path, Path]:
    """The set being built, and the one being replaced."""
    return run.root / ".labels.new", run.root / ".labels.old"


def _link(part: Path, name: Path) -> None:
    try:
        os.link(part, name)
    except FileNotFoundError:
        raise
    except OSError:  # another file system, or one without links
        shutil.copyfile(part, name)
