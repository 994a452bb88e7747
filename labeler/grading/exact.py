r"""exact.py - the exact value of a tree that is rational, within a budget of bits.

`exact` takes powers, roots of perfect powers, factorials, binomials, finite sums and products
and remainders with Python's integers. Before each step it bounds the size of the result, so
nothing above the budget is ever begun: `TooBig` says that the value is rational but too large.
None means that the tree is not known to be rational. It knows no symbols and no digits.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial, gcd, isqrt, lcm, log2, prod

from labeler.grading.tokens import TooBig
from labeler.grading.tree import Apply, Node, Number, Op, Symbol

MAX_TERMS = 2000
"""Terms of a sum or product that are written out."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What exact arithmetic may cost."""

    bits: int
    """Of a number, above and below the line together."""
    steps: int
    """Operations, those of every term of a sum counted."""


def exact(node: Node, budget: Budget) -> Fraction | None:
    """The value of a rational tree, within the budget.

    Raises TooBig beyond it, ZeroDivisionError where the tree has no value.
    """
    return _Exact(budget).value(node, {})


class _Exact:
    def __init__(self, budget: Budget) -> None:
        self.bits = budget.bits
        self.steps = budget.steps

    def value(self, node: Node, bound: Mapping[str, Fraction]) -> Fraction | None:
        """The value with these variables bound."""
        self.steps -= 1
        if self.steps < 0:
            raise TooBig("steps")
        if isinstance(node, Number):
            return node.value
        if isinstance(node, Symbol):
            return bound.get(node.name)
        if node.op in (Op.SUM, Op.PRODUCT):
            return self._series(node, bound)
        if node.op is Op.MOD and (fast := self._power_modulo(node, bound)) is not None:
            return fast
        args = [self.value(arg, bound) for arg in node.args]
        known = [arg for arg in args if arg is not None]
        if len(known) < len(args):
            return None
        self._afford(sum(map(_size, known)))
        return self._apply(node.op, known)

    def _apply(self, op: Op, args: list[Fraction]) -> Fraction | None:
        if op is Op.POW:
            return self._power(*args)
        if op in _COUNTING:
            return self._counting(op, args)
        simple = _SIMPLE.get(op)
        return None if simple is None else simple(args)

    def _afford(self, size: float) -> None:
        if size > self.bits:
            raise TooBig("bits")

    def _power(self, base: Fraction, exponent: Fraction) -> Fraction | None:
        root = _root(base, exponent.denominator)
        if root is None:
            return None
        if root not in (0, 1, -1):
            self._afford(_size(root) * abs(exponent.numerator))
        whole = exponent.numerator
        return root ** (whole % 2 if root in (1, -1) else whole)

    def _counting(self, op: Op, args: list[Fraction]) -> Fraction | None:
        if any(arg.denominator != 1 or arg < 0 for arg in args):
            return None
        n, *rest = (int(arg) for arg in args)
        if op is Op.BINOMIAL and rest:
            k = min(rest[0], abs(n - rest[0]))
            self._afford(k)
            self._afford(k * log2(n + 2))
            return Fraction(comb(n, rest[0]))
        self._afford(n)
        self._afford(n * log2(n + 2))
        return Fraction(factorial(n) if op is Op.FACTORIAL else prod(range(n, 0, -2)))

    def _series(self, node: Apply, bound: Mapping[str, Fraction]) -> Fraction | None:
        body, variable, first, last = node.args
        ends = [self.value(end, bound) for end in (first, last)]
        if not isinstance(variable, Symbol) or not all(_whole(end) for end in ends):
            return None
        start, stop = (int(end or 0) for end in ends)
        if stop - start > MAX_TERMS:
            raise TooBig("terms")
        total = Fraction(0 if node.op is Op.SUM else 1)
        for k in range(start, stop + 1):
            term = self.value(body, {**bound, variable.name: Fraction(k)})
            if term is None:
                return None
            total = total + term if node.op is Op.SUM else total * term
            self._afford(_size(total))
        return total

    def _power_modulo(self, node: Apply, bound: Mapping[str, Fraction]) -> Fraction | None:
        """`b^e mod m` of whole numbers, without the power."""
        top, modulus = node.args
        if not (isinstance(top, Apply) and top.op is Op.POW):
            return None
        parts = [self.value(part, bound) for part in (*top.args, modulus)]
        if not all(_whole(part) for part in parts):
            return None
        base, exponent, m = (int(part or 0) for part in parts)
        return Fraction(pow(base, exponent, m)) if exponent >= 0 and m > 0 else None


def _whole(value: Fraction | None) -> bool:
    return value is not None and value.denominator == 1


def _size(value: Fraction) -> int:
    """Bits above and below the line."""
    return value.numerator.bit_length() + value.denominator.bit_length()


def _root(base: Fraction, degree: int) -> Fraction | None:
    """The real root where it is rational; that of a negative number for odd degrees only."""
    if degree == 1:
        return base
    if base < 0:
        root = _root(-base, degree) if degree % 2 else None
        return None if root is None else -root
    top, bottom = (_whole_root(part, degree) for part in (base.numerator, base.denominator))
    return None if top is None or bottom is None else Fraction(top, bottom)


def _whole_root(n: int, degree: int) -> int | None:
    if degree == 2:
        root = isqrt(n)
    elif degree > 64 or n.bit_length() > 1000:
        return n if n in (0, 1) else None
    else:
        root = round(n ** (1 / degree))
        root += next((d for d in (0, 1, -1) if (root + d) ** degree == n), 0)
    return root if root**degree == n else None


def _integers(combine: Callable[..., int]) -> Callable[[list[Fraction]], Fraction | None]:
    def apply(args: list[Fraction]) -> Fraction | None:
        return Fraction(combine(*map(int, args))) if all(map(_whole, args)) else None

    return apply


_COUNTING = (Op.FACTORIAL, Op.DOUBLE_FACTORIAL, Op.BINOMIAL)
_SIMPLE: dict[Op, Callable[[list[Fraction]], Fraction | None]] = {
    Op.ADD: lambda args: sum(args, Fraction(0)),
    Op.MUL: lambda args: prod(args, start=Fraction(1)),
    Op.ABS: lambda args: abs(args[0]),
    Op.FLOOR: lambda args: Fraction(args[0].__floor__()),
    Op.CEILING: lambda args: Fraction(args[0].__ceil__()),
    Op.MOD: lambda args: args[0] % args[1],
    Op.GCD: _integers(gcd),
    Op.LCM: _integers(lcm),
    Op.MAX: max,
    Op.MIN: min,
}
