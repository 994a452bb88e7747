"""What tests of the label set share: rows, staged and read."""

from pathlib import Path

import pyarrow.dataset as pads

from labeler.files import RunDir
from labeler.labels import (
    Basis,
    SolutionLabel,
    StepLabel,
    Stopping,
    Value,
)
from labeler.shards import (
    write_labels,
)


def step(
    target: bool | None, basis: Basis, n: int = 8, truncated: int = 0, ungradable: int = 0
) -> StepLabel:
    soft = 0.5 if n else None
    return StepLabel(
        n, n // 2, truncated, ungradable, soft, soft, soft, 0.5, 0.1, 0.9, None if not n else True,
        None, None, None, Stopping.FIXED, target, basis,
    )  # fmt: skip


def row(name: str, is_correct: bool | None = False, first_error: int | None = 2) -> SolutionLabel:
    """Two steps: one rolled out (8 graded, 2 of them truncated, 1 ungradable), and the last."""
    last = step(False, Basis.MEASURED, n=0 if is_correct is None else 1)
    return SolutionLabel(
        "p", name, "Question?", "42", ("a", "b"), "41", is_correct, "made up", "someone",
        Value(8, 4, 0.5, 0.2, 0.8), first_error, None, None, "first_zero",
        (step(True, Basis.MEASURED, 8, 2, 1), last), 17, 170,
    )  # fmt: skip


def labelled(run: RunDir) -> list[str]:
    """Solution ids that a plain reader of labels/ sees."""
    return pads.dataset(run.labels).to_table(columns=["solution_id"])["solution_id"].to_pylist()


def stage(run: RunDir, *names: str) -> list[Path]:
    paths = [run.staged / f"{name}.parquet" for name in names]
    for name, path in zip(names, paths, strict=True):
        write_labels(path, [row(name)], "hash")
    return paths
