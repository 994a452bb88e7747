r"""parser.py - an expression or relation, LaTeX or plain text, to a tree.

A precedence parser over tokens.py. From loose to tight: relations; sums; `mod`; products and
quotients, from left to right; a sign; powers, from right to left; `!`, `°` and `%` behind; a
number, symbol, bracket, function or command (commands.py). Nothing is evaluated.
1. A product needs no sign (`2x(y+1)`), but two numbers side by side are unreadable, except a
   whole number and a fraction: `1\frac{1}{4}` is 1 + 1/4.
2. After a slash a number stands alone, letters stay together: `1/2x` is x/2, `1/xy` is 1/(xy).
3. A function without brackets takes the factors up to the next sign or function: `\sin 2x\cos y`
   is sin(2x) cos y. A power after its brackets is the function's: `\sin(x)^2`.
4. `e`, `i` and `\pi` are the constants; `\log` without a base is the natural logarithm.
Depth and length are bounded (TooBig), so that everything after may recurse.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from labeler.grading.commands import COMMANDS, function, number
from labeler.grading.tokens import Cursor, Lexeme, Token, TooBig, Unreadable, tokens
from labeler.grading.tree import (
    ONE,
    PI,
    Apply,
    Node,
    Number,
    Op,
    Relation,
    Symbol,
    add,
    div,
    mul,
    neg,
    power,
)

MAX_DEPTH = 50
"""Nesting of brackets, exponents and functions; a deeper text is too big."""

REMEMBERED = 200
"""Characters up to which a text's tree is kept: golds and short answers come again."""

_RELATIONS = ("=", "<", ">", "<=", ">=", "!=")
_NO_FACTORS = ("bmod", "choose", "over", "to", "end", "rfloor", "rceil")
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_HUNDREDTH = Number(Fraction(1, 100))
_DEGREE = mul(PI, Number(Fraction(1, 180)))


def parse(text: str) -> Node | Relation:
    """The expression or relation that normalised text is. Raises Unreadable or TooBig."""
    return _remembered(text) if len(text) <= REMEMBERED else _parse(text)


@lru_cache(maxsize=4096)
def _remembered(text: str) -> Node | Relation:
    return _parse(text)


def _parse(text: str) -> Node | Relation:
    parser = Parser(tokens(text))
    try:
        found = parser.relation()
    except ZeroDivisionError as error:
        raise Unreadable("a division by zero") from error
    parser.expect(Lexeme.END)
    return found


