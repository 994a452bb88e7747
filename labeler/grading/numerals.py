r"""numerals.py - numerals of every spelling to an exact Fraction, without sympy.

Integers, decimals, digit groups, scientific notation, repeating decimals, fractions and mixed
numbers, read from normalised text. A decimal remembers how many places it shows, because a
rounded value is judged by them. Nothing else is a number: `numeral` gives None.

`same_number` holds the rounding conventions; it does not know units.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from labeler.grading.conventions import Conventions
from labeler.grading.rulings import Rule, Ruling, ruled

MAX_EXPONENT = 5000
"""Powers of ten beyond this are left to the slow path's budgets."""

_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+|[0-9]+)"
_PLAIN = rf"(?P<whole>{_DIGITS})?(?:\.(?P<places>[0-9]*))?"
_DECIMAL = re.compile(_PLAIN)
_TEN = r"10\^(?:\{(?P<power>[+-]?[0-9]+)\}|(?P<digit>[0-9]))"
_SCIENTIFIC = re.compile(
    rf"{_PLAIN}(?:[eE](?P<e>[+-]?[0-9]{{1,4}})|(?:\\times ?|\\cdot ?|\*|x| x ){_TEN})"
)
_POWER = re.compile(_TEN)
_FRACTION = re.compile(
    rf"(?P<mixed>[0-9]+)?(?: ?\\frac\{{(?P<n>-?[0-9]+)\}}\{{(?P<d>-?[0-9]+)\}}"
    rf"|(?: )?(?P<n2>{_DIGITS})/(?P<d2>-?{_DIGITS}))"
)
_REPEATING = re.compile(r"(?P<whole>[0-9]*)\.(?P<fixed>[0-9]*)\\overline\{(?P<cycle>[0-9]+)\}")

_DOTTED = re.compile(
    r"(?P<whole>[0-9]{0,40})\.(?P<fixed>[0-9]{0,20}?)(?P<cycle>[0-9]{1,12}?)(?P=cycle){2,}\\dots"
)


@dataclass(frozen=True, slots=True)
class Numeral:
    """An exact value, and for a decimal how it was written."""

    value: Fraction
    places: int | None = None
    """Digits after the point (negative: before it); None for what is no decimal: it is exact."""
    significant: int = 0
    """Significant digits that a decimal shows."""


def numeral(text: str) -> Numeral | None:
    """The number that normalised text is, or None where it is anything else."""
    negative = text[:1] == "-"
    body = text[1:] if text[:1] in ("-", "+") else text
    if negative and body[:1] == "(" and body[-1:] == ")":
        body = body[1:-1]
    if not body or len(body) > 4200 or not (body[0].isdigit() or body[0] in ".\\"):
        return None
    found = _decimal(body) or _fraction(body) or _scientific(body) or _repeating(body)
    if found is None or not negative:
        return found
    return Numeral(-found.value, found.places, found.significant)


def _decimal(body: str) -> Numeral | None:
    match = _DECIMAL.fullmatch(body)
    if match is None:
        return None
    whole, places = match.group("whole"), match.group("places")
    if not whole and not places:
        return None
    return _written(_bare(whole), places)


def _bare(digits: str | None) -> str:
    return (digits or "").replace(",", "").replace(" ", "")


def _written(whole: str, places: str | None) -> Numeral:
    if not places:
        return Numeral(Fraction(int(whole)))
    digits = whole + places
    significant = len(digits.lstrip("0"))
    return Numeral(Fraction(int(digits), 10 ** len(places)), len(places), significant)


def _scientific(body: str) -> Numeral | None:
    match = _SCIENTIFIC.fullmatch(body)
    power = match or _POWER.fullmatch(body)
    if power is None or len(body) > 300:
        return None
    groups = power.groupdict()
    exponent = int(groups.get("e") or groups["power"] or groups["digit"])
    if abs(exponent) > MAX_EXPONENT:
        return None
    mantissa = Numeral(Fraction(1))
    if match is not None:
        if not match.group("whole") and not match.group("places"):
            return None
        mantissa = _written(_bare(match.group("whole")), match.group("places"))
    value = mantissa.value * Fraction(10) ** exponent
    if mantissa.places is None:
        return Numeral(value)
    return Numeral(value, mantissa.places - exponent, mantissa.significant)


def _fraction(body: str) -> Numeral | None:
    match = _FRACTION.fullmatch(body) if len(body) <= 600 else None
    if match is None:
        return None
    top = int(_bare(match.group("n") or match.group("n2")))
    bottom = int(_bare(match.group("d") or match.group("d2")))
    if bottom == 0:
        return None
    part = Fraction(top, bottom)
    mixed = match.group("mixed")
    if mixed is None:
        return Numeral(part)
    if match.group("n2") is not None and body[len(mixed)] != " ":
        return Numeral(Fraction(int(mixed + match.group("n2")), bottom))
    return None if part < 0 else Numeral(int(mixed) + part)


def _repeating(body: str) -> Numeral | None:
    """A decimal with its period marked, or repeated before dots."""
    match = _REPEATING.fullmatch(body) or _DOTTED.fullmatch(body)
    if match is None:
        return None
    fixed, cycle = match.group("fixed"), match.group("cycle")
    whole = int((match.group("whole") or "0") + fixed)
    tail = Fraction(int(cycle), 10 ** len(cycle) - 1)
    return Numeral((whole + tail) / 10 ** len(fixed))


def same_number(gold: Numeral, answer: Numeral, conventions: Conventions) -> Ruling:
    """The ruling on two numbers: equal values are equal, and rounded ones by convention.

    A decimal stands for an exact gold when it is correctly rounded and shows enough digits; an
    exact answer for a decimal gold of enough digits when it rounds to them. Two decimals must
    be equal.
    """
    if gold.value == answer.value:
        return _EQUAL
    if gold.places is None and answer.places is not None:
        enough = conventions.rounded_digits
        if enough is not None and answer.significant >= enough and rounds_to(gold.value, answer):
            return _ROUNDED
    elif gold.places is not None and answer.places is None and answer.value.denominator != 1:
        enough = conventions.rounded_gold_digits
        if enough is not None and gold.significant >= enough and rounds_to(answer.value, gold):
            return _ROUNDED
    return _DIFFERENT


_EQUAL = ruled(Rule.NUMBERS, equal=True)
_DIFFERENT = ruled(Rule.NUMBERS, equal=False)
_ROUNDED = ruled(Rule.ROUNDED, equal=True)


def rounds_to(value: Fraction, decimal: Numeral) -> bool:
    """Whether a value rounds to a decimal at the places it shows (ties either way).

    A decimal of 16 or 17 digits is a printed double: right to its precision.
    """
    gap = abs(value - decimal.value)
    if bool(gap * 2 * Fraction(10) ** (decimal.places or 0) <= 1):
        return True
    printed_double = decimal.significant in (16, 17) and value.denominator != 1
    return printed_double and gap <= abs(value) * Fraction(1, 2**52)
