"""Mutations of MATH-500's golds have their wanted verdicts, both ways, whatever the hash seed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.grading_mutations import MUTATIONS, Mutation
from benchmarks.grading_rows import Row, boxed, mutated
from labeler.grading import AnswerGrader
from labeler.grading.extract import extract
from labeler.model import Finish, Outcome

SHARED = os.environ.get("LABELER_SHARED")
ROOT = Path(__file__).parents[2]
needs_data = pytest.mark.skipif(
    SHARED is None, reason="LABELER_SHARED names no folder with the public data"
)

APPLIES = [
    ("full stop", "42", "42."),
    ("full stop", r"\text{(C)}", r"\text{(C)}."),
    ("thin spaces", r"12,\!345", r"12\,345"),
    ("thin spaces", r"\frac{3}{1015}", r"\frac{3}{1\,015}"),
    ("thin spaces", "1234567", r"1\,234\,567"),
    ("thin spaces", ".0000123", None),
    ("thin spaces", "999", None),
    ("degree sign", r"90^\circ", "90°"),
    ("degree sign", r"90^{\circ}", "90°"),
    ("degree sign", "90", None),
    ("slash fractions", r"\frac75", "7/5"),
    ("slash fractions", r"21 \frac{3}{4}", "21 3/4"),
    ("slash fractions", r"\frac{7+5a}{12}", "(7+5a)/12"),
    ("slash fractions", r"\frac{1}{2}x", "(1/2)x"),
    ("slash fractions", r"2\frac{x}{3y}", "2(x/(3y))"),
    ("slash fractions", r"\frac{\frac12}{3}", "(1/2)/3"),
    ("slash fractions", r"\frac{2}{\frac{3}{4}}", "2/(3/4)"),
    ("x=", "x^3+2x-7", "y=x^3+2x-7"),
    ("x=", "x=5", None),
    ("x=", r"\text{even}", None),
    ("units", r"12+3\pi", r"12+3\pi\text{ units}"),
    ("units", r"90^\circ", None),
    ("units", "1,-2", None),
    ("units", "2k", None),
    ("bmatrix", r"\begin{pmatrix} 1 \end{pmatrix}", r"\begin{bmatrix} 1 \end{bmatrix}"),
    ("bmatrix", "(1,2)", None),
    ("reordered sum", "u - v", "- v + u"),
    ("reordered sum", "y = 5x + 4", "y = 4 + 5x"),
    ("reordered sum", r"2 \pm \sqrt{6}", None),
    ("reordered sum", "(a+1)(b+7)", None),
    ("last digit", "19", "18"),
    ("last digit", "30_9", "30_8"),
    ("last digit", r"\frac{0}{5}", None),
    ("last digit", "1^5", None),
    ("first digit", "4321_{5}", "3321_{5}"),
    ("first digit", "0.25", "1.25"),
    ("sign flipped", "0", None),
    ("sign flipped", r"\pm 3", None),
    ("sign flipped", "-x+1", "x+1"),
    ("sign flipped", "(0,4)", "(0,-4)"),
    ("sign flipped", r"(-\infty, 0]", None),
    ("sign flipped", "2x+y=0", "-2x+y=0"),
    ("sign flipped", "2x=0", None),
    ("bracket closed", r"(6,\infty)", r"[6,\infty)"),
    ("bracket closed", r"(-\infty, 1) \cup (4, \infty)", r"(-\infty, 1] \cup (4, \infty)"),
    ("bracket closed", "(12,-20)", None),
    ("bracket closed", r"(-\infty, 0]", None),
    ("bracket closed", "[1,2]", None),
]


@pytest.mark.parametrize(("name", "gold", "answer"), APPLIES)
def test_what_a_mutation_makes(name: str, gold: str, answer: str | None) -> None:
    (mutation,) = (m for m in MUTATIONS if m.name == name)
    assert mutation.change(gold) == answer


@needs_data
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.name)
async def test_mutated_golds(mutation: Mutation) -> None:
    rows = mutated(mutation.name, mutation.wanted, mutation.change)
    there = await verdicts(rows)
    spans = [extract(row.text) for row in rows]
    back = await verdicts(
        [
            Row(row.id, span, boxed(row.gold), row.wanted)
            for row, span in zip(rows, spans, strict=True)
            if span is not None
        ]
    )
    wanted = Outcome.CORRECT if mutation.wanted else Outcome.INCORRECT
    print(f"\n{mutation.name}: {sum(v[0] == wanted for v in there.values())} of {len(rows)}")
    assert len(rows) >= 7
    assert None not in spans
    assert {row.text: there[row.id] for row in rows if there[row.id][0] != wanted} == {}
    assert {row.text: back[row.id] for row in rows if back[row.id][0] != wanted} == {}


@needs_data
def test_verdicts_do_not_depend_on_the_hash_seed() -> None:
    """The same list of verdicts from processes with four values of PYTHONHASHSEED."""
    command = [sys.executable, "benchmarks/grading.py", "--verdicts", "--quick"]
    running = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
        )
        for seed in ("0", "1", "2", "3")
    ]
    said = [process.communicate()[0].decode().splitlines() for process in running]
    settled = [lines for lines in zip(*said, strict=True) if not any(map(lucky, lines))]
    assert len(settled) > 200
    assert [lines for lines in settled if len(set(lines)) > 1] == []


def lucky(line: str) -> bool:
    """Whether the clock decided, or a killed process: on a busy machine that may differ."""
    return line.endswith(("timeout", "grader_died"))


async def verdicts(rows: list[Row]) -> dict[str, tuple[str, str]]:
    """Outcome and reason by row id."""
    async with AnswerGrader() as grader:
        found = [(await grader.grade(row.gold, [(row.text, Finish.STOP)]))[0] for row in rows]
    return {
        row.id: (verdict.outcome.value, verdict.reason.value)
        for row, verdict in zip(rows, found, strict=True)
    }
