r"""Laws of the parser: what is written in any style is read back, and the precedence rules.

`spell` writes a random tree in LaTeX or plain text with few brackets or many; sympy's own
printers write what sympy computes. The rules are those of parser.py, one table each.
"""

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from labeler.grading.normalise import normalise
from labeler.grading.parser import MAX_DEPTH, parse
from labeler.grading.symbolic import to_sympy
from labeler.grading.tokens import TooBig, Unreadable
from labeler.grading.tree import Node, Relation
from tests.grading.spelled_trees import STYLES, Style, spell
from tests.grading.trees import expressions, form, number, polynomials, rationals, tree

TREES = (polynomials() | rationals() | expressions()).filter(lambda node: form(node) is not None)
POINT = {"x": sympy.Rational(7, 10), "y": sympy.Rational(13, 10), "k": sympy.Integer(2)}

_UNWRITTEN = (sympy.zoo, sympy.nan, sympy.oo, sympy.I, sympy.re, sympy.im)


def same(one: str, other: str) -> bool:
    return form(tree(one)) == form(tree(other))


@given(TREES, st.sampled_from(STYLES))
def test_a_tree_in_any_spelling_is_read_back(node: Node, style: Style) -> None:
    assert form(tree(spell(node, style))) == form(node)


@given(TREES, st.sampled_from(STYLES))
def test_normal_spelling_changes_no_meaning(node: Node, style: Style) -> None:
    text = normalise(spell(node, style))
    assert normalise(text) == text
    assert form(tree(f"\\displaystyle {text}")) == form(tree(f"({text})")) == form(node)


@given(expressions(thirds=False))
def test_what_sympy_prints_is_read_with_the_value_that_sympy_gives(node: Node) -> None:
    made = to_sympy(node).doit()
    wanted = _value(made)
    if wanted is None or made.has(*_UNWRITTEN):
        return
    plain = str(made).replace("E", "e").replace("Abs", "abs")
    for text in (sympy.latex(made), plain, sympy.latex(made, mul_symbol="dot")):
        read = _value(to_sympy(tree(text)))
        assert read is not None, text
        assert abs(read - wanted) <= abs(wanted) * 1e-12 + 1e-12, text


def _value(made: sympy.Expr) -> complex | None:
    bound = made.subs({symbol: POINT[symbol.name] for symbol in made.free_symbols})
    found = bound.evalf(30)
    return complex(found) if found.is_number and found.is_finite else None


