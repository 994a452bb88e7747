r"""Spellings of trees: LaTeX and plain text, few brackets or many, signs or none.

`spell(tree, style)` writes a tree; what it writes has the tree's meaning by the precedence rules
of parser.py and by nothing else. A subtraction is a negative term, a quotient a power -1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from labeler.grading.tree import MINUS_ONE, PI, Apply, Node, Number, Op, Symbol
from tests.grading.trees import number

_NAMES = {Op.ASIN: "arcsin", Op.ATAN: "arctan", Op.LOG: "ln", Op.ABS: "abs"}


@dataclass(frozen=True, slots=True)
class Style:
    """A way of writing."""

    latex: bool
    full: bool
    """Brackets round everything, or only where the precedence rules need them."""
    sign: str
    """Between factors; empty where it may be left out."""
    slash: bool
    """Quotients with a slash, not with `\\frac`."""
    caret: str = "^"


STYLES = tuple(
    Style(latex, full, sign, slash, caret)
    for latex, full, slash in product((True, False), repeat=3)
    for sign, caret in (
        ((" \\cdot ", "^"), ("", "^"), ("\\times ", "^"))
        if latex
        else (("*", "**"), (" * ", "^"), ("", "^"))
    )
    if latex or slash
)

_LOOSE, _SUM, _TERM, _UNARY, _POWER, _TIGHT = range(6)
"""How tightly a text holds together: what may stand in it without brackets."""


def spell(node: Node, style: Style) -> str:
    """The tree as text."""
    return _Speller(style).text(node, _LOOSE)


class _Speller:
    def __init__(self, style: Style) -> None:
        self.style = style

    def text(self, node: Node, least: int) -> str:
        """A node as part of what binds its parts at least so tightly."""
        text, tightness = self._written(node)
        wanted = _TIGHT if self.style.full and least > _LOOSE else least
        return text if tightness >= wanted else self._bracketed(text)

    def _bracketed(self, text: str) -> str:
        return f"\\left({text}\\right)" if self.style.latex else f"({text})"

    def _written(self, node: Node) -> tuple[str, int]:
        if isinstance(node, Number):
            return self._number(node.value)
        if isinstance(node, Symbol):
            latex = self.style.latex and node == PI
            return (f"\\{node.name} " if latex else node.name), _TIGHT
        if node.op is Op.ADD:
            return self._sum(node.args), _SUM
        if node.op is Op.MUL:
            return self._product(node.args)
        if node.op is Op.POW:
            return self._power(*node.args)
        return self._function(node), _TIGHT

    def _number(self, value: Fraction) -> tuple[str, int]:
        sign, size = "-" if value < 0 else "", abs(value)
        if size.denominator == 1:
            return f"{sign}{size}", _SUM if sign else _TIGHT
        if self.style.slash:
            return f"{sign}{size.numerator}/{size.denominator}", _SUM if sign else _TERM
        text = f"{sign}\\frac{{{size.numerator}}}{{{size.denominator}}}"
        return text, _SUM if sign else _POWER

    def _sum(self, terms: Iterable[Node]) -> str:
        text = ""
        for term in terms:
            written = self.text(term, _SUM)
            text += written if not text or written.startswith("-") else f"+{written}"
        return text

    def _product(self, factors: Iterable[Node]) -> tuple[str, int]:
        top, bottom = list[Node](), list[Node]()
        for factor in factors:
            below = isinstance(factor, Apply) and factor.op is Op.POW
            if below and factor.args[1] == MINUS_ONE:  # type: ignore[union-attr]
                bottom.append(factor.args[0])  # type: ignore[union-attr]
            else:
                top.append(factor)
        sign = ""
        if top and isinstance(top[0], Number) and top[0].value < 0:
            sign = "-"
            top = [number(-top[0].value), *top[1:]] if top[0] != MINUS_ONE else top[1:]
        text = self._factors(top) or "1"
        if not bottom:
            return sign + text, _SUM if sign else _TERM
        if self.style.slash:
            below_ = [self.text(factor, _TIGHT) for factor in bottom]
            return sign + "/".join([text, *map(self._fenced, below_)]), _SUM if sign else _TERM
        below_ = [self._factors(bottom)]
        return f"{sign}\\frac{{{text}}}{{{below_[0]}}}", _SUM if sign else _POWER

    def _fenced(self, text: str) -> str:
        """A divisor in brackets: what follows a slash is read by rules of its own."""
        return text if text.isdigit() or text.startswith(("(", "\\left(")) else f"({text})"

    def _factors(self, factors: list[Node]) -> str:
        texts = [
            self.text(factor, _POWER if self.style.sign == "" else _UNARY) for factor in factors
        ]
        out = ""
        for text in texts:
            if out and not self.style.sign:
                apart = (
                    text[0].isdigit() or out[-1].isalpha() or text.startswith(("\\frac", "\\left|"))
                )
                out += self._bracketed(text) if apart else text
            else:
                out += (self.style.sign if out else "") + text
        return out

    def _power(self, base: Node, exponent: Node) -> tuple[str, int]:
        if exponent == number(Fraction(1, 2)) and self.style.latex:
            return f"\\sqrt{{{self.text(base, _LOOSE)}}}", _TIGHT
        if exponent == number(Fraction(1, 3)) and self.style.latex:
            return f"\\sqrt[3]{{{self.text(base, _LOOSE)}}}", _TIGHT
        if exponent == MINUS_ONE and self.style.latex and not self.style.slash:
            return f"\\frac{{1}}{{{self.text(base, _LOOSE)}}}", _POWER
        below = self.text(base, _TIGHT)
        if self.style.latex:
            return f"{below}^{{{self.text(exponent, _LOOSE)}}}", _POWER
        return f"{below}{self.style.caret}{self.text(exponent, _TIGHT)}", _POWER

    def _function(self, node: Apply) -> str:
        inside = ",".join(self.text(arg, _LOOSE) for arg in node.args)
        if self.style.latex and node.op in (Op.ABS, Op.FLOOR, Op.CEILING):
            marks = {Op.ABS: "|", Op.FLOOR: "floor", Op.CEILING: "ceil"}[node.op]
            if marks == "|":
                return f"\\left|{inside}\\right|"
            return f"\\left\\l{marks} {inside} \\right\\r{marks} "
        name = _NAMES.get(node.op, {Op.CEILING: "ceil"}.get(node.op, node.op.value.lower()))
        return f"\\{name}({inside})" if self.style.latex else f"{name}({inside})"