class Parser(Cursor):
    """One pass over the tokens of one text."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self._depth = 0
        self._bars = 0
        self._raised = 0
        """Where the last exponent ended: a number may follow it, as in `x^n 2`."""
        self.determinants = 0
        """Determinants that are open: none may stand in another."""
        self.integrals = 0
        """Integrals that are open: `dx` ends the innermost."""

    def relation(self) -> Node | Relation:
        """Sides and the signs between them, or one expression."""
        sides, signs = [self.sum()], list[str]()
        while self.at(Lexeme.SIGN, *_RELATIONS):
            signs.append(self.expect(Lexeme.SIGN))
            sides.append(self.sum())
        return Relation(tuple(sides), tuple(signs)) if signs else sides[0]

    def sum(self) -> Node:
        """Terms with plus and minus between them, or what `choose` and `over` make of two sums."""
        terms = [self.term()]
        while self.at(Lexeme.SIGN, "+", "-"):
            minus = self.expect(Lexeme.SIGN) == "-"
            terms.append(neg(self.term()) if minus else self.term())
        if self.take(Lexeme.COMMAND, "choose"):
            return Apply(Op.BINOMIAL, (add(*terms), self.deeper(self.sum)))
        if self.take(Lexeme.COMMAND, "over"):
            return div(add(*terms), self.deeper(self.sum))
        return add(*terms)

    def term(self) -> Node:
        """Factors with `*`, `/` or nothing between them; with `mod`, products on both sides."""
        factors = [self.unary()]
        while True:
            if self.take(Lexeme.SIGN, "*"):
                factors.append(self.unary())
            elif self.take(Lexeme.SIGN, "/"):
                factors.append(div(ONE, self._denominator()))
            elif self.take(Lexeme.COMMAND, "bmod"):
                return Apply(Op.MOD, (mul(*factors), self.deeper(self.term)))
            elif self.starts_factor():
                factors.append(self.power())
            else:
                return mul(*factors)

    def unary(self) -> Node:
        """A power with signs before it."""
        minus = False
        while self.at(Lexeme.SIGN, "+", "-"):
            minus ^= self.expect(Lexeme.SIGN) == "-"
        return neg(self.power()) if minus else self.power()

    def starts_factor(self) -> bool:
        """Whether a factor comes without a sign before it."""
        if self.at(Lexeme.NUMBER):
            last = self._tokens[self._at - 1]
            closed = last.lexeme is Lexeme.SIGN and last.text in (")", "}", "]", "!")
            power = last.lexeme is Lexeme.SYMBOL and self.at(Lexeme.SIGN, "^", ahead=1)
            raised = self._at == self._raised and last.lexeme is not Lexeme.NUMBER
            return closed or power or raised
        if self.at(Lexeme.SYMBOL):
            ends = self.integrals and self.at(Lexeme.SYMBOL, "d")
            return not (ends and self.at(Lexeme.SYMBOL, ahead=1))
        if self.at(Lexeme.COMMAND):
            return not self.at(Lexeme.COMMAND, *_NO_FACTORS)
        if self.at(Lexeme.SIGN, "|"):
            return not self._bars
        return self.at(Lexeme.FUNCTION) or self.at(Lexeme.SIGN, "(", "[", "{", "|(")

    def _denominator(self) -> Node:
        """What a slash divides by: one factor, or letters side by side."""
        lettered = self.at(Lexeme.SYMBOL) and not self.at(Lexeme.SYMBOL, "pi")
        node = self.unary()
        while lettered and self.at(Lexeme.SYMBOL) and self.starts_factor():
            node = mul(node, self.power())
        return node

    def power(self) -> Node:
        """A factor with its exponent."""
        base = self._postfix(self.primary())
        if not self.take(Lexeme.SIGN, "^"):
            return base
        raised = power(base, self.exponent())
        self._raised = self._at
        return self._postfix(raised)

    def exponent(self) -> Node:
        """What stands after `^`: a group, or one signed power."""
        return self.deeper(self.unary)

    def _postfix(self, node: Node) -> Node:
        for _ in range(3):
            if self.take(Lexeme.SIGN, "!"):
                double = self.take(Lexeme.SIGN, "!")
                node = Apply(Op.DOUBLE_FACTORIAL if double else Op.FACTORIAL, (node,))
            elif self.take(Lexeme.SIGN, "°"):
                node = mul(node, _DEGREE)
            elif self.take(Lexeme.SIGN, "%"):
                node = mul(node, _HUNDREDTH)
            else:
                return node
        raise Unreadable("!")

    def primary(self) -> Node:
        """A number, symbol, bracket, function or command, without what stands behind it."""
        if self.at(Lexeme.NUMBER):
            return number(self)
        if self.at(Lexeme.SYMBOL):
            return self._symbol()
        if self.at(Lexeme.FUNCTION):
            return self.deeper(lambda: function(self, self.expect(Lexeme.FUNCTION)))
        if self.at(Lexeme.COMMAND, *COMMANDS):
            return self.deeper(lambda: COMMANDS[self.expect(Lexeme.COMMAND)](self))
        if self.at(Lexeme.SIGN, "|", "|("):
            return self.deeper(self._absolute)
        return self.group()

    def _symbol(self) -> Node:
        name = self.expect(Lexeme.SYMBOL)
        called = name[0] in "fg" and name.strip("'")[1:] == "" and self.at(Lexeme.SIGN, "(")
        return Apply(Op.CALL, (Symbol(name), *self.arguments())) if called else Symbol(name)

    def _absolute(self) -> Node:
        plain = self.expect(Lexeme.SIGN) == "|"
        bars, self._bars = self._bars, int(plain)
        node = self.sum()
        self._bars = bars
        self.expect(Lexeme.SIGN, "|" if plain else "|)")
        return Apply(Op.ABS, (node,))

    def group(self) -> Node:
        """A bracketed expression. Bars outside do not end inside it."""
        return self.deeper(lambda: self._bracketed(self.sum))

    def arguments(self) -> tuple[Node, ...]:
        """Expressions in brackets with commas between them."""
        found: list[Node] = []

        def listed() -> Node:
            found.append(self.sum())
            while self.take(Lexeme.SIGN, ","):
                found.append(self.sum())
            return found[0]

        self.deeper(lambda: self._bracketed(listed))
        return tuple(found)

    def _bracketed(self, inside: Callable[[], Node]) -> Node:
        opening = self.expect(Lexeme.SIGN, *_CLOSERS)
        bars, self._bars = self._bars, 0
        node = inside()
        self._bars = bars
        self.expect(Lexeme.SIGN, _CLOSERS[opening])
        return node

    def deeper(self, parse: Callable[[], Node]) -> Node:
        """Parse one level further down. Raises TooBig where there are too many."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise TooBig("depth")
        node = parse()
        self._depth -= 1
        return node
