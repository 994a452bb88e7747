r"""Laws of the settlement without sympy: where it decides, it is right, and it costs little."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.grading.conventions import Conventions
from labeler.grading.evaluate import is_zero
from labeler.grading.kinds import Kind, Value
from labeler.grading.normalise import normalise
from labeler.grading.rulings import Rule, Ruling
from labeler.grading.settle import number_of, settle, trees_of
from labeler.grading.slow import judge
from labeler.grading.tokens import TooBig
from labeler.grading.tree import Node, Relation, add
from labeler.grading.values import read
from labeler.model import Reason
from tests.grading.spelled_trees import STYLES, Style, spell
from tests.grading.trees import agree, expressions, number, polynomials, rationals, tree

STYLE = st.sampled_from(STYLES)
TOLD = {Reason.MATCH: True, Reason.WRONG: False}


def ruling(gold: str, answer: str) -> tuple[Reason | None, Rule]:
    found = settle(expression(gold), expression(answer), Conventions())
    return found.reason, found.rule


def expression(text: str) -> Value:
    """The text as an expression, whatever its outer shape."""
    value = read(text)
    plain = value.kind in (Kind.NUMBER, Kind.EXPRESSION)
    return value if plain else Value(Kind.EXPRESSION, normalise(text))


@given(polynomials(), STYLE, STYLE, st.integers(1, 9))
def test_polynomials_are_settled_in_every_style(
    node: Node, one: Style, other: Style, shift: int
) -> None:
    gold, answer = spell(node, one), spell(node, other)
    assert ruling(gold, answer)[0] is Reason.MATCH
    changed = spell(add(node, number(Fraction(1, shift))), other)
    assert ruling(gold, changed)[0] is Reason.WRONG
    assert ruling(changed, gold)[0] is Reason.WRONG


@given(rationals(), STYLE, rationals(), STYLE)
def test_rational_numbers_are_settled(one: Node, style: Style, other: Node, way: Style) -> None:
    found = ruling(spell(one, style), spell(other, way))
    assert found[0] is ruling(spell(other, way), spell(one, style))[0]
    try:
        wanted = agree(one, other, is_zero)
    except TooBig:
        return
    assert wanted is None or TOLD.get(found[0], wanted) is wanted  # type: ignore[arg-type]


@given(expressions(), expressions(), STYLE)
def test_what_it_decides_digits_do_not_contradict(one: Node, other: Node, style: Style) -> None:
    for answer in (other, add(one, number(1)), one):
        forward = ruling(spell(one, style), spell(answer, style))[0]
        assert forward is ruling(spell(answer, style), spell(one, style))[0]
        try:
            wanted = agree(one, answer, is_zero)
        except TooBig:
            continue
        if forward in TOLD and wanted is not None:
            assert TOLD[forward] is wanted  # type: ignore[index]


@pytest.mark.parametrize(
    ("gold", "answer", "reason", "rule"),
    [
        ("(3-2)(2-1)", "x+1", Reason.WRONG, Rule.POINTS),
        ("x+1", "1+x", Reason.MATCH, Rule.STRUCTURE),
        ("(x+1)^2", "x^2+2x+1", Reason.MATCH, Rule.POINTS),
        ("(x+1)^2", "x^2+2x+2", Reason.WRONG, Rule.POINTS),
        ("10^{10^{10}}+1", "10^{10^{10}}", Reason.WRONG, Rule.STRUCTURE),
        ("2^{10}", "1024", Reason.MATCH, Rule.NUMBERS),
        ("\\binom{5}{2}", "\\frac{20}{2}", Reason.MATCH, Rule.NUMBERS),
        ("\\sqrt2\\sqrt3\\sqrt2", "2\\sqrt3", Reason.MATCH, Rule.STRUCTURE),
        ("\\sqrt{8}", "2\\sqrt2", None, Rule.NONE),
        ("\\sin^2 x+\\cos^2 x", "1", None, Rule.NONE),
        ("x<1", "1>x", None, Rule.NONE),
        ("2x+", "x", Reason.UNPARSED_GOLD, Rule.READING),
        ("x", "2x+", Reason.UNPARSED_ANSWER, Rule.READING),
        ("x", "(" * 60 + "x" + ")" * 60 + "+1", Reason.TOO_BIG, Rule.READING),
        ("x", "x " * 2001, Reason.TOO_BIG, Rule.READING),
    ],
)
def test_what_decides(gold: str, answer: str, reason: Reason | None, rule: Rule) -> None:
    assert ruling(gold, answer) == (reason, rule)


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "bomb",
    ["9^{9^{9^{9}}}", "(10^9)!", "\\binom{10^9}{10^8}", "\\sum_{k=1}^{10^{12}} k", "x^{10^{10}}",
     "\\sum_{a=1}^{2000}\\sum_{b=1}^{2000} ab", "(x+1)^{10^{10}}", "\\prod_{k=1}^{2000} 10^{100}",
     "2^{10^{500}} mod 7^{300}", "((((x+1)^{9})^{9})^{9})^{9}", "\\sum_{k=1}^{2000} k^{300}",
     "\\sum_{a=1}^{n}\\sum_{b=1}^{a^9} \\sum_{c=1}^{b^9} 1"]
)  # fmt: skip
@pytest.mark.parametrize("other", ["x^2+1", "\\frac12", "\\pi"])
def test_it_returns_whatever_it_is_given(bomb: str, other: str) -> None:
    """It runs in the caller's process, where no clock ends it."""
    for gold, answer in ((bomb, other), (other, bomb), (bomb, f"{bomb}+{other}")):
        assert ruling(gold, answer)[0] is not Reason.MATCH


@given(polynomials(), STYLE)
def test_a_worker_says_what_it_settles(node: Node, style: Style) -> None:
    gold, answer = spell(node, style), spell(add(node, number(1)), style)
    assert judge(gold, gold, Conventions()).reason is Reason.MATCH
    assert judge(gold, answer, Conventions()).reason is Reason.WRONG


def test_trees_and_numbers_of_values() -> None:
    assert trees_of(read("x+1"), read("7")) == (tree("x+1"), number(7))
    told = trees_of(read("x<1"), read("x"))
    assert not isinstance(told, Ruling)
    assert isinstance(told[0], Relation)
    assert trees_of(read("x+"), read("y+")) == Ruling(Reason.UNPARSED_GOLD, Rule.READING)
    assert trees_of(read("x"), read("y+")) == Ruling(Reason.UNPARSED_ANSWER, Rule.READING)
    found = number_of(read("2^{10}"), tree("2^{10}"))
    assert found is not None
    assert (found.value, found.places) == (1024, None)
    assert number_of(read("2^{10^9}"), tree("2^{10^9}")) is None
    assert number_of(read("\\frac{1}{1-1}"), tree("\\frac{1}{1-1}")) is None
    decimal = number_of(read("1.50"), tree("1.50"))
    assert decimal is not None
    assert decimal.places == 2
