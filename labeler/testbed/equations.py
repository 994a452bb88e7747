"""equations.py - whether a written equation says, and holds, what it should."""

from __future__ import annotations

from labeler.testbed.kinds import Reason
from labeler.testbed.program import apply
from labeler.testbed.wording import Equation


def says(equation: Equation, op: str, left: int | None, right: int | None) -> bool:
    """Whether the equation's left side is this one; `+` and `*` either way round."""
    written, wanted = (equation.left, equation.right), (left, right)
    same = written == wanted or (op in "+*" and written == wanted[::-1])
    return equation.op == op and same


def holds(equation: Equation, op: str, left: int | None, right: int | None) -> bool:
    """Whether, besides, its result is right (a division's rounded down)."""
    true = apply(equation.op, equation.left, equation.right)
    return says(equation, op, left, right) and true == equation.result


def why(equation: Equation, true_text: bool) -> Reason:
    """Why a wrong result is wrong: the sum, or what went into it."""
    true = apply(equation.op, equation.left, equation.right)
    return Reason.ARITHMETIC if true_text or true != equation.result else Reason.OPERAND