RULES = {
    "sums and products, from left to right": [
        ("a-b-c", "(a-b)-c", "a-(b-c)"),
        ("a-b+c", "(a-b)+c", "a-(b+c)"),
        ("a+bc", "a+(bc)", "(a+b)c"),
        ("a/b/c", "(a/b)/c", "a/(b/c)"),
        ("a/b*c", "(a/b)*c", "a/(b*c)"),
        ("a\\div b\\cdot c", "(a/b)c", "a/(bc)"),
        ("a*b mod c", "(a*b) mod c", "a*(b mod c)"),
        ("7+10 mod 3", "7+(10 mod 3)", "(7+10) mod 3"),
    ],
    "a sign is looser than a power": [
        ("-2^2", "-(2^2)", "(-2)^2"),
        ("-x^2", "-(x^2)", "(-x)^2"),
        ("2^-1", "1/2", "-2"),
        ("x^-y", "x^{-y}", "-x^y"),
        ("x*-y", "-(x*y)", "x-y"),
        ("--x", "x", "-x"),
        ("-x!", "-(x!)", "(-x)!"),
    ],
    "powers from right to left": [
        ("2^3^2", "2^{3^2}", "(2^3)^2"),
        ("x^y^k", "x^{y^k}", "(x^y)^k"),
        ("2**3**2", "2^{9}", "2^{6}"),
        ("2x^2", "2(x^2)", "(2x)^2"),
        ("x^2y", "(x^2)y", "x^{2y}"),
        ("x^{2}y", "(x^2)y", "x^{2y}"),
        ("e^2x", "(e^2)x", "e^{2x}"),
        ("\\sqrt{x}^3", "(\\sqrt{x})^3", "\\sqrt{x^3}"),
    ],
    "marks behind bind tightest": [
        ("2x!", "2(x!)", "(2x)!"),
        ("2^3!", "2^{3!}", "(2^3)!"),
        ("3!^2", "(3!)^2", "3!"),
        ("2x!!", "2(x!!)", "2(x!)!"),
        ("3x°", "3x\\pi/180", "3x"),
        ("50%x", "x/2", "50x"),
    ],
    "a product needs no sign": [
        ("2x(y+1)", "2*x*(y+1)", "2x*y+1"),
        ("(x+1)(x-1)", "(x+1)*(x-1)", "x+1-1"),
        ("2\\sqrt{3}x", "2*\\sqrt{3}*x", "2\\sqrt{3x}"),
        ("\\frac{1}{2}x", "x/2", "1/(2x)"),
        ("\\frac{1}{2}3", "3/2", "1/6"),
        ("3|x|", "3*|x|", "3x"),
        ("|x||y|", "|x|*|y|", "|xy|"),
        ("(2)3", "6", "5"),
        ("2\\pi r", "2*\\pi*r", "2+\\pi r"),
    ],
    "a whole number and a fraction are mixed": [
        ("1\\frac{1}{4}", "5/4", "1/4"),
        ("-1\\frac{1}{4}", "-5/4", "-3/4"),
        ("2 3/4", "11/4", "6/4"),
        ("x\\frac{1}{4}", "x/4", "x+1/4"),
        ("2\\frac{x}{4}", "x/2", "2+x/4"),
        ("2\\cdot\\frac{1}{4}", "1/2", "9/4"),
        ("1\\frac{1}{4}x", "5x/4", "x/4"),
    ],
    "after a slash": [
        ("1/2x", "x/2", "1/(2x)"),
        ("1/xy", "1/(xy)", "y/x"),
        ("1/xy^2", "1/(xy^2)", "y^2/x"),
        ("x/2y", "xy/2", "x/(2y)"),
        ("\\pi/2x", "\\pi x/2", "\\pi/(2x)"),
        ("1/2\\sqrt{3}", "\\sqrt{3}/2", "1/(2\\sqrt{3})"),
        ("1/x(y+1)", "(1/x)(y+1)", "1/(x(y+1))"),
        ("1/x\\cdot y", "y/x", "1/(xy)"),
    ],
    "a function without brackets": [
        ("\\sin 2x\\cos y", "\\sin(2x)*\\cos(y)", "\\sin(2x\\cos(y))"),
        ("\\sin x+1", "\\sin(x)+1", "\\sin(x+1)"),
        ("\\sin x^2", "\\sin(x^2)", "(\\sin(x))^2"),
        ("\\sin(x)^2", "(\\sin(x))^2", "\\sin(x^2)"),
        ("\\sin^2 x", "(\\sin(x))^2", "\\sin(x^2)"),
        ("\\sin^2(x)y", "(\\sin(x))^2*y", "(\\sin(xy))^2"),
        ("\\sin^{-1} x", "\\arcsin(x)", "1/\\sin(x)"),
        ("\\sin \\frac{\\pi}{6}", "\\sin(\\pi/6)", "\\sin(\\pi)/6"),
        ("\\sin \\pi/6", "\\sin(\\pi/6)", "\\sin(\\pi)/6"),
        ("\\sin x(y+1)", "\\sin(x)*(y+1)", "\\sin(x(y+1))"),
        ("2\\sin 3x", "2*\\sin(3x)", "\\sin(6x)"),
        ("\\ln 2x", "\\ln(2x)", "x\\ln(2)"),
        ("\\sin 30°", "\\sin(\\pi/6)", "\\sin(30)"),
        ("\\tan -x", "\\tan(-x)", "-x"),
        ("sin x cos y", "sin(x)*cos(y)", "sin(x*cos(y))"),
    ],
    "logarithms": [
        ("\\log x", "\\ln x", "\\log_{10} x"),
        ("\\log_2 8", "\\log_{2}(8)", "\\log 16"),
        ("\\lg x", "\\log_{10} x", "\\ln x"),
        ("\\log_2 x^2", "\\log_2(x^2)", "(\\log_2 x)^2"),
        ("\\log_2^2 x", "(\\log_2 x)^2", "\\log_2(x^2)"),
        ("\\log_{x}(y)", "\\log_x y", "\\log_y x"),
    ],
    "roots, bars and other brackets": [
        ("\\sqrt[3]{x}y", "x^{1/3}y", "(xy)^{1/3}"),
        ("sqrt(x)y", "x^{1/2}*y", "(xy)^{1/2}"),
        ("\\sqrt 2x", "x\\sqrt{2}", "\\sqrt{2x}"),
        ("|x-1|+|x+1|", "abs(x-1)+abs(x+1)", "abs(x-1+abs(x+1))"),
        ("||x|-1|", "abs(abs(x)-1)", "abs(x-1)"),
        ("\\lfloor x/2 \\rfloor+1", "floor(x/2)+1", "floor(x/2+1)"),
        ("[x+1]y", "(x+1)y", "x+y"),
        ("{5 \\choose 2}", "\\binom{5}{2}", "5*2"),
        ("\\exp(x)y", "e^x*y", "e^{xy}"),
    ],
    "sums take the product that follows": [
        ("\\sum_{k=1}^{3} kx+1", "(\\sum_{k=1}^{3} (kx))+1", "\\sum_{k=1}^{3} (kx+1)"),
        ("\\sum_{k=1}^3 k", "\\sum_{k=1}^{3} k", "\\sum_{k=1}^{3} 3"),
        ("2\\prod_{k=1}^{3} k", "2(\\prod_{k=1}^{3} k)", "\\prod_{k=1}^{3} 2k"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "meant", "other"), [row for rows in RULES.values() for row in rows]
)
def test_the_rules(text: str, meant: str, other: str) -> None:
    assert same(text, meant)
    assert not same(text, other)


@pytest.mark.parametrize(
    "text",
    ["", "2 3", "x 2", "1 2/3 4", "(x", "x)", "(x]", "|x", "x+", "*x", "x**", "2^", "^2",
     "{}", "()", "\\frac{1}", "\\frac{1}{0}", "1/0", "\\sqrt", "\\binom{1}", "\\sum k", "\\sin",
     "\\int x dx", "x<", "x=", "=x", "x==y", "\\sin_2 x", "\\ln^{-1} x", "x,y", "\\lfloor x",
     "\\begin{vmatrix}1&2\\end{vmatrix}", "1/(2", "x!!!!!!!!"]
)  # fmt: skip
def test_what_is_not_written_right_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        parse(normalise(text))


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("2x+y=3", ["2x+y", "3"]),
        ("1<x\\le 5", ["1", "x", "5"]),
        ("x \\ge -2", ["x", "-2"]),
        ("a=b=c", ["a", "b", "c"]),
        ("|x|<2", ["|x|", "2"]),
        ("x\\neq 0", ["x", "0"]),
    ],
)
def test_a_relation_has_sides_and_signs_between_them(text: str, sides: list[str]) -> None:
    found = parse(normalise(text))
    assert isinstance(found, Relation)
    assert list(found.sides) == list(map(tree, sides))
    assert len(found.signs) == len(sides) - 1


@pytest.mark.parametrize(
    ("left", "right"),
    [("(", ")"), ("\\sqrt{", "}"), ("\\frac{1}{", "}"), ("|", "|"), ("\\sin(", ")"), ("2^{", "}"),
     ("-(", ")"), ("\\lfloor ", "\\rfloor ")]
)  # fmt: skip
def test_depth_is_bounded(left: str, right: str) -> None:
    assert tree(left * 15 + "x" + right * 15)
    for depth in (MAX_DEPTH + 1, 400):
        with pytest.raises(TooBig):
            parse(left * depth + "x" + right * depth)


def test_long_chains_are_no_depth() -> None:
    assert tree("+".join("x" * 500))
    assert tree("-" * 1000 + "5") == number(5)
    with pytest.raises(TooBig):
        parse("^".join("2" * 500))


def test_a_determinant_is_written_out() -> None:
    assert same("\\begin{vmatrix}a&b\\\\c&k\\end{vmatrix}", "ak-bc")
