r"""structure.py - whether two trees are equal by structure alone, without evaluating anything big.

`canonical` orders what commutes, collects like terms and factors and folds small numbers: all
of it identities that hold for any complex value. Two trees whose difference comes out as a
number are decided, whatever their size: `10^{10^{10}} + 1` is not `10^{10^{10}}`. What is left of
the others is zero, or not, and that is for values at points to show.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from labeler.grading.tree import (
    BINDERS,
    EULER,
    INFINITY,
    ONE,
    PI,
    ZERO,
    Apply,
    Node,
    Number,
    Op,
    Symbol,
    add,
    free_symbols,
    mul,
    neg,
    opened,
    power,
)

FOLD_BITS = 4096
"""A power of a number is folded up to this size."""

_TOTAL = (Op.ADD, Op.MUL, Op.ABS, Op.FLOOR, Op.CEILING, Op.MAX, Op.MIN, Op.SIN, Op.COS)
"""Operations that have a value wherever their arguments have one."""
_UNORDERED = (Op.GCD, Op.LCM, Op.MAX, Op.MIN)


@lru_cache(maxsize=16)
def remainder(gold: Node, answer: Node) -> bool | Node | None:
    """Whether two expressions are equal, or the difference that structure leaves.

    None where a difference would say nothing: infinities, divisions by zero.
    """
    try:
        left, right = _kept(gold), canonical(answer)
        if _infinite(gold) or _infinite(answer):
            return gold == answer or _same_infinity(left, right)
        if left == right:
            return True
        gap = canonical(add(left, neg(right)))
    except ZeroDivisionError:
        return None
    return gap == ZERO if isinstance(gap, Number) else gap


@lru_cache(maxsize=256)
def _kept(gold: Node) -> Node:
    """A gold's canonical form, worked out once for many answers."""
    return canonical(gold)


def _same_infinity(left: Node, right: Node) -> bool | None:
    """Of plain numbers and infinities only: what cancels an infinity has no value."""
    if not (_extended(left) and _extended(right)):
        return None
    return left == right and not isinstance(left, Number)


def _infinite(node: Node) -> bool:
    """Whether infinity is written other than as the end of a sum or integral."""
    if not isinstance(node, Apply):
        return node == INFINITY
    return any(map(_infinite, node.args[:1] if node.op in BINDERS else node.args))


def _extended(node: Node) -> bool:
    """A number or plus or minus infinity."""
    return isinstance(node, Number) or node in (INFINITY, neg(INFINITY))


def canonical(node: Node) -> Node:
    """The one form of trees that differ in order, like terms and like factors only.

    Raises ZeroDivisionError for a number divided by zero.
    """
    if not isinstance(node, Apply):
        return node
    args = tuple(map(canonical, node.args))
    if node.op is Op.ADD:
        return _sum(args)
    if node.op is Op.MUL:
        return _product(args)
    if node.op is Op.POW:
        return _power(*args)
    if node.op in _UNORDERED:
        args = tuple(sorted(args, key=key))
    return Apply(node.op, args)


def key(node: Node) -> str:
    """A name for the tree: equal trees have equal names."""
    if isinstance(node, Number):
        return f"{node.value.numerator:x}/{node.value.denominator:x}"
    if isinstance(node, Symbol):
        return f"~{node.name}"
    return f"~{node.op}({','.join(map(key, node.args))})"


def _sum(terms: Iterable[Node]) -> Node:
    coefficients: dict[Node, Fraction] = {}
    for part in opened(Op.ADD, terms):
        number, rest = _coefficient(part)
        coefficients[rest] = coefficients.get(rest, Fraction(0)) + number
    constant = coefficients.pop(ONE, Fraction(0))
    kept = [
        _scaled(number, rest)
        for rest, number in coefficients.items()
        if number or not _defined(rest)
    ]
    kept.sort(key=key)
    if constant or not kept:
        kept.insert(0, Number(constant))
    return add(*kept)


def _coefficient(term: Node) -> tuple[Fraction, Node]:
    """A term as number times rest; the rest of a number is one."""
    if isinstance(term, Number):
        return term.value, ONE
    if isinstance(term, Apply) and term.op is Op.MUL and isinstance(term.args[0], Number):
        return term.args[0].value, mul(*term.args[1:])
    return Fraction(1), term


def _scaled(number: Fraction, rest: Node) -> Node:
    """A number times something; nothing times what may have no value stays."""
    return mul(Number(number), rest) if number else Apply(Op.MUL, (ZERO, rest))


def _defined(node: Node) -> bool:
    """Whether an expression has a value everywhere, so that it may be dropped or cancelled."""
    if not isinstance(node, Apply):
        return True
    if node.op is Op.POW:
        base, exponent = node.args
        positive = base in (PI, EULER) or (isinstance(base, Number) and base.value > 0)
        whole = isinstance(exponent, Number) and exponent.value.denominator == 1
        natural = whole and isinstance(exponent, Number) and exponent.value > 0
        return (positive or natural) and all(map(_defined, node.args))
    return node.op in _TOTAL and all(map(_defined, node.args))


def _product(factors: Iterable[Node]) -> Node:
    number = Fraction(1)
    exponents: dict[Node, Fraction] = {}
    for part in opened(Op.MUL, factors):
        if isinstance(part, Number):
            number *= part.value
        else:
            base, exponent = _based(part)
            exponents[base] = exponents.get(base, Fraction(0)) + exponent
    if number == 0:
        dropped = sorted((power(base, Number(e)) for base, e in exponents.items()), key=key)
        return ZERO if all(map(_defined, dropped)) else _scaled(number, mul(*dropped))
    powers = [_power(base, Number(e)) for base, e in exponents.items() if e or base == ZERO]
    number *= _numbers(powers)
    rest = sorted((p for p in powers if not isinstance(p, Number)), key=key)
    if len(rest) == 1 and isinstance(rest[0], Apply) and rest[0].op is Op.ADD and number != 1:
        return _sum(mul(Number(number), term) for term in rest[0].args)
    return mul(Number(number), *rest)


def _numbers(nodes: Iterable[Node]) -> Fraction:
    product = Fraction(1)
    for node in nodes:
        if isinstance(node, Number):
            product *= node.value
    return product


def _based(factor: Node) -> tuple[Node, Fraction]:
    """A factor as base and numeric exponent."""
    if isinstance(factor, Apply) and factor.op is Op.POW:
        base, exponent = factor.args
        if isinstance(exponent, Number):
            return base, exponent.value
    return factor, Fraction(1)


def _power(base: Node, exponent: Node) -> Node:
    if not isinstance(exponent, Number) or exponent.value.denominator != 1:
        return power(base, exponent)
    whole = int(exponent.value)
    if isinstance(base, Number):
        return _number_power(base.value, whole)
    if isinstance(base, Apply) and base.op is Op.MUL:
        return _product(_power(factor, exponent) for factor in base.args)
    if isinstance(base, Apply) and base.op is Op.POW and isinstance(base.args[1], Number):
        inner, raised = base.args[0], base.args[1].value
        if raised > 0 or whole > 0 or free_symbols(inner):
            return _power(inner, Number(raised * whole))  # but 1/(1/0) has no value
    return ONE if whole == 0 else power(base, exponent)


def _number_power(base: Fraction, exponent: int) -> Node:
    size = max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(exponent)
    if size > FOLD_BITS or (base == 0 and exponent == 0):
        return power(Number(base), Number(Fraction(exponent)))
    return Number(base**exponent)
