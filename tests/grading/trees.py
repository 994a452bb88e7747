"""Random trees, as the parser builds them, and what tests ask of two trees."""

from fractions import Fraction

from hypothesis import strategies as st

from labeler.grading.normalise import normalise
from labeler.grading.parser import parse
from labeler.grading.points import At, Irrational, vanishes
from labeler.grading.structure import canonical, remainder
from labeler.grading.tree import (
    EULER,
    MINUS_ONE,
    ONE,
    PI,
    ZERO,
    Apply,
    Node,
    Number,
    Op,
    Relation,
    Symbol,
    add,
    free_symbols,
    mul,
    power,
)

VARIABLES = tuple(Symbol(name) for name in ("x", "y", "k"))
FUNCTIONS = (Op.SIN, Op.COS, Op.TAN, Op.LOG, Op.ASIN, Op.ATAN, Op.SINH, Op.COSH, Op.TANH)


def tree(text: str) -> Node:
    """The tree of a text that is an expression."""
    found = parse(normalise(text))
    assert not isinstance(found, Relation)
    return found


def form(node: Node) -> Node | None:
    """The canonical form of a tree; None for one that divides a number by zero."""
    try:
        return canonical(node)
    except ZeroDivisionError:
        return None


def same(one: Node, other: Node) -> bool | None:
    """Whether structure alone shows two trees equal or different."""
    rest = remainder(one, other)
    return None if isinstance(rest, Node) else rest


def agree(one: Node, other: Node, at: At) -> bool | None:
    """Whether structure, or else values of the difference at points, show two trees equal."""
    rest = remainder(one, other)
    try:
        if isinstance(rest, Node):
            return vanishes(rest, at) if free_symbols(rest) else at(rest)
    except Irrational:
        return None
    return rest


def number(value: Fraction | int) -> Number:
    """A literal number."""
    return Number(Fraction(value))


WHOLE = st.integers(-9, 9).map(number)
RATIONAL = st.builds(Fraction, st.integers(-20, 20), st.integers(1, 9)).map(number)
EXPONENTS = st.sampled_from((2, 3, -1, -2, Fraction(1, 2), Fraction(1, 3), Fraction(-1, 2)))


def _sums(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.lists(parts, min_size=2, max_size=3).map(lambda terms: add(*terms))


def _products(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.lists(parts, min_size=2, max_size=3).map(lambda factors: mul(*factors))


def _arithmetic(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    powers = st.builds(power, parts, st.integers(1, 3).map(number))
    return _sums(parts) | _products(parts) | powers


def polynomials() -> st.SearchStrategy[Node]:
    """Sums, products and small whole powers of variables and rationals."""
    return st.recursive(st.sampled_from(VARIABLES) | RATIONAL, _arithmetic, max_leaves=8)


def _divides(node: Node) -> bool:
    return node not in (ZERO, ONE)


def rationals() -> st.SearchStrategy[Node]:
    """Rational arithmetic of literal numbers, quotients by literals that are not zero."""
    rounded = (Op.ABS, Op.FLOOR, Op.CEILING)
    several = (Op.MAX, Op.MIN)

    def more(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        one = st.builds(lambda op, arg: Apply(op, (arg,)), st.sampled_from(rounded), parts)
        two = st.builds(lambda op, *args: Apply(op, args), st.sampled_from(several), parts, parts)
        over = st.builds(
            lambda top, bottom: mul(top, power(bottom, MINUS_ONE)), parts, parts.filter(_divides)
        )
        return _arithmetic(parts) | one | two | over

    return st.recursive(RATIONAL, more, max_leaves=8)


def expressions(*, thirds: bool = True) -> st.SearchStrategy[Node]:
    """Polynomials with roots, reciprocals, constants, functions and symbolic exponents."""
    exponents = EXPONENTS if thirds else EXPONENTS.filter(lambda e: e != Fraction(1, 3))

    def more(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        one = st.builds(lambda op, arg: Apply(op, (arg,)), st.sampled_from(FUNCTIONS), parts)
        fixed = st.builds(lambda base, e: power(base, number(e)), parts, exponents)
        free = st.builds(power, parts, st.sampled_from(VARIABLES))
        size = parts.map(lambda arg: Apply(Op.ABS, (arg,)))
        return _sums(parts) | _products(parts) | one | fixed | free | size

    leaves = st.sampled_from((*VARIABLES, PI, EULER)) | RATIONAL
    return st.recursive(leaves, more, max_leaves=7)
