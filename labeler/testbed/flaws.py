"""flaws.py - training solutions with one planted fault, so that the model errs as people do.

Without them a small model errs only where its arithmetic fails, and never recovers.
Faults: a wrong step carried through or corrected on the next line, a move left out, a wrong
operand beside the right result, a line said twice. The share of each is `SHARES`; all other
training solutions are right. Nothing here is used to judge: `truth` knows no faults.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from labeler.testbed import wording
from labeler.testbed.drawing import WIDE
from labeler.testbed.problems import Job, carry_out, plan
from labeler.testbed.program import Move, Program, apply
from labeler.testbed.wording import Define, Equation, Happen, Line

SHARES = {"carried": 0.03, "corrected": 0.015, "left_out": 0.006, "operand": 0.012, "twice": 0.007}


def training_solution(program: Program, rng: Random) -> str:
    """A solution to learn from: right, or with one fault."""
    jobs, style = plan(program, rng), rng.randrange(wording.STYLES)
    kinds = [*SHARES, "none"]
    kind = rng.choices(kinds, [*SHARES.values(), 1 - sum(SHARES.values())])[0]
    lines = _FAULTS[kind](program, jobs, rng)
    texts = [mark + wording.write(line, program.items, style) for mark, line in lines]
    return wording.SEPARATOR.join(texts)


def spoil(equation: Equation, numbers: Sequence[int], rng: Random) -> Equation:
    """A plausible wrong equation in its place: wrong arithmetic, operand or operation."""
    left, op, right, result = equation.left, equation.op, equation.right, equation.result
    kind = rng.random()
    if kind < 0.55:
        near = [result + step for step in (-100, -10, -2, -1, 1, 2, 10, 100)]
        wrong = [n for n in near if 1 <= n <= WIDE.limit]
        return Equation(left, op, right, rng.choice(wrong))
    if kind < 0.85:
        right = rng.choice([n for n in numbers if n != right] or [right + 1])
    else:
        op = {"+": "-", "-": "+", "*": "+", "/": "-"}[op]
    spoiled = apply(op, left, right)
    if spoiled is None or spoiled == result or not 1 <= spoiled <= WIDE.limit:
        return Equation(left, op, equation.right, max(1, result - 1))
    return Equation(left, op, right, spoiled)


Marked = list[tuple[str, Line]]


def _right(program: Program, jobs: Sequence[Job], rng: Random) -> Marked:
    return [("", line) for line in carry_out(program, jobs)]


def _numbers(program: Program) -> list[int]:
    found = [n for node in program.nodes for n in (node.left, node.right) if isinstance(n, int)]
    found += [move.operand for move in program.moves if isinstance(move.operand, int)]
    return found + list(program.given.values())


def _place(lines: Sequence[Line], rng: Random) -> int:
    return rng.choice([i for i, x in enumerate(lines) if isinstance(x, Define | Happen)])


def _in_range(lines: Sequence[Line]) -> bool:
    written = [line.equation for line in lines if isinstance(line, Define | Happen)]
    return all(0 < equation.result <= WIDE.limit for equation in written)


def _carried(program: Program, jobs: Sequence[Job], rng: Random) -> Marked:
    right = carry_out(program, jobs)
    at, numbers = _place(right, rng), _numbers(program)

    def alter(index: int, equation: Equation) -> Equation:
        return spoil(equation, numbers, rng) if index == at else equation

    lines = carry_out(program, jobs, alter)
    return [("", line) for line in (lines if _in_range(lines) else right)]


def _corrected(program: Program, jobs: Sequence[Job], rng: Random) -> Marked:
    lines = carry_out(program, jobs)
    at = _place(lines, rng)
    spoiled = _with(lines[at], lambda x: spoil(x, _numbers(program), rng))
    lines[at : at + 1] = [spoiled, lines[at]]
    return [(wording.CORRECTION if i == at + 1 else "", line) for i, line in enumerate(lines)]


def _left_out(program: Program, jobs: Sequence[Job], rng: Random) -> Marked:
    moves = [job for job in jobs if isinstance(job, Move)]
    gone = rng.choice(moves) if len(moves) > 1 else None
    lines = carry_out(program, [job for job in jobs if job is not gone])
    return [("", line) for line in lines] if _in_range(lines) else _right(program, jobs, rng)


def _operand(program: Program, jobs: Sequence[Job], rng: Random) -> Marked:
    lines = carry_out(program, jobs)
    at = _place(lines, rng)
    other = rng.choice(_numbers(program))
    lines[at] = _with(lines[at], lambda x: Equation(x.left, x.op, other, x.result))
    return [("", line) for line in lines]


def _twice(program: Program, jobs: Sequence[Job], rng: Random) -> Marked:
    lines = carry_out(program, jobs)
    at = _place(lines, rng)
    lines.insert(at, lines[at])
    return [("", line) for line in lines]


def _with(line: Line, change: Callable[[Equation], Equation]) -> Line:
    if isinstance(line, Define):
        return Define(line.name, change(line.equation))
    assert isinstance(line, Happen)
    return Happen(line.occasion, line.owner, change(line.equation))


_FAULTS: dict[str, Callable[[Program, Sequence[Job], Random], Marked]] = {
    "none": _right,
    "carried": _carried,
    "corrected": _corrected,
    "left_out": _left_out,
    "operand": _operand,
    "twice": _twice,
}
