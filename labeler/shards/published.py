"""published.py - labels/, and of tree searches states/ and pairs/: one whole set, swapped in.

A set is built beside, then declared whole by one rename, then each of its folders takes its
place by one more. A folder is never half; it is absent for a moment, and for as long the others
may be of the set before or after. A set that was declared whole is never lost: whoever publishes
next (or `recover`) finishes what a killed publisher left.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from labeler.files import FileError, RunDir, write_table
from labeler.shards.tables import LABELS, TABLES


def publish(run: RunDir, staged: Mapping[str, Sequence[Path]]) -> None:
    """Make the folder of each table hold exactly these staged parts: 0000.parquet, 0001.parquet ...

    Parts are linked, not copied, where the file system can. A folder without parts is not there
    afterwards, but for labels/: that has one file without rows then, so that readers find the
    columns. Raises FileError; what was published before stays then.
    """
    recover(run)
    building, ready, _ = _beside(run)
    try:
        for name in TABLES:
            _fill(building / name, staged.get(name, ()))
        if not staged.get("labels"):
            write_table(building / "labels" / "0000.parquet", LABELS.empty_table(), "")
        building.rename(ready)
        recover(run)
    except OSError as error:
        raise FileError(
            f"cannot publish {run.labels}: {error}. The labels of every unit are safe in "
            f"{run.staged}: mend the cause and run the same command again."
        ) from error


def recover(run: RunDir) -> None:
    """Finish, or clear away, what a killed `publish` left. Only for the sole owner of a run."""
    building, ready, old = _beside(run)
    if ready.exists():
        for name in TABLES:
            if (ready / name).exists():
                _swap(ready / name, run.root / name, old)
        ready.rmdir()
    for leftover in (building, old):
        if leftover.exists():
            shutil.rmtree(leftover)


def _beside(run: RunDir) -> tuple[Path, Path, Path]:
    """The set being built, the one that is whole and takes its place, and the one replaced."""
    return (
        run.root / ".published.part",
        run.root / ".published.new",
        run.root / ".published.old",
    )


def _fill(folder: Path, staged: Sequence[Path]) -> None:
    folder.mkdir(parents=True)
    width = max(4, len(str(len(staged) - 1)))
    for i, part in enumerate(staged):
        _link(part, folder / f"{i:0{width}d}.parquet")


def _swap(new: Path, place: Path, old: Path) -> None:
    """Put a folder in its place, or, if it is empty, nothing."""
    if place.exists():
        old.mkdir(exist_ok=True)
        place.rename(old / place.name)
    if any(new.iterdir()):
        new.rename(place)
    else:
        new.rmdir()


def _link(part: Path, name: Path) -> None:
    try:
        os.link(part, name)
    except FileNotFoundError:
        raise
    except OSError:  # another file system, or one without links
        shutil.copyfile(part, name)
