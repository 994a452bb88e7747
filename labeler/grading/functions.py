"""functions.py - mpmath's function for each operation of a tree; only inside a worker process.

Rounding never moves a step: a value that is whole but for noise is whole before it is floored.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import mpmath

from labeler.grading.tree import Op
from labeler.model import digest

LOST_DIGITS = 20
"""Digits that rounding may cost on the way: below them is noise."""


class NoValue(Exception):  # noqa: N818 - an outcome, not a fault
    """An expression has no value, or not a real one."""


def unknown(name: str, values: Iterable[Any]) -> Any:  # noqa: ANN401
    """Some value of an unknown function: the same for the same arguments."""
    told = (mpmath.nstr(value, 30) for value in values)
    return mpmath.mpf(int(digest(name, *told, size=8), 16)) / 2**64


def _sum(*terms: Any) -> Any:  # noqa: ANN401
    return mpmath.fsum(terms)


def _product(*factors: Any) -> Any:  # noqa: ANN401
    return mpmath.fprod(factors)


def _whole(x: Any) -> Any:  # noqa: ANN401
    """The whole number that a value is but for rounding, or the value."""
    whole = mpmath.nint(x)
    noise = mpmath.mpf(10) ** (LOST_DIGITS - mpmath.mp.dps)
    return whole if abs(x - whole) <= noise * max(1, abs(x)) else x


def _integer(x: Any) -> int:  # noqa: ANN401
    whole = _whole(x)
    if whole != mpmath.floor(whole):
        raise NoValue
    return int(whole)


def _arccotangent(x: Any) -> Any:  # noqa: ANN401
    """Between 0 and pi, as schools have it: continuous at zero."""
    return mpmath.pi / 2 - mpmath.atan(x)


FUNCTIONS: dict[Op, Callable[..., Any]] = {
    op: getattr(mpmath, op.value)
    for op in Op
    if op.value.startswith(("sin", "cos", "tan", "cot", "sec", "csc", "as", "ac", "at"))
} | {
    Op.ADD: _sum,
    Op.MUL: _product,
    Op.LOG: mpmath.log,
    Op.ACOT: _arccotangent,
    Op.FACTORIAL: mpmath.factorial,
    Op.DOUBLE_FACTORIAL: mpmath.fac2,
    Op.BINOMIAL: mpmath.binomial,
    Op.MOD: lambda x, y: _whole(x) - y * mpmath.floor(_whole(x / y)),
    Op.ABS: abs,
    Op.FLOOR: lambda x: mpmath.floor(_whole(x)),
    Op.CEILING: lambda x: mpmath.ceil(_whole(x)),
    Op.GCD: lambda *xs: mpmath.mpf(math.gcd(*map(_integer, xs))),
    Op.LCM: lambda *xs: mpmath.mpf(math.lcm(*map(_integer, xs))),
    Op.MAX: max,
    Op.MIN: min,
}
