"""evaluate.py - equality of sympy expressions by their values; runs only inside a worker.

Both sides are evaluated to 50 digits at fixed rational points and compared relatively, so that
tiny values differ and near-integers are no integers. No simplification is ever needed.
"""

from fractions import Fraction
from typing import Any

DIGITS = 50
_POINTS = ("7/10", "17/13", "31/11", "-23/17", "-41/29")
"""Rational points, one a trial; the last two have variables of both signs."""


def same_everywhere(a: Any, b: Any) -> bool | None:  # noqa: ANN401 - sympy has no types
    """Equality at fixed points; None where no point gives both a value.

    Where the imaginary unit is not written, a non-real value is a root or logarithm outside its
    domain, and branches may differ there: such a point shows nothing.
    """
    from sympy import I

    complex_ = a.has(I) or b.has(I)
    symbols = sorted(a.free_symbols | b.free_symbols, key=str)
    compared = 0
    for trial in range(len(_POINTS) if symbols else 1):
        point = _point(symbols, trial)
        left, right = value_of(a, point), value_of(b, point)
        if left is None or right is None:
            continue
        near = _near(left, right)
        if not near and not complex_ and (left.imag != 0 or right.imag != 0):
            continue
        if not near:
            return False
        compared += 1
    return True if compared else None


def proportional(a: Any, b: Any) -> bool | None:  # noqa: ANN401 - sympy has no types
    """Whether two equations say the same: their differences of sides in a constant ratio."""
    from sympy import Eq

    if not (isinstance(a, Eq) and isinstance(b, Eq)):
        return None
    left, right = a.lhs - a.rhs, b.lhs - b.rhs
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)
    ratio: Any = None
    compared = 0
    for trial in range(len(_POINTS)):
        point = _point(symbols, trial)
        top, bottom = value_of(left, point), value_of(right, point)
        if top is None or bottom is None or bottom == 0 or top == 0:
            continue
        if ratio is not None and not _near(top / bottom, ratio):
            return False
        ratio = top / bottom
        compared += 1
    return True if compared >= 2 else None


def _point(symbols: list[Any], trial: int) -> dict[Any, Any]:
    from sympy import Rational

    start = Rational(_POINTS[trial])
    steps = [start + Rational(place * (trial + 2), 7 + 2 * place) for place in range(len(symbols))]
    return dict(zip(symbols, steps, strict=True))


def value_of(expression: Any, point: dict[Any, Any]) -> Any:  # noqa: ANN401 - sympy, mpmath
    """The value to DIGITS digits as an mpmath complex number, or None where it has none."""
    import mpmath

    try:
        number = expression.evalf(DIGITS, subs=point) if point else expression.evalf(DIGITS)
        if not number.is_number or not number.is_finite:
            return None
        with mpmath.workdps(DIGITS + 10):
            return mpmath.mpc(*(_part(part) for part in number.as_real_imag()))
    except (MemoryError, RecursionError, OSError, ImportError):
        raise
    except Exception:  # noqa: BLE001 - sympy's evaluation raises anything: no value here
        return None


def _part(part: Any) -> Any:  # noqa: ANN401 - sympy, mpmath
    """A real part as mpmath; one of no accurate digit is an exact zero that cancelled."""
    if part == 0 or (part.is_Float and part._prec <= 4):
        return 0
    return part._to_mpmath(200)


def _near(a: Any, b: Any) -> bool:  # noqa: ANN401 - mpmath has no types
    import mpmath

    with mpmath.workdps(DIGITS + 10):
        return bool(abs(a - b) <= max(abs(a), abs(b)) * mpmath.mpf(10) ** -40)


def as_fraction(real: Any) -> Fraction:  # noqa: ANN401 - mpmath has no types
    """An mpmath real number, exactly."""
    sign, mantissa, exponent, _ = real._mpf_
    return (-1 if sign else 1) * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
