r"""units.py - the unit, currency, percent or degree sign at the end (or start) of an answer.

A unit is only what was in `\text{}` (normalised to quotes), a known whole word, or a sign;
single letters are variables. Words that are no known unit are dropped as "any text". Scale
words (million) are kept apart from units, as they multiply.
"""

import re

PERCENT = "%"
DEGREE = "°"

_NAMES = {
    "cm": "cm centimeter centimeters centimetre centimetres",
    "mm": "mm millimeter millimeters millimetre millimetres",
    "km": "km kms kilometer kilometers kilometre kilometres",
    "m": "meter meters metre metres",
    "in": "inch inches",
    "ft": "ft foot feet",
    "yd": "yd yard yards",
    "mi": "mile miles",
    "kg": "kg kgs kilogram kilograms",
    "g": "gram grams",
    "mg": "mg milligram milligrams",
    "lb": "lb lbs",
    "oz": "oz ounce ounces",
    "l": "liter liters litre litres",
    "ml": "ml milliliter milliliters",
    "s": "sec secs second seconds",
    "min": "min mins minute minutes",
    "h": "hr hrs hour hours",
    "day": "day days",
    "week": "week weeks",
    "month": "month months",
    "year": "year years",
    "mph": "mph",
    "$": "dollar dollars usd",
    "cent": "cent cents",
    "€": "euro euros eur",
    "£": "gbp",
    PERCENT: "percent percentage pct",
    DEGREE: "degree degrees deg",
}
_UNITS = {word: unit for unit, words in _NAMES.items() for word in words.split()}
_ABBREVIATIONS = {"m": "m", "g": "g", "s": "s", "h": "h", "in": "in", "l": "l", "L": "l"}
_GLUED = re.compile(r"(?<=[0-9])(m|cm|mm|km|ft|in)([23])$")
MONEY = ("$", "€", "£", "¥", "cent")
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_POWERS = {"square": "2", "sq": "2", "squared": "2", "cubic": "3", "cu": "3", "cubed": "3"}
_MONEY = re.compile(r"(-?)(?:US|USD)? ?([$€£¥])(-?)")
_QUOTED = re.compile(r'"([^"]*)"(?:\^\{?([23])\}?)?$')
_WORDS = re.compile(r"(?<=[0-9)}])( ?)([A-Za-z]{2,}(?:[ /.,'-]{1,2}[A-Za-z]+){0,8})\^?([23])?$")


def split_unit(text: str) -> tuple[str, str, int]:
    """Normalised text as (the rest, its unit or "", its scale)."""
    money = _MONEY.match(text)
    if money is not None and money.end() < len(text):
        rest, _, scale = split_unit(money.group(1) + money.group(3) + text[money.end() :])
        return rest, money.group(2), scale
    if text[-1:] in (PERCENT, DEGREE, "€", "£", "$") and len(text) > 1:
        return text[:-1].strip(), text[-1], 1
    quoted = _QUOTED.search(text)
    if quoted is not None and quoted.start() > 0:
        return _worded(text[: quoted.start()], quoted.group(1), quoted.group(2) or "", text)
    glued = _GLUED.search(text)
    if glued is not None:
        return text[: glued.start()], glued.group(1) + glued.group(2), 1
    bare = _WORDS.search(text)
    if bare is not None and not _is_maths(bare.group(2), glued=not bare.group(1)):
        return _worded(text[: bare.start()], bare.group(2), bare.group(3) or "", text)
    return text, "", 1


def _is_maths(words: str, *, glued: bool) -> bool:
    """Whether letters after a number could be variables or functions: no unit then."""
    first = words.split(" ", maxsplit=1)[0].lower()
    return (glued or len(words) < 3) and first not in _UNITS and first not in SCALES


def _worded(rest: str, words: str, power: str, whole: str) -> tuple[str, str, int]:
    if not any(mark.isdigit() for mark in rest) and "\\pi" not in rest:
        return whole, "", 1
    scale, unit, known = 1, "", True
    names = re.split(r"[ .]+", words.strip())
    if len(names) == 1 and names[0] in _ABBREVIATIONS:
        return rest.strip(), _ABBREVIATIONS[names[0]] + power, 1
    for name in names:
        if name.lower() in SCALES and not unit:
            scale *= SCALES[name.lower()]
        elif name.lower() in _POWERS:
            power = _POWERS[name.lower()]
        elif name.lower() in _UNITS and not unit:
            unit = _UNITS[name.lower()]
        elif name:
            known = False
    return rest.strip(), unit + power if known and unit else "", scale
