"""The law of grading: a value is itself in every spelling, and no other value in any."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from labeler.model import Outcome, Verdict
from tests.grading.expressions import Spelled, expressions
from tests.grading.rendered import KINDS, golds, texts
from tests.grading.spelled_numbers import fixed, fraction_forms

Grade = Callable[[str, str], Verdict]
EACH = settings(deadline=None, max_examples=20)


@pytest.mark.parametrize("kind", KINDS)
@EACH
@given(data=st.data())
def test_a_value_equals_itself_in_any_spelling(
    grade: Grade, kind: str, data: st.DataObject
) -> None:
    value = data.draw(KINDS[kind]())
    for _ in range(2):
        gold = data.draw(golds(value.forms), label="gold")
        text = data.draw(texts((*value.forms, *value.answers)), label="text")
        verdict = grade(gold, text)
        assert verdict.outcome is Outcome.CORRECT, (gold, verdict)


@pytest.mark.parametrize("kind", KINDS)
@EACH
@given(data=st.data())
def test_a_changed_value_is_incorrect_from_both_sides(
    grade: Grade, kind: str, data: st.DataObject
) -> None:
    value = data.draw(KINDS[kind]())
    for gold, answers in ((value.forms, value.others), (value.others, value.forms)):
        chosen = data.draw(golds(gold), label="gold")
        verdict = grade(chosen, data.draw(texts(answers), label="text"))
        assert verdict.outcome is Outcome.INCORRECT, (chosen, verdict)


@EACH
@given(
    gold=st.builds(Fraction, st.integers(1, 999), st.integers(3, 997)),
    places=st.integers(1, 12),
    sign=st.sampled_from((1, -1)),
)
def test_a_rounded_decimal_needs_six_significant_digits(
    grade: Grade, gold: Fraction, places: int, sign: int
) -> None:
    rounded = Fraction(round(gold * 10**places), 10**places)
    assume(rounded not in (gold, 0))
    shown, exact = fixed(sign * rounded, places), fraction_forms(sign * gold)[0]
    significant = len(shown.replace(".", "").lstrip("-0"))
    verdict = grade(exact, f"\\boxed{{{shown}}}")
    assert (verdict.outcome is Outcome.CORRECT) is (significant >= 6), (exact, verdict)
    verdict = grade(shown, f"\\boxed{{{exact}}}")
    assert (verdict.outcome is Outcome.CORRECT) is (significant >= 3), (shown, verdict)
    off = fixed(sign * (rounded + Fraction(2, 10**places)), places)
    assert grade(exact, f"\\boxed{{{off}}}").outcome is Outcome.INCORRECT


@EACH
@given(st.integers(2, 99).filter(lambda n: n not in (4, 9, 16, 25, 36, 49, 64, 81)))
def test_a_decimal_of_a_root_follows_the_same_rule(grade: Grade, n: int) -> None:
    root = f"\\sqrt{{{n}}}"
    assert grade(root, f"A: {n**0.5:.8f}").outcome is Outcome.CORRECT
    assert grade(root, f"A: {n**0.5:.3f}").outcome is Outcome.INCORRECT
    assert grade(root, f"A: {n**0.5 + 3e-8:.8f}").outcome is Outcome.INCORRECT
    assert grade(f"{n**0.5:.3f}", f"A: {root}").outcome is Outcome.CORRECT


@EACH
@given(n=st.integers(2, 999).filter(lambda n: n != 100))
def test_a_percentage_is_a_hundredth_or_the_bare_number_by_its_gold(grade: Grade, n: int) -> None:
    share = fixed(Fraction(n, 100), 2)
    for gold, answer, same in (
        (f"{n}\\%", f"{n}", True), (f"{n}\\%", share, True), (f"{n}", f"{n}\\%", True),
        (share, f"{n}\\%", True), (f"{n}", share, False), (share, f"{n}", False),
    ):  # fmt: skip
        verdict = grade(gold, f"\\boxed{{{answer}}}")
        assert (verdict.outcome is Outcome.CORRECT) is same, (gold, verdict)


@settings(deadline=None, max_examples=150)
@given(expressions())
def test_any_expression_is_itself_and_not_its_successor(grade: Grade, one: Spelled) -> None:
    for gold, answer in ((one.latex, one.plain), (one.plain, one.latex)):
        verdict = grade(gold, f"\\boxed{{{answer}}}")
        assert verdict.outcome is not Outcome.INCORRECT, (gold, verdict)
        verdict = grade(gold, f"\\boxed{{{answer} + 1}}")
        assert verdict.outcome is not Outcome.CORRECT, (gold, verdict)
        verdict = grade(f"({gold})\\cdot 2", f"\\boxed{{{answer}+{answer}}}")
        assert verdict.outcome is not Outcome.INCORRECT, (gold, verdict)


@settings(deadline=None, max_examples=100)
@given(expressions(4), expressions(4))
def test_a_verdict_is_the_same_from_both_sides(grade: Grade, one: Spelled, other: Spelled) -> None:
    there, back = (
        grade(one.latex, f"\\boxed{{{other.latex}}}"),
        grade(other.latex, f"A: {one.plain}"),
    )
    if Outcome.UNGRADABLE not in (there.outcome, back.outcome) and not decimal(one, other):
        assert there.outcome is back.outcome, (there, back)


def decimal(*sides: Spelled) -> bool:
    """Whether a side is a bare decimal: rounding has two sides."""
    return any(side.plain.replace(".", "", 1).isdigit() and "." in side.plain for side in sides)
