r"""How often is the grader right, how fast, and what does Math-Verify do on the same rows?

    LABELER_SHARED=FOLDER python benchmarks/grading.py [--quick] [--wrong]

Sets: the hard cases, MATH-500's golds against themselves and mutated (grading_mutations.py),
GSM8K model solutions, made-up pairs and resource bombs (grading_streams.py). A false positive
is `correct` where it is not wanted, a false negative is anything else where it is; cases that no
convention decides only count for their time. `--wrong` lists the rows that are not as wanted.

Math-Verify runs with its own time-outs in a process of its own (grading_others.py). With
--quick it sees a seeded sample of each set; `same` is labeler on those rows.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grading_mutations import MUTATIONS
from grading_others import Answered, MathVerify
from grading_ours import hash_seeds, ours, symmetry, varied
from grading_rows import Row, boxed, cases, golds, gsm8k, mutated, sample, shared
from grading_speed import speeds
from grading_streams import Pair, bombs, numeric, symbolic


@dataclass(frozen=True, slots=True)
class Score:
    """What a checker made of some rows."""

    scored: int
    right: int
    false_positives: int
    false_negatives: int
    undecided: int
    """Ungradable where `correct` was not wanted: no false positive, but no verdict either."""
    over_2s: int
    slowest: float

    def __str__(self) -> str:
        share = 100 * self.right / max(self.scored, 1)
        return (
            f"{share:7.2f}%{self.false_positives:5}{self.false_negatives:5}"
            f"{self.undecided:5}{self.over_2s:5}{self.slowest:8.2f}"
        )


@dataclass(frozen=True, slots=True)
class Compared:
    """One set: labeler on all of its rows, and both on the rows that Math-Verify saw."""

    name: str
    ours: Score
    same: Score
    theirs: Score
    failures: int
    """Rows that hung or ended Math-Verify's process."""
    wrong: list[tuple[Row, Answered]]
    """Where labeler's verdict is not the wanted one, or none."""


def score(rows: Sequence[Row], answers: Sequence[Answered]) -> Score:
    """Rows that nothing decides count for their time alone."""
    pairs = [
        (row.wanted, answer)
        for row, answer in zip(rows, answers, strict=True)
        if row.wanted is not None
    ]
    seconds = [answer.seconds for answer in answers]
    return Score(
        len(pairs),
        sum(wanted == got.correct for wanted, got in pairs),
        sum(got.correct and not wanted for wanted, got in pairs),
        sum(wanted and not got.correct for wanted, got in pairs),
        sum(not wanted and not got.decided for wanted, got in pairs),
        sum(s > 2 for s in seconds),
        max(seconds, default=0.0),
    )


def pairs(name: str, stream: Sequence[Pair]) -> list[Row]:
    return [Row(f"{name} {i}", *pair) for i, pair in enumerate(stream)]


def sets(marker: str) -> Iterator[tuple[str, list[Row]]]:
    """Each set's name and rows."""
    yield "hard cases", cases(marker)
    yield (
        "MATH-500 itself",
        [Row(f"self {i}", gold, boxed(gold), True) for i, gold in enumerate(golds())],
    )
    for m in MUTATIONS:
        yield m.name, mutated(m.name, m.wanted, m.change)
    yield "GSM8K solutions", gsm8k()
    yield "numeric pairs", pairs("number", numeric(400))
    yield "symbolic pairs", pairs("symbol", symbolic(400))
    yield "resource bombs", pairs("bomb", bombs(32))


def compare(named: dict[str, list[Row]], quick: bool) -> Iterator[Compared]:
    """Both checkers on each set."""
    every = [row for rows in named.values() for row in rows]
    answers = dict(zip((row.id for row in every), asyncio.run(ours(every)), strict=True))
    with MathVerify() as other:
        for name, rows in named.items():
            seen = sample(rows, 40 if name == "hard cases" else 16) if quick else rows
            theirs = other.grade((row.gold, row.text) for row in seen)
            yield Compared(
                name,
                score(rows, [answers[row.id] for row in rows]),
                score(seen, [answers[row.id] for row in seen]),
                score(seen, theirs),
                sum(bool(answer.failure) for answer in theirs),
                [(r, answers[r.id]) for r in rows if _unlike(r, answers[r.id])],
            )


def _unlike(row: Row, answer: Answered) -> bool:
    """Whether a verdict is neither the wanted one nor, for a wrong answer, at least not it."""
    return row.wanted is not None and (row.wanted != answer.correct or not answer.decided)


def report(quick: bool, wrong: bool) -> None:
    """Print the tables and the headline."""
    header = f"{'right':>8}{'FP':>5}{'FN':>5}{'none':>5}{'>2s':>5}{'slowest':>8}"
    print(f"{'':18}|{'labeler':>42} | {'labeler, same':>15} |{'Math-Verify':>42}")
    print(f"{'set':18}|{'rows':>6}{header} | {'rows':>6}{'right':>9} |{header}{'died':>6}")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for one in compare(dict(sets(folder + "/marker")), quick):
            found[one.name] = one
            same = f"{one.same.scored:6}{100 * one.same.right / max(one.same.scored, 1):8.2f}%"
            print(f"{one.name:18}|{one.ours.scored:6}{one.ours} | {same} |{one.theirs}", end="")
            print(f"{one.failures:6}", flush=True)
            for row, answer in one.wrong if wrong else ():
                print(f"  {row.gold!r} {row.text[-80:]!r} wanted {row.wanted}: {answer.failure}")
        assert not os.listdir(folder), "a text was executed"
    rates = speeds(quick)
    compared, differ = symmetry(quick)
    lists = hash_seeds(__file__, quick)
    print(f"\nsymmetric: {compared - len(differ)} of {compared}", *differ, sep="\n")
    print(f"4 hash seeds: {lists} list{'s' if lists > 1 else ''} of verdicts")
    wanted = sum(found[m.name].ours.right - found[m.name].ours.undecided for m in MUTATIONS)
    hard, solved = found["hard cases"], found["GSM8K solutions"].ours
    itself = found["MATH-500 itself"].ours
    headline = {
        "cases_right": f"{hard.ours.right}/{hard.ours.scored}",
        "false_positives": hard.ours.false_positives,
        "false_positives_of_all_sets": sum(one.ours.false_positives for one in found.values()),
        "false_negatives": hard.ours.false_negatives,
        "over_2s": sum(one.ours.over_2s for one in found.values()),
        "same_rows_right": f"{hard.same.right}/{hard.same.scored}",
        "math_verify_right": f"{hard.theirs.right}/{hard.theirs.scored}",
        "mutations_as_wanted": f"{wanted}/{sum(found[m.name].ours.scored for m in MUTATIONS)}",
        "gsm8k": f"{solved.right}/{solved.scored}",
        "math500": f"{itself.right}/{itself.scored}",
        **rates,
        "asymmetric": len(differ),
        "hash_seed_lists": lists,
    }
    print(" ".join(f"{name}={value}" for name, value in headline.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="under a minute")
    parser.add_argument("--wrong", action="store_true", help="list rows not as wanted")
    parser.add_argument("--verdicts", action="store_true", help="only the verdicts, one a line")
    args = parser.parse_args()
    if shared() is None:
        print("grading.py needs LABELER_SHARED: the folder that holds the public data")
        sys.exit(2)
    if args.verdicts:
        rows = varied(args.quick)
        for row, answer in zip(rows, asyncio.run(ours(rows)), strict=True):
            print(row.id, answer.correct, answer.failure)
        return
    report(args.quick, args.wrong)


if __name__ == "__main__":
    main()
