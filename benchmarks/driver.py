"""How many rollouts a second pass through search, fulfilment, grading, log and labels on one core?

    python benchmarks/driver.py [--quick]

The sampler returns at once, so what is measured is everything of labeler's own: the policy's
generator, the look into the log, the verdict on a GSM8K-like text, the Parquet parts with fsync,
the labels and the compaction. Beside it, in the same run, the same rollouts are graded alone and
written alone, so that the share of the rest shows. `replay` is the second run over the full log.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from labeler.config import RunConfig, parse
from labeler.files import PROBLEMS, SOLUTIONS, RunDir, write_table
from labeler.grading import AnswerGrader
from labeler.model import Completion, Finish, Prefix
from labeler.samplers import COMPLETER
from labeler.units import Workshop

STEPS, SOLUTIONS_A_PROBLEM, N = 8, 4, 8
TEXT = "So she has 48 + 24 = 72 clips left.\n" * 4 + "The answer is {}."


class Instant:
    """A sampler that answers at once: one completion in three is right."""

    completer = "instant"

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> list[Completion]:
        """Completions of about 150 characters."""
        return [
            Completion(TEXT.format(72 if i % 3 == 0 else 70 + i), Finish.STOP, 60, 120, i)
            for i in indices
        ]


def write_unit(run: RunDir, problems: int) -> None:
    """One unit of problems with given solutions."""
    import pyarrow as pa

    ids = [f"p{i}" for i in range(problems)]
    rows = [
        {"problem_id": p, "question": f"Question {p}?", "gold": "72", "source": "", "position": i}
        for i, p in enumerate(ids)
    ]
    write_table(run.problems / "0000.parquet", pa.Table.from_pylist(rows, PROBLEMS), "")
    solutions = [
        {
            "solution_id": f"{p}-{j}",
            "problem_id": p,
            "steps": [f"Solution {j}, step {k}." for k in range(1, STEPS)] + ["The answer is 7."],
            "separators": ["\n"] * (STEPS - 1) + [""],
            "generator": "",
            "position": j,
        }
        for p in ids
        for j in range(SOLUTIONS_A_PROBLEM)
    ]
    write_table(run.solutions / "0000.parquet", pa.Table.from_pylist(solutions, SOLUTIONS), "")


async def label(config: RunConfig, run: RunDir) -> tuple[float, int]:
    """Seconds and rollouts of one unit, start to end."""
    async with AnswerGrader(config.grading) as grader:
        shop = Workshop(config, run, {COMPLETER: Instant()}, grader)
        began = time.perf_counter()
        await shop.work("0000")
        seconds = time.perf_counter() - began
    return seconds, shop.counters.rollouts + shop.counters.replayed


async def grade_alone(rollouts: int) -> float:
    """Seconds to grade as many texts, eight a call."""
    texts = [(c.text, c.finish) for c in await Instant().complete(Prefix("", "", 0), range(N))]
    async with AnswerGrader() as grader:
        began = time.perf_counter()
        for _ in range(rollouts // N):
            await grader.grade("72", texts)
        return time.perf_counter() - began


def main() -> None:
    """Print a table and the headline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    problems = 60 if parser.parse_args().quick else 400
    with tempfile.TemporaryDirectory() as folder:
        run, warm = RunDir(Path(folder) / "run"), RunDir(Path(folder) / "warm")
        write_unit(run, problems)
        write_unit(warm, 4)
        config = parse(
            {
                "name": "driver",
                "problems": {"path": "-"},
                "completer": {"kind": "planted"},
                "policy": {"kind": "exhaustive", "n": N},
            },
            "driver",
        )
        asyncio.run(label(config, warm))  # imports
        fresh, rollouts = asyncio.run(label(config, run))
        again, replayed = asyncio.run(label(config, run))
        graded = asyncio.run(grade_alone(rollouts))
    assert rollouts == replayed
    print(f"{rollouts} rollouts of {problems * SOLUTIONS_A_PROBLEM} solutions")
    print(f"{'fresh':10}{rollouts / fresh:12,.0f} rollouts/s")
    print(f"{'replay':10}{rollouts / again:12,.0f} rollouts/s")
    print(f"{'grading':10}{rollouts / graded:12,.0f} rollouts/s, alone")
    print(
        f"rollouts_per_s={rollouts / fresh:.0f} replayed_per_s={rollouts / again:.0f} "
        f"grading_share={graded / fresh:.2f}"
    )


if __name__ == "__main__":
    main()
