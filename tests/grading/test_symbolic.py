r"""Laws of the way to sympy: the same value, nothing computed on the way, real odd roots."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from labeler.grading.exact import Budget, exact
from labeler.grading.points import exactly
from labeler.grading.symbolic import to_sympy, written_out
from labeler.grading.tokens import Unreadable
from labeler.grading.tree import Apply, Node, Number, Op, Symbol, free_symbols
from tests.grading.trees import agree, expressions, number, polynomials, rationals, tree

BUDGET = Budget(bits=4096, steps=10_000)


@given(rationals() | polynomials() | expressions())
def test_every_tree_has_a_sympy_expression_with_the_same_variables(node: Node) -> None:
    made = to_sympy(node)
    assert {symbol.name for symbol in made.free_symbols} == free_symbols(node)
    assert all(symbol.is_real for symbol in made.free_symbols)


@given(polynomials(), polynomials())
def test_polynomials_keep_their_value(one: Node, other: Node) -> None:
    """Expanded by sympy, a difference is zero exactly where it is at points."""
    same = sympy.expand(to_sympy(one).doit() - to_sympy(other).doit()) == 0
    assert agree(one, other, exactly(BUDGET)) is same


@given(polynomials(), st.integers(-5, 5), st.integers(-5, 5))
def test_a_short_sum_is_written_out(body: Node, first: int, last: int) -> None:
    for op in (Op.SUM, Op.PRODUCT):
        node = Apply(op, (body, Symbol("k"), number(first), number(last)))
        made = to_sympy(node)
        assert not made.has(sympy.Sum, sympy.Product)
        plain = getattr(sympy, op.value)(
            to_sympy(body), (sympy.Symbol("k", real=True), first, last)
        )
        assert sympy.expand(made.doit() - plain.doit()) == 0 or last < first


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    ["9^{9^{9^{9}}}", "10^{10^{10}}", "(10^9)!", "((10)!)!", "\\binom{10^{9}}{10^8}",
     "2^{2^{2^{2^{2^2}}}}", "\\sin(10^{10^{10}})", "\\sqrt{2^{10^{9}}}",
     "\\lfloor 2^{10^9}\\rfloor", "x^{10^{10}}", "\\max(2^{10^{9}}, 3^{10^{9}})",
     "2^{10^{9}} mod 7", "|2^{10^9}|", "\\ln(2^{10^{9}})", "(x+y)^{10^6}", "\\sqrt[3]{9^{9^9}}",
     "\\sqrt[3]{-(9^{9^9})}"]
)  # fmt: skip
def test_nothing_is_computed_on_the_way(text: str) -> None:
    assert to_sympy(tree(text)) is not None


@given(st.integers(-30, 30).filter(bool), st.sampled_from([3, 5, 7]), st.integers(-3, 3))
def test_odd_roots_are_real_without_the_imaginary_unit(n: int, degree: int, times: int) -> None:
    exponent = Number(Fraction(times, degree))
    made = to_sympy(Apply(Op.POW, (number(n**degree), exponent))).doit()
    assert sympy.nsimplify(made - sympy.Integer(n) ** times) == 0 or exponent.value.denominator == 1


def test_they_are_principal_with_it() -> None:
    principal = to_sympy(tree("i+(-8)^{1/3}")).doit()
    assert abs(complex(principal) - complex(1, 3**0.5 + 1)) < 1e-12
    assert complex(to_sympy(tree("(-8)^{1/3}")).doit()) == -2


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("\\log_2 8", 3),
        ("\\lfloor 7/2\\rfloor", 3),
        ("\\lceil 7/2\\rceil", 4),
        ("5!", 120),
        ("5!!", 15),
        ("\\binom{5}{2}", 10),
        ("17 mod 5", 2),
        ("\\max(2,3,1)", 3),
        ("\\min(2,3,1)", 1),
        ("|3-5|", 2),
        ("\\int_0^1 6x^2 dx", 2),
        ("\\lim_{x\\to 0} \\frac{\\sin x}{x}", 1),
        ("\\lim_{n\\to\\infty} \\frac{2n+1}{n}", 2),
        ("\\sum_{k=0}^{\\infty} 2^{-k}", 2),
        ("\\prod_{k=1}^{4} k", 24),
        ("e^{i\\pi}", -1),
        ("\\arcsin 1+\\arccos 1", sympy.pi / 2),
        ("\\cosh^2 1-\\sinh^2 1", 1),
    ],
)
def test_constructs_have_their_value(text: str, wanted: object) -> None:
    made = to_sympy(tree(text))
    assert sympy.simplify(made.doit() - wanted) == 0


def test_unknown_functions_stay_functions() -> None:
    assert to_sympy(tree("f(x)+1")).has(sympy.Function("f"))


def test_what_sympy_has_no_node_for_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        to_sympy(tree("\\gcd(x,y)"))


def test_only_short_finite_sums_are_written_out() -> None:
    for text in ("\\sum_{k=1}^{n} k", "\\sum_{k=1}^{\\infty} k", "\\sum_{k=1}^{10^{9}} k"):
        node = tree(text)
        assert isinstance(node, Apply)
        assert written_out(node) is None
    node = tree("\\sum_{k=1}^{100} k^2")
    assert isinstance(node, Apply)
    terms = written_out(node)
    assert terms is not None
    assert exact(terms, BUDGET) == exact(node, BUDGET) == 338350
