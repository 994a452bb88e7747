r"""evaluate.py - values of trees without variables, by mpmath; runs only inside a worker process.

1. Real mathematics stays real: where the imaginary unit is not written, an expression has no
   value where a part of it is not real (`\sqrt{x}\sqrt{y}` at negative x), and odd roots of
   negative numbers are negative numbers.
2. A difference is evaluated to 60 digits, and, where it may be noise, to 120, more by what large
   numbers on the way drown. It is zero where that may be noise, too, and no digit stayed.
3. Rational values are compared exactly, as far as the budget goes.
sympy evaluates what mpmath has no plain formula for: integrals, limits, infinite sums.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from labeler.grading.budget import afford
from labeler.grading.exact import Budget, exact
from labeler.grading.functions import FUNCTIONS, LOST_DIGITS, NoValue, unknown
from labeler.grading.symbolic import to_sympy, written_out
from labeler.grading.tokens import TooBig
from labeler.grading.tree import BINDERS, IMAGINARY, Apply, Node, Number, Op, Symbol, walk

DIGITS = 60
"""Of a first evaluation; where only noise is left of a difference, a second has twice as many."""
SURE = 10
"""Digits that two precisions share where a small value is no noise."""
MORE_DIGITS = 4000
"""Digits added, at most, where large numbers met on the way drown small differences."""
BUDGET = Budget(bits=400_000, steps=50_000)
"""Of exact arithmetic in a worker."""


def is_zero(gap: Node, *, principal: bool = False) -> bool | None:
    """Whether an expression without variables is zero; None where nothing tells.

    With `principal`, roots and logarithms that are not real have their principal value. Raises
    TooBig for parts beyond the budgets, and for a rational number that may be zero by all its
    digits and is too large for exact arithmetic.
    """
    complex_ = principal or is_complex(gap)
    try:
        value = exact(gap, BUDGET)
    except ZeroDivisionError:
        return None
    except TooBig:
        if _is_noise(gap, complex_=complex_) is False:
            return False
        raise
    return _is_noise(gap, complex_=complex_) if value is None else value == 0


def _is_noise(gap: Node, *, complex_: bool) -> bool | None:
    """Whether nothing but rounding is left of a difference; None where it has no value."""
    afford(gap)
    try:
        first = _value(gap, DIGITS, complex_=complex_)
        if not first.is_noise():
            return False
        more = 2 * max(0, _magnitude(first.scale))
        if more > MORE_DIGITS:
            raise TooBig("digits")
        second = _value(gap, 2 * DIGITS + more, complex_=complex_)
    except NoValue:
        return None
    if _magnitude(second.scale) > _magnitude(first.scale) + 1:
        return None  # a pole: the more digits, the larger
    return second.is_noise() and not _stays(first, second)


def _stays(first: "_Found", second: "_Found") -> bool:
    """Whether two precisions give the same digits: a small value, but one."""
    with mpmath.workdps(first.digits):
        gap = abs(second.value - first.value)
        return bool(gap < abs(second.value) * mpmath.mpf(10) ** -SURE)


def _magnitude(scale: Any) -> int:  # noqa: ANN401 - mpmath has no types
    """Decimal digits before the point; negative for small values."""
    return int(mpmath.mag(scale) * 0.30103) if scale else 0


@dataclass(frozen=True, slots=True)
class _Found:
    """A value with what its accuracy depends on."""

    value: Any
    scale: Any
    """The largest magnitude met on the way."""
    digits: int

    def is_noise(self) -> bool:
        """Whether the value is within the rounding of what it was computed from."""
        with mpmath.workdps(self.digits):
            noise = self.scale * mpmath.mpf(10) ** (LOST_DIGITS - self.digits)
            return bool(abs(self.value) <= noise)


def is_complex(node: Node) -> bool:
    """Whether the imaginary unit is written."""
    return any(part == IMAGINARY for part in walk(node))


def real_value(node: Node) -> Fraction | None:
    """The value to twice DIGITS digits, or None where it is not real. Raises TooBig."""
    afford(node)
    try:
        found = _value(node, 2 * DIGITS, complex_=is_complex(node)).value
    except NoValue:
        return None
    if found.imag != 0:
        return None
    sign, mantissa, exponent, _ = found.real._mpf_
    if abs(exponent) > BUDGET.bits:
        raise TooBig("bits")
    return (-1 if sign else 1) * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _value(node: Node, digits: int, *, complex_: bool) -> _Found:
    """The value, computed with so many digits. Raises NoValue without one."""
    with mpmath.workdps(digits):
        evaluation = _Evaluation(digits, complex_=complex_)
        try:
            return _Found(evaluation.value(node), evaluation.scale, digits)
        except (ValueError, ArithmeticError, mpmath.libmp.NoConvergence) as error:
            raise NoValue from error


class _Evaluation:
    def __init__(self, digits: int, *, complex_: bool) -> None:
        self.digits = digits
        self.complex = complex_
        self.scale = mpmath.mpf(0)

    def value(self, node: Node) -> Any:  # noqa: ANN401 - mpmath has no types
        """The value of a node. Raises NoValue, ValueError or ArithmeticError without one."""
        found = self._value(node)
        if not self.complex and isinstance(found, mpmath.mpc):
            if found.imag != 0:
                raise NoValue
            found = found.real
        if not mpmath.isfinite(found):
            raise NoValue
        if self.complex and abs(found.imag) < abs(found) * mpmath.mpf(10) ** (
            LOST_DIGITS - self.digits
        ):
            found = found.real  # noise there would pick a branch
        self.scale = max(self.scale, abs(found))
        return found

    def _value(self, node: Node) -> Any:  # noqa: ANN401
        if isinstance(node, Number):
            return mpmath.mpf(node.value.numerator) / node.value.denominator
        if isinstance(node, Symbol):
            return self._constant(node.name)
        if node.op in (Op.SUM, Op.PRODUCT) and (terms := written_out(node)) is not None:
            return self.value(terms)
        if node.op in BINDERS:
            return self._by_sympy(node)
        if node.op is Op.POW:
            return self._power(*node.args)
        return self._applied(node)

    def _applied(self, node: Apply) -> Any:  # noqa: ANN401
        name, *rest = node.args
        if node.op is Op.CALL and isinstance(name, Symbol):
            return unknown(name.name, map(self.value, rest))
        function = FUNCTIONS.get(node.op)
        if function is None:
            raise NoValue
        return function(*map(self.value, node.args))

    def _constant(self, name: str) -> Any:  # noqa: ANN401
        constants = {"pi": mpmath.pi, "e": mpmath.e, "i": mpmath.mpc(0, 1)}
        if name not in constants:
            raise NoValue
        return +constants[name]

    def _power(self, base: Node, exponent: Node) -> Any:  # noqa: ANN401
        """A power; of a negative number and an odd root, the real one."""
        root = self.value(base)
        ratio = exponent.value if isinstance(exponent, Number) else None
        if ratio is not None and ratio.denominator == 1:
            return root ** int(ratio)
        if root == 0 or self.complex or root > 0:
            return root ** self.value(exponent)
        if ratio is None or ratio.denominator % 2 == 0:
            raise NoValue
        size = (-root) ** self.value(exponent)
        return -size if ratio.numerator % 2 else size

    def _by_sympy(self, node: Node) -> Any:  # noqa: ANN401
        number = to_sympy(node).doit().evalf(self.digits)
        if not number.is_number or not number.is_finite:
            raise NoValue
        return mpmath.mpc(*(part._to_mpmath(mpmath.mp.prec) for part in number.as_real_imag()))
