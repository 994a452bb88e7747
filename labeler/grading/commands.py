r"""commands.py - numbers, functions and the LaTeX commands with a syntax of their own.

One short function a construct; each is called right after the parser has taken its name and
gives the tree of the whole construct. Raises Unreadable where the text is not of its form.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from labeler.grading.determinant import determinant
from labeler.grading.numerals import numeral
from labeler.grading.tokens import FUNCTIONS, Lexeme, Unreadable
from labeler.grading.tree import (
    EULER,
    MINUS_ONE,
    PI,
    Apply,
    Node,
    Number,
    Op,
    Symbol,
    add,
    div,
    free_symbols,
    mul,
    power,
    walk,
)

if TYPE_CHECKING:
    from labeler.grading.parser import Parser

_SEVERAL = (Op.GCD, Op.LCM, Op.MAX, Op.MIN, Op.BINOMIAL)
_INVERSE = {Op(name): Op(f"a{name}") for name in ("sin", "cos", "tan", "cot", "sec", "csc",
                                                  "sinh", "cosh", "tanh")}  # fmt: skip
_TEN = Number(Fraction(10))


def number(p: "Parser") -> Node:
    """A literal number, or a mixed one."""
    text = p.expect(Lexeme.NUMBER)
    found = numeral(text)
    if found is None:
        raise Unreadable(text)
    node = Number(found.value)
    if not text.isdigit() or not _is_mixed(p):
        return node
    if p.at(Lexeme.COMMAND):
        return add(node, p.primary())
    top, _, bottom = (p.expect(*wanted) for wanted in _SLASHED)
    if not (top.isdigit() and bottom.isdigit()):
        raise Unreadable(f"{text} {top}/{bottom}")
    return add(node, Number(Fraction(int(top), int(bottom))))


_SLASHED = ((Lexeme.NUMBER,), (Lexeme.SIGN, "/"), (Lexeme.NUMBER,))


def _is_mixed(p: "Parser") -> bool:
    r"""Whether a fraction follows a whole number: `\frac{1}{4}`, or `1/4` after a blank."""
    if p.at(Lexeme.NUMBER):
        whole = all(p.at(Lexeme.NUMBER, ahead=place) for place in (0, 2))
        return whole and p.at(Lexeme.SIGN, "/", ahead=1)
    marks = ("{", "", "}", "{", "", "}")
    return p.at(Lexeme.COMMAND, "frac") and all(
        p.at(Lexeme.SIGN, mark, ahead=place) if mark else p.at(Lexeme.NUMBER, ahead=place)
        for place, mark in enumerate(marks, 1)
    )


def function(p: "Parser", name: str) -> Node:
    r"""A function with its argument: `\sin^2 x`, `\log_2 8`, `\gcd(12, 18)`."""
    op = FUNCTIONS[name]
    base: Node | None = _TEN if name == "lg" else None
    if p.take(Lexeme.SIGN, "_"):
        base = script(p)
    exponent = p.exponent() if p.take(Lexeme.SIGN, "^") else None
    if op in _SEVERAL:
        node: Node = _several(p, op)
    else:
        node = _applied(op, _argument(p), base, inverse=exponent == MINUS_ONE)
    return node if exponent in (None, MINUS_ONE) else power(node, exponent or MINUS_ONE)


def _several(p: "Parser", op: Op) -> Node:
    arguments = p.arguments()
    if op is Op.BINOMIAL and len(arguments) != 2:
        raise Unreadable(op)
    return Apply(op, arguments)


def _applied(op: Op, argument: Node, base: Node | None, *, inverse: bool) -> Node:
    if inverse:
        if op not in _INVERSE:
            raise Unreadable(op)
        op = _INVERSE[op]
    if base is None:
        return Apply(op, (argument,))
    if op is not Op.LOG:
        raise Unreadable("_")
    return Apply(op, (argument, base))


def _argument(p: "Parser") -> Node:
    """What a function without brackets takes: factors up to the next sign or function."""
    if p.at(Lexeme.SIGN, "(", "[", "{"):
        return p.group()
    node = p.unary()
    while p.starts_factor() and not p.at(Lexeme.FUNCTION):
        if p.at(Lexeme.SIGN, "(", "[") and not isinstance(node, Number):
            break
        node = mul(node, p.power())
    turn = not free_symbols(node) and any(part == PI for part in walk(node))
    if turn and p.at(Lexeme.SIGN, "/") and p.at(Lexeme.NUMBER, ahead=1):
        p.expect(Lexeme.SIGN, "/")
        node = div(node, p.power())
    return node


def script(p: "Parser") -> Node:
    """A subscript: a group or one token."""
    return p.group() if p.at(Lexeme.SIGN, "{") else p.primary()


def _fraction(p: "Parser") -> Node:
    top = p.group()
    first = top.args[0] if isinstance(top, Apply) and top.op is Op.MUL else top
    if first == Symbol("d") and p.at(Lexeme.SYMBOL, "d", ahead=1) and p.at(Lexeme.SYMBOL, ahead=2):
        raise Unreadable("a derivative")
    return div(top, p.group())


def _root(p: "Parser") -> Node:
    """A root, its degree in square brackets."""
    if p.at(Lexeme.SIGN, "["):
        degree = p.group()
        return power(_radicand(p), div(Number(Fraction(1)), degree))
    return power(_radicand(p), Number(Fraction(1, 2)))


def _cube_root(p: "Parser") -> Node:
    return power(_radicand(p), Number(Fraction(1, 3)))


def _radicand(p: "Parser") -> Node:
    return p.group() if p.at(Lexeme.SIGN, "{", "(") else p.primary()


def _binomial(p: "Parser") -> Node:
    if p.at(Lexeme.SIGN, "("):
        return _several(p, Op.BINOMIAL)
    top = p.group()
    return Apply(Op.BINOMIAL, (top, p.group()))


def _exponential(p: "Parser") -> Node:
    return power(EULER, _argument(p))


def _rounded(op: Op, closing: str) -> Callable[["Parser"], Node]:
    def read(p: "Parser") -> Node:
        node = p.sum()
        p.expect(Lexeme.COMMAND, closing)
        return Apply(op, (node,))

    return read


def _series(op: Op) -> Callable[["Parser"], Node]:
    r"""`\sum_{k=1}^{n}` of the product that follows."""

    def read(p: "Parser") -> Node:
        p.expect(Lexeme.SIGN, "_")
        p.expect(Lexeme.SIGN, "{")
        variable = Symbol(p.expect(Lexeme.SYMBOL))
        p.expect(Lexeme.SIGN, "=")
        first = p.sum()
        p.expect(Lexeme.SIGN, "}")
        p.expect(Lexeme.SIGN, "^")
        last = p.exponent()
        return Apply(op, (p.term(), variable, first, last))

    return read


def _integral(p: "Parser") -> Node:
    r"""`\int_a^b f dx`; one without bounds has no value."""
    p.expect(Lexeme.SIGN, "_")
    lower = script(p)
    p.expect(Lexeme.SIGN, "^")
    upper = p.exponent()
    p.integrals += 1
    body = p.sum()
    p.integrals -= 1
    p.expect(Lexeme.SYMBOL, "d")
    return Apply(Op.INTEGRAL, (body, Symbol(p.expect(Lexeme.SYMBOL)), lower, upper))


def _limit(p: "Parser") -> Node:
    p.expect(Lexeme.SIGN, "_")
    p.expect(Lexeme.SIGN, "{")
    variable = Symbol(p.expect(Lexeme.SYMBOL))
    p.expect(Lexeme.COMMAND, "to")
    goal = p.sum()
    p.expect(Lexeme.SIGN, "}")
    return Apply(Op.LIMIT, (p.term(), variable, goal))


COMMANDS: dict[str, Callable[["Parser"], Node]] = {
    "frac": _fraction,
    "sqrt": _root,
    "cbrt": _cube_root,
    "binom": _binomial,
    "exp": _exponential,
    "lfloor": _rounded(Op.FLOOR, "rfloor"),
    "lceil": _rounded(Op.CEILING, "rceil"),
    "sum": _series(Op.SUM),
    "prod": _series(Op.PRODUCT),
    "int": _integral,
    "lim": _limit,
    "begin": determinant,
}
"""What follows each command."""
