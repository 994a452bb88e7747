r"""Laws of exact arithmetic: it is sympy's value, and what is too big is never begun."""

import math
import operator
from fractions import Fraction
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.grading.exact import MAX_TERMS, Budget, exact
from labeler.grading.points import bind
from labeler.grading.symbolic import to_sympy
from labeler.grading.tokens import TooBig
from labeler.grading.tree import Apply, Node, Number, Op, Symbol, add, mul, power
from tests.grading.trees import VARIABLES, number, polynomials, rationals, tree

BUDGET = Budget(bits=4096, steps=20_000)
SMALL = st.integers(-8, 8)


def value(node: Node) -> Fraction | None:
    return exact(node, BUDGET)


def by_sympy(node: Node) -> Fraction | None:
    found = to_sympy(node).doit()
    if found.has(*_NO_VALUES()):
        return None
    assert found.is_Rational, found
    return Fraction(int(found.p), int(found.q))


def _NO_VALUES() -> tuple[object, ...]:  # noqa: N802
    import sympy

    return (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo)


@given(rationals())
def test_a_rational_tree_has_the_value_that_sympy_gives(node: Node) -> None:
    try:
        found = value(node)
    except ZeroDivisionError:
        assert by_sympy(node) is None
    else:
        assert found == by_sympy(node)


@given(polynomials(), st.lists(st.fractions(-9, 9, max_denominator=9), min_size=3, max_size=3))
def test_a_polynomial_at_a_point_has_its_value(node: Node, at: list[Fraction]) -> None:
    point: dict[str, Node] = {v.name: Number(x) for v, x in zip(VARIABLES, at, strict=True)}
    assert value(bind(node, point)) == by_sympy(bind(node, point))


@given(polynomials(), SMALL, SMALL)
def test_a_sum_or_product_is_that_of_its_terms(body: Node, first: int, last: int) -> None:
    body = bind(body, {"x": number(2), "y": number(Fraction(1, 3))})
    terms = [value(bind(body, {"k": number(k)})) or Fraction(0) for k in range(first, last + 1)]
    for op, join, start in ((Op.SUM, operator.add, 0), (Op.PRODUCT, operator.mul, 1)):
        node = Apply(op, (body, Symbol("k"), number(first), number(last)))
        assert value(node) == reduce(join, terms, Fraction(start))


@given(st.integers(0, 60), st.integers(0, 70))
def test_counting_is_that_of_the_library(n: int, k: int) -> None:
    assert value(Apply(Op.FACTORIAL, (number(n),))) == math.factorial(n)
    assert value(Apply(Op.BINOMIAL, (number(n), number(k)))) == math.comb(n, k)
    assert value(Apply(Op.DOUBLE_FACTORIAL, (number(n),))) == math.prod(range(n, 0, -2))


@given(st.integers(-99, 99), st.integers(0, 10**30), st.integers(1, 10**9))
def test_a_power_modulo_needs_no_power(base: int, exponent: int, modulus: int) -> None:
    node = Apply(Op.MOD, (power(number(base), number(exponent)), number(modulus)))
    assert value(node) == pow(base, exponent, modulus)


@given(st.lists(st.integers(-99, 99), min_size=1, max_size=4))
def test_divisors_and_extremes(values: list[int]) -> None:
    args = tuple(map(number, values))
    for op, wanted in (
        (Op.GCD, math.gcd(*values)),
        (Op.LCM, math.lcm(*values)),
        (Op.MAX, max(values)),
        (Op.MIN, min(values)),
    ):
        assert value(Apply(op, args)) == wanted


@given(st.fractions(-99, 99, max_denominator=30), st.integers(1, 7), st.integers(-3, 3))
def test_roots_of_perfect_powers(root: Fraction, degree: int, times: int) -> None:
    """Odd roots of negative numbers are real and negative, even ones are not rational."""
    if root == 0 and times <= 0:
        return
    exponent = number(Fraction(times, degree))
    found = value(power(number(root**degree), exponent))
    taken = abs(root) if degree % 2 == 0 else root
    lowest = Fraction(times, degree).denominator
    if lowest == degree or root > 0:
        assert found == taken**times
    elif found is not None:
        assert found**lowest == (root**degree) ** Fraction(times, degree).numerator


@given(st.integers(2, 10**6), st.integers(2, 5))
def test_a_root_is_given_only_where_it_is_rational(n: int, degree: int) -> None:
    found = value(power(number(n), number(Fraction(1, degree))))
    assert found is None or found**degree == n
    assert (found is None) is (round(n ** (1 / degree)) ** degree != n)


