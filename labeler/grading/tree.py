r"""tree.py - an expression as a small immutable tree, before any mathematics is done to it.

`parser.py` builds it from text, `structure.py` and `exact.py` decide what exact arithmetic can,
`symbolic.py` turns it into sympy nodes inside a worker. The makers here fold literal numbers
(`14/2` is 7, `-(3)` is -3) and nothing else: no power is taken, no symbol cancelled.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from math import prod


class Op(StrEnum):
    """What an Apply does to its arguments. A function's name is that of sympy's class."""

    ADD = "add"
    MUL = "mul"
    POW = "pow"
    """base, exponent"""
    LOG = "log"
    """argument, or argument and base"""
    FACTORIAL = "factorial"
    DOUBLE_FACTORIAL = "factorial2"
    BINOMIAL = "binomial"
    MOD = "Mod"
    ABS = "Abs"
    FLOOR = "floor"
    CEILING = "ceiling"
    GCD = "gcd"
    LCM = "lcm"
    MAX = "Max"
    MIN = "Min"
    SUM = "Sum"
    """body, variable, first, last"""
    PRODUCT = "Product"
    """body, variable, first, last"""
    INTEGRAL = "Integral"
    """body, variable, lower, upper"""
    LIMIT = "Limit"
    """body, variable, where it goes"""
    CALL = "call"
    """an unknown function's name as a Symbol, then its arguments"""
    SIN = "sin"
    COS = "cos"
    TAN = "tan"
    COT = "cot"
    SEC = "sec"
    CSC = "csc"
    ASIN = "asin"
    ACOS = "acos"
    ATAN = "atan"
    ACOT = "acot"
    ASEC = "asec"
    ACSC = "acsc"
    SINH = "sinh"
    COSH = "cosh"
    TANH = "tanh"
    COTH = "coth"
    ASINH = "asinh"
    ACOSH = "acosh"
    ATANH = "atanh"


BINDERS = (Op.SUM, Op.PRODUCT, Op.INTEGRAL, Op.LIMIT)
"""Operations whose second argument is a variable of their own."""


@dataclass(frozen=True, slots=True)
class Number:
    """A literal number, exactly."""

    value: Fraction

    def __hash__(self) -> int:  # a Fraction's own takes a modular inverse
        return hash((self.value.numerator, self.value.denominator))


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable with its subscript, or one of the constants below."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation and its arguments."""

    op: Op
    args: "tuple[Node, ...]"


Node = Number | Symbol | Apply

PI, EULER, IMAGINARY, INFINITY = (Symbol(name) for name in ("pi", "e", "i", "oo"))
CONSTANTS = (PI, EULER, IMAGINARY, INFINITY)
_UNIT = Fraction(1)
ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))
MINUS_ONE = Number(Fraction(-1))


@dataclass(frozen=True, slots=True)
class Relation:
    """Expressions with a sign between each two: `1 < x < 5`, `2x + y = 3`."""

    sides: tuple[Node, ...]
    signs: tuple[str, ...]
    """Of "=", "<", ">", "<=", ">=" and "!=", one fewer than sides."""


def add(*terms: Node) -> Node:
    """Their sum, nested sums opened."""
    parts = tuple(opened(Op.ADD, terms))
    return parts[0] if len(parts) == 1 else Apply(Op.ADD, parts)


def mul(*factors: Node) -> Node:
    """Their product, nested products opened, literal numbers multiplied."""
    numbers: list[Fraction] = []
    rest: list[Node] = []
    for part in opened(Op.MUL, factors):
        if isinstance(part, Number):
            numbers.append(part.value)
        else:
            rest.append(part)
    number = numbers[0] if len(numbers) == 1 else prod(numbers, start=_UNIT)
    if not rest:
        return Number(number)
    if numbers and number != 1:
        rest.insert(0, Number(number))
    return rest[0] if len(rest) == 1 else Apply(Op.MUL, tuple(rest))


def neg(node: Node) -> Node:
    """Its negative."""
    return mul(MINUS_ONE, node)


def power(base: Node, exponent: Node) -> Node:
    """Base to the exponent; a first power is its base."""
    return base if exponent == ONE else Apply(Op.POW, (base, exponent))


def div(top: Node, bottom: Node) -> Node:
    """Their quotient. Raises ZeroDivisionError for a literal zero below."""
    if isinstance(bottom, Number):
        return mul(top, Number(1 / bottom.value))
    return mul(top, power(bottom, MINUS_ONE))


def opened(op: Op, nodes: Iterable[Node]) -> Iterator[Node]:
    """The nodes, with sums (or products) among them replaced by their parts."""
    for node in nodes:
        if isinstance(node, Apply) and node.op is op:
            yield from node.args
        else:
            yield node


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, each as often as it stands there."""
    todo = [node]
    while todo:
        found = todo.pop()
        yield found
        if isinstance(found, Apply):
            todo += found.args


def free_symbols(node: Node) -> frozenset[str]:
    """Names of its variables: neither constants nor variables of a sum, integral or limit."""
    if isinstance(node, Number):
        return frozenset()
    if isinstance(node, Symbol):
        return frozenset() if node in CONSTANTS else frozenset([node.name])
    parts = node.args[1:] if node.op is Op.CALL else node.args
    names = frozenset[str]().union(*map(free_symbols, parts))
    if node.op in BINDERS and isinstance(node.args[1], Symbol):
        outside = frozenset[str]().union(*map(free_symbols, node.args[2:]))
        return (names - {node.args[1].name}) | outside
    return names


def links(relation: Relation) -> list[tuple[Node, Node, str]]:
    """Each two neighbouring sides with the sign between them."""
    sides = pairwise(relation.sides)
    return [(left, right, sign) for (left, right), sign in zip(sides, relation.signs, strict=True)]
