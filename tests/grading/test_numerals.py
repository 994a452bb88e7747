"""Laws of numerals: every spelling of a number is that number, and no other."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from labeler.grading.conventions import Conventions
from labeler.grading.normalise import normalise
from labeler.grading.numerals import Numeral, numeral, same_number

ANY = st.text(st.characters(exclude_categories=()), max_size=60)
INTEGERS = st.integers(-(10**12), 10**12)


def value(text: str) -> Fraction | None:
    found = numeral(normalise(text))
    return found.value if found is not None else None


@given(INTEGERS)
def test_digit_groups_of_every_kind_are_one_integer(n: int) -> None:
    groups = f"{n:,}"
    for separator in (",", " ", "\\,", "{,}", ",\\!", "\u202f", "\u2009"):
        assert value(groups.replace(",", separator)) == n
    assert value(str(n).replace("-", "−")) == n
    assert value(f"{n}.000") == n


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_fractions_of_every_kind_are_one_number(top: int, bottom: int) -> None:
    want = Fraction(top, bottom)
    for frac in ("\\frac", "\\dfrac", "\\tfrac", "\\cfrac"):
        assert value(f"{frac}{{{top}}}{{{bottom}}}") == want
        assert value(f"-{frac} {{{top}}} {{{bottom}}}") == -want
    assert value(f"{top}/{bottom}") == want
    assert value(f"\\frac{{{-top}}}{{{bottom}}}") == value(f"\\frac{{{top}}}{{{-bottom}}}") == -want


@given(st.integers(1, 10**6), st.integers(1, 9), st.integers(1, 9))
def test_a_mixed_number_adds_away_from_zero(whole: int, top: int, bottom: int) -> None:
    want = whole + Fraction(top, bottom)
    assert value(f"{whole}\\frac{top}{bottom}") == want
    assert value(f"{whole} {top}/{bottom}") == want
    assert value(f"-{whole}\\frac{{{top}}}{{{bottom}}}") == -want


@given(st.decimals(-(10**9), 10**9, places=4).map("{:f}".format), st.integers(-20, 20))
def test_scientific_notation_is_exact(mantissa: str, power: int) -> None:
    want = Fraction(mantissa) * Fraction(10) ** power
    for text in (
        f"{mantissa}e{power}",
        f"{mantissa} \\times 10^{{{power}}}",
        f"{mantissa}E{power}",
    ):
        assert value(text) == want


@given(st.text("0123456789", min_size=1, max_size=6), st.text("0123456789", max_size=4))
def test_a_repeating_decimal_is_its_series(cycle: str, fixed: str) -> None:
    want = Fraction(
        int(fixed + cycle) - int(fixed or "0"), (10 ** len(cycle) - 1) * 10 ** len(fixed)
    )
    assert value(f"0.{fixed}\\overline{{{cycle}}}") == want


@given(ANY)
def test_any_text_is_a_number_or_none(text: str) -> None:
    found = numeral(normalise(text))
    assert found is None or isinstance(found.value, Fraction)


@pytest.mark.parametrize("text", ["", "-", ".", "1,23", "1 2", "1,2345", "1/0", "e5", "1.2.3", "x"])
def test_what_is_no_number_is_none(text: str) -> None:
    assert value(text) is None


@given(st.integers(-(10**9), 10**9), st.integers(2, 997), st.integers(6, 12))
def test_a_decimal_stands_for_an_exact_gold_when_rounded(
    top: int, bottom: int, places: int
) -> None:
    gold = Fraction(top, bottom)
    assume(gold.denominator > 1 and abs(gold) >= 1)
    shown = round(gold * 10**places)
    rounded = Numeral(Fraction(shown, 10**places), places, len(str(abs(shown))))
    off = Numeral(rounded.value + Fraction(2, 10**places), places, rounded.significant)
    assert same_number(Numeral(gold), rounded, Conventions()).equal
    if rounded.significant not in (16, 17):
        assert not same_number(Numeral(gold), off, Conventions()).equal


@given(INTEGERS, INTEGERS)
def test_integers_are_the_same_only_when_equal(a: int, b: int) -> None:
    ruling = same_number(Numeral(Fraction(a)), Numeral(Fraction(b)), Conventions())
    assert ruling.equal is (a == b)