@given(st.fractions(-99, 99), st.fractions(-99, 99).filter(bool))
def test_remainders_and_rounding(top: Fraction, bottom: Fraction) -> None:
    assert value(Apply(Op.MOD, (number(top), number(bottom)))) == top % bottom
    assert value(Apply(Op.FLOOR, (number(top),))) == math.floor(top)
    assert value(Apply(Op.CEILING, (number(top),))) == math.ceil(top)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        "9^{9^{9^{9}}}", "2^{10^{9}}", "2^{-10^{9}}", "(2/3)^{10^9}", "10^{10^{10}}", "(10^9)!",
        "100000000!", "(10^9)!!", "((50)!)!", "\\binom{10^6}{5\\cdot 10^5}", "\\binom{10^9}{10^8}",
        "\\sum_{k=1}^{10^{12}} k", "\\prod_{k=1}^{10^9} 2", "\\prod_{k=1}^{2000} 10^{100}",
        "\\sum_{k=1}^{2000} k^{k}", "\\sum_{a=1}^{2000}\\sum_{b=1}^{2000} ab",
        "\\prod_{a=1}^{2000}\\sum_{b=1}^{2000} 1",
        "\\sum_{a=1}^{2000}\\sum_{b=1}^{2000}\\sum_{c=1}^{2000} 0",
        "(10^{10^{9}}) mod 7.5", "\\lfloor 2^{10^{9}}/3 \\rfloor", "\\gcd(2^{10^9}, 6^{10^9})",
        "|{-2}^{10^9}|", "\\sqrt{2^{10^{9}}}", "(1+10^{-9})^{10^9}", "2^{2^{2^{2^{2^2}}}}",
    ],
)  # fmt: skip
def test_what_is_too_big_is_never_begun(text: str) -> None:
    """Each of these could not be computed in any time."""
    with pytest.raises(TooBig):
        value(tree(text))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1^{10^{100}}", 1),
        ("(-1)^{10^{100}+1}", -1),
        ("0^{10^{100}}", 0),
        ("7^{10^{100}} mod 13", 9),
        ("2^{10^{500}} mod 1", 0),
        ("\\binom{10^{100}}{1}", 10**100),
        ("\\binom{10^{9}}{10^9-1}", 10**9),
        ("(-8)^{1/3}", -2),
        ("\\sqrt[3]{-27/8}", Fraction(-3, 2)),
        ("8^{-2/3}", Fraction(1, 4)),
        ("\\sqrt[5]{-32}", -2),
        ("\\sqrt{\\frac{49}{4}}", Fraction(7, 2)),
        ("\\sqrt{\\sqrt{16}}", 2),
        ("\\sum_{k=5}^{4} k", 0),
        ("\\prod_{k=5}^{4} k", 1),
        (f"\\sum_{{k=1}}^{{{MAX_TERMS}}} 1", MAX_TERMS),
        ("\\sum_{k=1}^{3}\\sum_{j=1}^{k} j", 10),
        ("-7 mod 3", 2),
        ("(-7) mod 3", 2),
    ],
)
def test_what_is_small_in_the_end(text: str, wanted: Fraction | int) -> None:
    assert value(tree(text)) == wanted


@pytest.mark.parametrize(
    "text",
    ["x", "\\pi", "i", "\\infty", "\\sqrt{2}", "\\sqrt{-4}", "(-1)^{1/2}", "\\sin 0", "e^0", "x-x",
     "\\sum_{k=1}^{\\infty} 1", "\\sum_{k=1}^{n} 1", "\\frac12!", "(-3)!", "\\gcd(1/2, 3)",
     "\\sum_{k=1}^{1/2} k", "f(2)", "2^{\\sqrt{2}}", "\\int_0^1 2 dx"]
)  # fmt: skip
def test_what_is_not_known_to_be_rational(text: str) -> None:
    assert value(tree(text)) is None


@pytest.mark.parametrize("text", ["1/(1-1)", "(2-2)^{-3}", "5 mod (1-1)", "0^{-1/3}"])
def test_what_has_no_value(text: str) -> None:
    with pytest.raises(ZeroDivisionError):
        value(tree(text))


@given(rationals(), st.integers(4, 400))
def test_a_smaller_budget_only_refuses(node: Node, bits: int) -> None:
    try:
        wanted = value(node)
        found = exact(node, Budget(bits, BUDGET.steps))
    except (TooBig, ZeroDivisionError):
        return
    assert found == wanted


def test_steps_are_counted_over_the_whole_tree() -> None:
    inner = Apply(Op.SUM, (number(1), Symbol("k"), number(1), number(100)))
    assert value(add(inner, inner)) == 200
    with pytest.raises(TooBig):
        exact(mul(*[power(inner, number(k)) for k in range(2, 9)]), Budget(bits=4096, steps=500))
