r"""Laws of the budget: what is refused could not be evaluated, what is accepted is."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.grading.budget import MAX_INNER_BITS, afford
from labeler.grading.evaluate import real_value
from labeler.grading.points import bind
from labeler.grading.tokens import TooBig
from labeler.grading.tree import Apply, Node, Number, Op, add, mul, power, walk
from tests.grading.trees import VARIABLES, expressions, number, rationals, tree

_TAME = (Op.ADD, Op.MUL, Op.ABS, Op.SIN, Op.COS)
VALUES = st.fractions(min_value=-9, max_value=9, max_denominator=30)


@given(rationals() | expressions(), st.lists(VALUES, min_size=3, max_size=3))
def test_small_expressions_are_afforded_or_refused_but_never_run_on(
    node: Node, at: list[Fraction]
) -> None:
    point: dict[str, Node] = {v.name: Number(x) for v, x in zip(VARIABLES, at, strict=True)}
    bound = bind(node, point)
    try:
        afford(bound)
        real_value(bound)
    except TooBig:
        assert any(isinstance(part, Apply) and part.op not in _TAME for part in walk(bound))


@given(rationals())
def test_rational_arithmetic_on_small_numbers_is_afforded(node: Node) -> None:
    afford(node)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    ["2^{100000}", "10^{10^{10}}", "e^{1000}", "\\pi^{10^{100}}", "(10^{12})!",
     "\\binom{10^{9}}{10^8}", "\\sin(10^{100})", "\\sqrt{2^{10^{6}}}",
     "\\sum_{k=1}^{100} \\frac{1}{k^2}", "\\cosh 500", "\\ln(10^{500})",
     "\\lfloor 10^{40}\\pi\\rfloor", "2^{1/3}", "(1+10^{-9})^{10^9}", "\\max(\\pi, 10^{10^5})",
     "\\sqrt[3]{7+5\\sqrt2}", "\\sum_{k=1}^{\\infty} 2^{-k}"]
)  # fmt: skip
def test_what_digits_can_hold_is_afforded_and_evaluated(text: str) -> None:
    """Values may be large: 50 digits and an exponent hold them."""
    node = tree(text)
    afford(node)
    try:
        assert real_value(node) is not None
    except TooBig:
        assert "10^" in text or "!" in text or "2^" in text


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    ["2^{2^{2^{2^{2^{2}}}}}", "9^{9^{9^{9}}}", "10^{10^{10^{10}}}", "e^{e^{e^{e^{9}}}}",
     "(10^{30})!", "((100)!)!", "(9^{9^9})!", "\\binom{10^{40}}{10^{39}}", "\\sin(10^{10^{10}})",
     "\\lfloor \\pi\\cdot 10^{10^{9}}\\rfloor", "2^{10^{10^{9}}} mod 7.5", "\\cos(2^{2^{30}})",
     "\\sum_{k=1}^{10^{9}} \\sqrt{k}", "\\prod_{k=1}^{10^9} \\sqrt{k}", "\\ln(9^{9^{9}}!)",
     "\\sum_{k=1}^{9} \\sin(9^{9^{9^{k}}})", "x+2^{2^{2^{2^{2^{2}}}}}",
     "\\max(1, 2^{3^{4^{5^{6}}}})"]
)  # fmt: skip
def test_what_no_machine_can_evaluate_is_refused_at_once(text: str) -> None:
    with pytest.raises(TooBig):
        afford(tree(text))


@given(rationals(), st.sampled_from(["9^{9^{9^9}}", "\\sin(10^{10^{10}})", "(10^{30})!"]))
def test_one_bomb_is_enough(node: Node, bomb: str) -> None:
    for whole in (add(node, tree(bomb)), mul(tree("\\pi"), tree(bomb)), power(tree(bomb), node)):
        with pytest.raises(TooBig):
            afford(whole)


def test_a_literal_is_never_too_big_by_itself() -> None:
    literal = number(2 ** (MAX_INNER_BITS + 1))
    afford(literal)
    with pytest.raises(TooBig):
        afford(power(number(2), literal))
