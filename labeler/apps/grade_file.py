r"""grade_file.py - `labeler grade --file PAIRS --out VERDICTS`: many pairs through a run's grader.

grade_rows.py says what a row is.
1. Row for row: each comes out once, in order, with `verdict`, `reason`, `answer` and `millis`
   added; fields of these names are replaced.
2. All or nothing: VERDICTS is written under a temporary name and renamed, and is never PAIRS.
3. A line that is no pair is the file's fault and not the grader's. As `ungradable` it would hide
   among the grader's limits, and left out it would shift the rows below it. So the whole file
   is looked through first, at a fraction of the cost, and where there are such lines they are
   listed and nothing is graded.
4. A few blocks of rows are in memory at once, whatever the size of the file.
"""

import asyncio
import json
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from labeler.apps.grade_rows import Pair, blocks, count_pairs
from labeler.config import ConfigError
from labeler.files import write_bytes
from labeler.grading import AnswerGrader, GradingConfig
from labeler.model import Outcome, Reason, Verdict

if TYPE_CHECKING:
    from rich.console import Console

BLOCKS = 4
"""Blocks in flight: enough that the workers have work while the first one waits for its last."""

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
Counts = Counter[tuple[Outcome, Reason]]


@dataclass(frozen=True, slots=True)
class Graded:
    """What became of a file."""

    counts: Counts
    grader: str
    seconds: float


def grade_file(
    source: Path, out: Path, console: "Console", grading: GradingConfig | None = None
) -> Graded:
    """Grade every pair of a file, with a progress bar on a terminal and a summary at the end.

    Raises ConfigError where the input cannot be read, has lines that are no pairs, or where the
    output would destroy something; FileError where it cannot be written; GraderError where no
    worker process can start.
    """
    _guard(source, out)
    total = count_pairs(source)
    began = time.monotonic()
    counts: Counts = Counter()
    cores = len(os.sched_getaffinity(0))
    grader = AnswerGrader((grading or GradingConfig()).model_copy(update={"workers": cores}))
    with _progress(total, console) as advance:

        def write(temporary: Path) -> None:
            try:
                with temporary.open("wb") as file:
                    asyncio.run(_grade(grader, source, file, lambda c: advance(_add(counts, c))))
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise

        write_bytes(out, write)
    graded = Graded(counts, grader.version, time.monotonic() - began)
    console.print(summary(graded, out), markup=False, highlight=False, soft_wrap=True)
    return graded


def summary(graded: Graded, out: Path) -> str:
    """One line: rows, rate, counts by verdict and reason, grader, file."""
    rows = graded.counts.total()
    shares = []
    for outcome in Outcome:
        reasons = [(r, n) for (o, r), n in graded.counts.most_common() if o is outcome]
        if reasons:
            why = ", ".join(f"{reason} {n:,}" for reason, n in reasons)
            shares.append(f"{outcome} {sum(n for _, n in reasons):,} ({why})")
    rate = rows / max(graded.seconds, 1e-9)
    return (
        f"{rows:,} rows in {graded.seconds:.1f} s ({rate:,.0f} rows/s): "
        f"{' · '.join(shares) or 'nothing to grade'} · graded by {graded.grader} · in {out}"
    )


def _guard(source: Path, out: Path) -> None:
    """ConfigError where input or output is no ordinary file, or both are the same."""
    if not source.is_file():
        what = "is no ordinary file (it is read twice)" if source.exists() else "is not there"
        raise ConfigError(f"--file {source} {what}")
    if out.exists() and not out.is_file():
        raise ConfigError(f"--out {out} is there and no ordinary file: name another")
    if out.exists() and out.samefile(source):
        raise ConfigError(f"--out {out} is the --file itself, which would be lost: name another")


async def _grade(
    grader: AnswerGrader, source: Path, file: BinaryIO, done: Callable[[Counts], object]
) -> None:
    """Blocks side by side, written in order."""
    async with grader:
        waiting: deque[asyncio.Task[tuple[bytes, Counts]]] = deque()

        async def write_first() -> None:
            lines, counts = await waiting[0]
            waiting.popleft()
            file.write(lines)
            done(counts)

        try:
            for block in blocks(source):
                waiting.append(asyncio.create_task(_grade_block(grader, block)))
                if len(waiting) == BLOCKS:
                    await write_first()
            while waiting:
                await write_first()
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)


async def _grade_block(grader: AnswerGrader, block: Sequence[Pair]) -> tuple[bytes, Counts]:
    """The block's lines of output, and how many verdicts of each kind."""
    graded = await asyncio.gather(*(grader.grade(p.gold, [(p.text, p.finish)]) for p in block))
    verdicts = [verdict for (verdict,) in graded]
    lines = (_line(pair.row, verdict) for pair, verdict in zip(block, verdicts, strict=True))
    return b"".join(lines), Counter((v.outcome, v.reason) for v in verdicts)


def _line(row: dict[str, Any], verdict: Verdict) -> bytes:
    said = {
        "verdict": verdict.outcome,
        "reason": verdict.reason,
        "answer": verdict.answer,
        "millis": round(verdict.millis, 3),
    }
    # What UTF-8 cannot hold is a lone surrogate inside a string: its escape is valid JSON there.
    return _ENCODE(row | said).encode("utf-8", "backslashreplace") + b"\n"


def _add(counts: Counts, more: Counts) -> int:
    counts.update(more)
    return more.total()


@contextmanager
def _progress(total: int, console: "Console") -> Iterator[Callable[[int], object]]:
    """What to call with each number of rows done; a bar where there is a terminal."""
    if not console.is_terminal:
        yield lambda _: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda rows: progress.advance(task, rows)
