r"""Numbers in their many spellings: integers to base-n numerals, each with changed values.

A strategy draws a `Rendered`: spans that are one value, and spans of values that differ from
it by a digit, a sign, a unit. Lists are built whole and purely; only the value is drawn, so
that an example shrinks to the smallest value.
"""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import assume
from hypothesis import strategies as st


@dataclass(frozen=True, slots=True)
class Rendered:
    """One value."""

    forms: tuple[str, ...]
    """Spellings: any of them as the gold accepts any of them as an answer."""
    others: tuple[str, ...]
    """Spellings of other values: incorrect as an answer to any form, and the other way round."""
    answers: tuple[str, ...] = ()
    """Spellings that are accepted as an answer and do not serve as a gold."""


VULGAR = {Fraction(1, 2): "½", Fraction(1, 4): "¼", Fraction(3, 4): "¾", Fraction(2, 3): "⅔"}
GROUPS = (",", "{,}", "\\,", ",\\!", "\u202f", "\u2009")
SMALL = st.integers(-20, 20)
FRACTIONS = st.builds(Fraction, st.integers(-40, 40), st.integers(1, 12))
PROPER = st.builds(Fraction, st.integers(1, 60), st.integers(2, 24)).filter(
    lambda value: value.denominator > 1
)
SIGNS = st.sampled_from((1, -1))


def sign_of(value: Fraction | int) -> str:
    return "-" if value < 0 else ""


def fraction_forms(value: Fraction) -> list[str]:
    """Spellings of a fraction as a fraction; usable inside any LaTeX."""
    sign, top, bottom = sign_of(value), abs(value.numerator), value.denominator
    if bottom == 1:
        return [f"{sign}{top}"]
    braced = f"{{{top}}}{{{bottom}}}"
    forms = [f"{sign}\\{name}{braced}" for name in ("frac", "dfrac", "tfrac", "cfrac")]
    forms += [f"{sign}{top}/{bottom}", f"{sign}\\frac{{{2 * top}}}{{{2 * bottom}}}"]
    forms.append(f"{sign}\\frac {{{top}}} {{{bottom}}}")
    if top < 10 and bottom < 10:
        forms += [f"{sign}\\frac{top}{bottom}", f"{sign}\\frac {top} {bottom}"]
        forms.append(f"{sign}\\dfrac{top}{bottom}")
    if sign:
        forms += [f"\\frac{{-{top}}}{{{bottom}}}", f"\\frac{{{top}}}{{-{bottom}}}"]
        forms.append(f"-({top}/{bottom})")
    return forms


def rational_forms(value: Fraction) -> list[str]:
    """All spellings of a fraction that stand alone."""
    sign, top, bottom = sign_of(value), abs(value.numerator), value.denominator
    forms = [*fraction_forms(value), f"{sign}{top} / {bottom}", f"{sign}\\frac{top}{{{bottom}}}"]
    forms += [f"({sign}{top})/({bottom})", f"{sign}{top} \\div {bottom}", f"{sign}{top} ÷ {bottom}"]
    forms += [f"{sign}\\left(\\frac{{{top}}}{{{bottom}}}\\right)", f"{sign}{top}⁄{bottom}"]
    forms.append(f"{sign}{{\\frac{{{top}}}{{{bottom}}}}}")
    if abs(value) in VULGAR:
        forms.append(sign + VULGAR[abs(value)])
    if terminates(bottom):
        forms.append(decimal(value))
    return [form for form in forms if top < 10 or form != f"{sign}\\frac{top}{{{bottom}}}"]


def terminates(bottom: int) -> bool:
    for prime in (2, 5):
        while bottom % prime == 0:
            bottom //= prime
    return bottom == 1


def decimal(value: Fraction) -> str:
    """The exact decimal of a fraction that has one."""
    places = next(n for n in range(40) if (value * 10**n).denominator == 1)
    return fixed(value, places)


def fixed(value: Fraction, places: int) -> str:
    """A value with so many places; the value must have no more."""
    digits = str(abs(round(value * 10**places))).rjust(places + 1, "0")
    point = len(digits) - places
    return sign_of(value) + digits[:point] + ("." + digits[point:] if places else "")


