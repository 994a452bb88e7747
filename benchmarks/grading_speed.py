"""Checks a second of labeler and of Math-Verify on the same pairs: grading.py's second table.

On one core, which grader and worker share, warm, memo off (memo_size=0; a problem's gold is read
once, as in labelling), every gold distinct. Numeric: GSM8K model solutions, one call a problem,
and decimals, fractions, percents, ..., 8 completions a gold, which state one answer. Symbolic:
32 calls at once.

Of three rounds the fastest counts, since a shared machine only ever slows one down; rounds share
no pair, so that no cache answers. Rate kept is the symbolic rate with 1% resource bombs, bombs
counted, over the rate without: the median of three neighbouring rounds. Math-Verify sees a part
of each stream, once; its rate with bombs is reckoned from its mean times of pairs and of bombs.
"""

import asyncio
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from statistics import median
from typing import TypeVar

from grading_others import Answered, MathVerify
from grading_rows import Row, boxed, gsm8k
from grading_streams import Pair, bombs, numeric, symbolic, with_bombs

from labeler.grading import AnswerGrader, GradingConfig
from labeler.model import Finish

T = TypeVar("T")
COMPLETIONS = 8
"""Of one gold: the rollouts of a prefix."""
NO_MEMO = GradingConfig(memo_size=0)


@contextmanager
def one_core() -> Iterator[None]:
    """This process and those it starts share one core, where the system can say so."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


async def numeric_rate(rows: Sequence[Row], pairs: Sequence[Pair]) -> float:
    """Checks a second over solutions grouped by problem, and completions by gold."""
    calls = [
        (gold, [(row.text, Finish.STOP) for row in group])
        for gold, group in groupby(rows, lambda row: row.gold)
    ]
    calls += [(pair.gold, [(pair.text, Finish.STOP)] * COMPLETIONS) for pair in pairs]
    async with AnswerGrader(NO_MEMO) as grader:
        await grader.grade("\\sqrt{2}", [(boxed("\\sqrt{8}/2"), Finish.STOP)])  # a worker too
        began = time.perf_counter()
        for gold, texts in calls:
            await grader.grade(gold, texts)
        return (len(rows) + COMPLETIONS * len(pairs)) / (time.perf_counter() - began)


async def symbolic_rates(streams: Sequence[Sequence[Pair]]) -> list[float]:
    """Checks a second of each stream, 32 calls at once, by one grader."""
    rates = []
    async with AnswerGrader(NO_MEMO) as grader:
        for pair in symbolic(40):
            await grader.grade(pair.gold, [(pair.text, Finish.STOP)])
        for pairs in streams:
            began = time.perf_counter()
            for at in range(0, len(pairs), 32):
                calls = [(p.gold, [(p.text, Finish.STOP)]) for p in pairs[at : at + 32]]
                await asyncio.gather(*(grader.grade(*call) for call in calls))
            rates.append(len(pairs) / (time.perf_counter() - began))
    return rates


def _thirds(stream: Sequence[T]) -> list[Sequence[T]]:
    size = len(stream) // 3
    return [stream[at : at + size] for at in range(0, 3 * size, size)]


def their_rate(answers: Sequence[Answered]) -> float:
    return len(answers) / sum(answer.seconds for answer in answers)


def speeds(quick: bool) -> dict[str, float]:
    """Rates, and what is left of them with bombs; prints its table."""
    rows, pairs = gsm8k(), numeric(600 if quick else 3000)
    size, step, few = (200, 60, 40) if quick else (1000, 6, 400)
    fresh = symbolic(40 + 6 * size)[40:]
    blocks = [fresh[at : at + size] for at in range(0, 6 * size, size)]
    blocks[1::2] = [with_bombs(block) for block in blocks[1::2]]
    with one_core():
        solutions = max(asyncio.run(numeric_rate(part, [])) for part in _thirds(rows))
        numbers = max(asyncio.run(numeric_rate([], part)) for part in _thirds(pairs))
        rates = asyncio.run(symbolic_rates(blocks))
        rate, bombed = max(rates[::2]), max(rates[1::2])
        kept = median(b / a for a, b in zip(rates[::2], rates[1::2], strict=True))
        with MathVerify() as other:
            solved = other.grade((row.gold, row.text) for row in rows[::step])
            counted = other.grade((gold, text) for gold, text, _ in pairs[:: max(1, step // 4)])
            proven = other.grade((gold, text) for gold, text, _ in fresh[:few])
            burst = other.grade((gold, text) for gold, text, _ in bombs(1 if quick else 16))
    theirs = [their_rate(some) for some in (solved, counted, proven)]
    theirs.append(1 / (1 / theirs[2] + 0.01 / their_rate(burst)))
    print(f"\n{'checks a second, one core':34}{'labeler':>12}{'Math-Verify':>13}{'ratio':>9}")
    names = ("numeric: GSM8K solutions", "numeric: 8 a gold", "symbolic", "  with 1% bombs")
    for name, one, two in zip(names, (solutions, numbers, rate, bombed), theirs, strict=True):
        print(f"{name:34}{one:12,.0f}{two:13,.1f}{one / two:9.1f}")
    print(f"{'  rate kept':34}{kept:12.2f}{theirs[3] / theirs[2]:13.2f}")
    return {
        "gsm8k_per_s": round(solutions),
        "numeric_per_s": round(numbers),
        "symbolic_per_s": round(rate),
        "bomb_rate_kept": round(kept, 2),
        "gsm8k_ratio": round(solutions / theirs[0], 1),
        "numeric_ratio": round(numbers / theirs[1], 1),
        "symbolic_ratio": round(rate / theirs[2], 1),
        "math_verify_bomb_rate_kept": round(theirs[3] / theirs[2], 2),
    }