@st.composite
def integers(draw: st.DrawFn) -> Rendered:
    n = draw(st.integers(-(10**12), 10**12) | SMALL)
    forms = [str(n), f"{n}.0", f"{n}.00", f"{{{n}}}", f"({n})", f"\\frac{{{3 * n}}}{{3}}", f"{n}."]
    forms += [f"\\text{{{n}}}", f"\\mathbf{{{n}}}", f"x = {n}", f"{n} \\text{{ units}}"]
    if abs(n) >= 1000:
        forms += [f"{n:,}".replace(",", mark) for mark in GROUPS]
    others = {n + 1, n - 1, -n, 10 * n, n + 10 ** (len(str(abs(n))) - 1), n // 10} - {n}
    return Rendered(tuple(forms), tuple(map(str, sorted(others))))


@st.composite
def rationals(draw: st.DrawFn) -> Rendered:
    value = draw(PROPER) * draw(SIGNS)
    forms = [*rational_forms(value), f"x = {fraction_forms(value)[0]}"]
    top, bottom = value.numerator, value.denominator
    changed = {Fraction(top + 1, bottom), Fraction(top, bottom + 1), -value, 1 / value, value + 1}
    others = [form for other in sorted(changed - {value}) for form in fraction_forms(other)]
    return Rendered(tuple(forms), tuple(others))


@st.composite
def decimals(draw: st.DrawFn) -> Rendered:
    places = draw(st.integers(1, 6))
    unit = Fraction(1, 10**places)
    value = draw(st.integers(-(10**8), 10**8)) * unit
    plain = fixed(value, places)
    forms = [plain, plain + "0", decimal(value), f"x={plain}", *fraction_forms(value)]
    if abs(value) < 1:
        forms.append(plain.replace("0.", ".", 1))
    if abs(value) >= 1000:
        whole, point, rest = plain.partition(".")
        forms += [f"{int(whole):,}".replace(",", mark) + point + rest for mark in GROUPS]
    others = {value + unit, value - unit, -value, value * 10, value + 1} - {value}
    return Rendered(tuple(forms), tuple(fixed(other, places) for other in sorted(others)))


@st.composite
def mixed_numbers(draw: st.DrawFn) -> Rendered:
    part = draw(st.builds(Fraction, st.integers(1, 9), st.integers(2, 12)))
    assume(part < 1)
    whole, sign = draw(st.integers(1, 60)), draw(SIGNS)
    top, bottom, minus = part.numerator, part.denominator, "-" if sign < 0 else ""
    value = sign * (whole + part)
    frac = f"\\frac{{{top}}}{{{bottom}}}"
    forms = [f"{minus}{whole}{gap}{frac}" for gap in ("", " ", "\\,", "\\ ", "~")]
    forms += [f"{minus}{whole} {top}/{bottom}", f"{minus}{whole}\\tfrac{{{top}}}{{{bottom}}}"]
    forms += [
        *fraction_forms(value),
        f"{minus}({whole} + {frac})",
        f"{minus}{whole}{minus or '+'}{frac}",
    ]
    if part in VULGAR:
        forms += [f"{minus}{whole}{VULGAR[part]}", f"{minus}{whole} {VULGAR[part]}"]
    others = [f"{minus}{whole + 1}{frac}", f"{minus}{whole}\\frac{{{top}}}{{{bottom + 1}}}"]
    others += [
        f"{minus}{whole}\\cdot{frac}",
        f"{minus}{top}/{bottom}",
        f"{minus}{whole}",
        *fraction_forms(-value),
    ]
    return Rendered(tuple(forms), tuple(others))


@st.composite
def percents(draw: st.DrawFn) -> Rendered:
    n, bare = draw(st.integers(2, 400).filter(lambda n: n != 100)), draw(st.booleans())
    value = Fraction(n, 100)
    forms = [f"{n}\\%", f"{n}%", f"{n} \\%", f"{n}\\text{{ percent}}", f"{n} percent", f"{n}.0\\%"]
    if bare:
        forms = [*forms[:4], str(n)]
    else:
        forms += [decimal(value), *fraction_forms(value)]
    others = [f"{n + 1}\\%", f"{n * 10}%", f"-{n}\\%", decimal(value + 1)]
    others += [f"{decimal(value)}\\%"] if bare else []
    return Rendered(tuple(forms), tuple(others))


@st.composite
def amounts(draw: st.DrawFn) -> Rendered:
    cents = draw(st.integers(1, 10**7))
    value = f"{cents // 100}.{cents % 100:02}"
    grouped = f"{cents // 100:,}.{cents % 100:02}"
    forms = [f"\\${value}", f"${value}", f"{value} dollars", f"{value}\\text{{ dollars}}"]
    forms += [f"\\${grouped}", f"${grouped}", f"\\$ {value}", f"\\${grouped.replace(',', '{,}')}"]
    if draw(st.booleans()):
        return Rendered(tuple(forms), (f"€{value}", f"{value} euros", f"£{value}"))
    other = f"{(cents + 1) // 100}.{(cents + 1) % 100:02}"
    others = [f"\\${other}", f"${other}", other, f"-\\${value}", f"{other} dollars"]
    return Rendered((*forms, value, grouped), tuple(others))


@st.composite
def angles(draw: st.DrawFn) -> Rendered:
    n, form = draw(st.integers(1, 359)), draw(st.booleans())
    forms = [f"{n}^\\circ", f"{n}^{{\\circ}}", f"{n}°", f"{n}\\text{{ degrees}}", f"{n} degrees"]
    forms += [f"{n}\\degree", f"{n}^\\circ.", f"{n} ^\\circ", f"{n}º"]
    turn = Fraction(n, 180)
    radians = f"\\frac{{{turn.numerator}\\pi}}{{{turn.denominator}}}"
    forms += [str(n)] if form else [radians, f"{turn.numerator}π/{turn.denominator}"]
    others = [f"{n + 1}^\\circ", f"{n}0°", f"-{n}^\\circ", f"{n + 1} degrees", f"{n}\\text{{ cm}}"]
    return Rendered(tuple(forms), tuple(others if not form else others[:4]))


@st.composite
def numerals(draw: st.DrawFn) -> Rendered:
    """Numerals of a written base; one without a subscript is accepted too."""
    base = draw(st.integers(2, 8))
    digits = "".join(map(str, draw(st.lists(st.integers(0, base - 1), min_size=2, max_size=7))))
    digits = digits.lstrip("0") or "1"
    forms = [f"{digits}_{base}", f"{digits}_{{{base}}}", f"({digits})_{base}", f"{digits} _{base}"]
    forms += [f"{digits}_{{\\text{{{base}}}}}", f"\\text{{{digits}}}_{base}", digits]
    others = [f"{digits}0_{base}", f"1{digits}_{{{base}}}", f"{digits}0", f"{digits}{base}"]
    if draw(st.booleans()):
        other = base + 1
        return Rendered(tuple(forms[:-1]), (*others, f"{digits}_{other}", f"{digits}_{{{other}}}"))
    assume(int(digits) not in (int(digits + "0", base), int("1" + digits, base)))
    return Rendered(tuple(forms), tuple(others))


@st.composite
def scientific(draw: st.DrawFn) -> Rendered:
    mantissa, power = draw(st.integers(11, 999)), draw(st.integers(-12, 12))
    sign = "-" if draw(st.booleans()) else ""
    shown = f"{sign}{mantissa // 10}.{mantissa % 10}"
    times = ("\\times ", "\\cdot ", " \\times ", "×", " x ", "*", " · ")
    forms = [f"{shown}{mark}10^{{{power}}}" for mark in times]
    forms += [f"{shown}e{power}", f"{shown}E{power}", f"{shown}\\times{{10}}^{{{power}}}"]
    forms += [
        f"{shown}*10^({power})",
        f"{shown} * 10**{power}" if power >= 0 else f"{shown}e{power}",
    ]
    value = Fraction(shown) * Fraction(10) ** power
    forms.append(decimal(value))
    changed = f"{sign}{mantissa // 10}.{(mantissa + 1) % 10}"
    others = [f"{shown}\\times 10^{{{power + 1}}}", f"{shown}e{power - 1}"]
    others += [f"{changed} \\times 10^{{{power}}}", f"{changed}e{power}", decimal(-value)]
    return Rendered(tuple(forms), tuple(others))


@st.composite
def repeating(draw: st.DrawFn) -> Rendered:
    digits = st.text("0123456789", min_size=1, max_size=4)
    cycle = draw(digits.filter(lambda text: set(text) not in ({"0"}, {"9"})))
    start, whole = draw(digits | st.just("")), draw(st.integers(0, 20))
    series = Fraction(int(cycle), 10 ** len(cycle) - 1)
    value = whole + (int(start or "0") + series) / 10 ** len(start)
    shown = f"{whole}.{start}"
    forms = [f"{shown}\\overline{{{cycle}}}", f"{shown}\\overline{{{cycle}{cycle}}}"]
    forms += [*fraction_forms(value), f"{shown}{cycle}\\overline{{{cycle}}}"]
    turned = cycle[1:] + cycle[:1]
    others = [f"{shown}\\overline{{{cycle[:-1]}{(int(cycle[-1]) + 1) % 9}}}"]
    others += (
        [f"{shown}\\overline{{{turned}}}"]
        if turned != cycle
        else [f"{whole + 1}.\\overline{{{cycle}}}"]
    )
    return Rendered(tuple(forms), tuple(o for o in others if o not in forms))
