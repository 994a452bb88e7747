r"""units.py - the unit, currency, percent or degree sign at the end (or start) of an answer.

A unit is only what was in `\text{}` (normalised to quotes), a known whole word, or a sign;
single letters are variables. `km/h`, `kilometers per hour` and `square feet` are one unit each.
Words that are no known unit are dropped as "any text". Scale words (million) multiply.
"""

import re

from labeler.grading.tokens import BARE_SYMBOLS, FUNCTIONS

PERCENT = "%"
DEGREE = "°"
RADIAN = "rad"
UNIT = "unit"
"""Of length, or whatever the problem measures in."""
MONEY = ("$", "€", "£", "¥", "₹", "cent")

_NAMES = {
    "cm": "cm centimeter centimeters centimetre centimetres",
    "mm": "mm millimeter millimeters millimetre millimetres",
    "km": "km kms kilometer kilometers kilometre kilometres",
    "m": "meter meters metre metres",
    "in": "in inch inches",
    "ft": "ft foot feet",
    "yd": "yd yard yards",
    "mi": "mi mile miles",
    "kg": "kg kgs kilogram kilograms",
    "g": "gram grams",
    "mg": "mg milligram milligrams",
    "lb": "lb lbs pound pounds",
    "ton": "ton tons tonne tonnes",
    "cup": "cup cups",
    "pint": "pint pints",
    "quart": "quart quarts",
    "gallon": "gallon gallons gal",
    "acre": "acre acres",
    "hectare": "hectare hectares",
    "nm": "nm nanometer nanometers",
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
    "decade": "decade decades",
    "century": "century centuries",
    "byte": "byte bytes",
    "kb": "kb kilobyte kilobytes",
    "mb": "mb megabyte megabytes",
    "gb": "gb gigabyte gigabytes",
    "hz": "hz hertz",
    "khz": "khz",
    "mhz": "mhz",
    "mol": "mol mole moles",
    "mmol": "mmol",
    "N": "newton newtons",
    "J": "joule joules",
    "W": "watt watts",
    "V": "volt volts",
    "A": "ampere amperes amp amps",
    "Pa": "pascal pascals",
    "K": "kelvin kelvins",
    "C": "celsius",
    "F": "fahrenheit",
    "ohm": "ohm ohms",
    UNIT: "unit units",
    RADIAN: "radian radians rad",
    "nickel": "nickel nickels",
    "dime": "dime dimes",
    "penny": "penny pennies",
    "mi/h": "mph",
    "km/h": "kph kmh",
    "am": "am",
    "pm": "pm",
    "$": "dollar dollars usd",
    "cent": "cent cents",
    "€": "euro euros eur",
    "£": "gbp",
    PERCENT: "percent percentage pct",
    DEGREE: "degree degrees deg",
}
_UNITS = {word: unit for unit, words in _NAMES.items() for word in words.split()}
_ABBREVIATIONS = {name: name for name in ("m", "g", "s", "h", "in", "l")} | {"L": "l"}
"""Units in a text macro alone: outside they are variables."""
_GLUED = re.compile(r"(?<=[0-9])(m|cm|mm|km|ft|in)([23])$")
_GLUABLE = (
    "cm", "mm", "km", "kg", "ml", "mL", "ft", "lb", "lbs", "oz", "mph", "min", "hr", "hrs", "sec",
    "KB", "MB", "GB", "Hz", "kHz", "MHz",
)  # fmt: skip
"""Units that may stand right behind a number: other short runs of letters are variables."""
_FUNCTION_NAMES = (*FUNCTIONS, *BARE_SYMBOLS, "sqrt")
_POWERS = {"square": "2", "sq": "2", "squared": "2", "cubic": "3", "cu": "3", "cubed": "3"}
_POWERS_OF_TEN = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
SCALES = {
    **{name: 10**power for name, power in _POWERS_OF_TEN.items()},
    **{f"{name}s": 10**power for name, power in _POWERS_OF_TEN.items()},
    "dozen": 12,
    "dozens": 12,
}
_TELLING = re.compile(
    r"\b(?:(?<!of )[b-zB-Z](?!')|plus|minus|divided|choose|factorial|root|sin|cos|tan|log|ln|exp"
    r"|mod|modulo|base|than|half|halves|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?"
    r"|ninths?|tenths?|hundredths?|thousandths?|if|when|unless|except|where|below|above|under|negative"
    r"|not|wrong|incorrect|false|is|or (?:more|less|fewer|greater|higher|so)"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|millionths?|billionths?|tens|gross|score)\b|^(?:squared|cubed)\b",
    re.IGNORECASE,
)
"""Words that may change the value: with one of them the text is not merely what is counted."""
_MONEY = re.compile(r"(-?)(?:US|USD)? ?([$€£¥₹]|USD|EUR|GBP|Rs[. ])(-?)")
_CURRENCIES = {"USD": "$", "EUR": "€", "GBP": "£", "Rs.": "₹", "Rs ": "₹"}
_QUOTED = re.compile(r'"([^"]*)"(?:\^\{?([23])\}?)?$')
_WORDS = re.compile(r"(?<=[0-9)}%])( ?)([A-Za-z]{2,}(?:[ /.,'-]{1,2}[A-Za-z]+){0,8})\^?([23])?$")


def split_unit(text: str) -> tuple[str, str, int]:
    """Normalised text as (the rest, its unit or "", its scale)."""
    money = _MONEY.match(text)
    if money is None or money.end() == len(text):
        return _behind(text)
    rest, _, scale = _behind(money.group(1) + money.group(3) + text[money.end() :].lstrip())
    return rest, _CURRENCIES.get(money.group(2), money.group(2)), scale


def _behind(text: str) -> tuple[str, str, int]:
    """The same, of what stands behind a value."""
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
        if len(bare.group(2)) == 3 and not _is_known(bare.group(2)):
            return _unreadable(text[: bare.start()], bare.group(2))
        return _worded(text[: bare.start()], bare.group(2), bare.group(3) or "", text)
    return text, "", 1


def _is_known(word: str) -> bool:
    return word.lower() in _UNITS or word.lower() in SCALES or word == "men"


def _unreadable(rest: str, words: str) -> tuple[str, str, int]:
    """A text whose words are neither a unit nor, for the parser, a product of letters."""
    return f'{rest.strip()}"{words}"', "", 1


def _is_maths(words: str, *, glued: bool) -> bool:
    """Whether letters after a number could be variables or functions: no unit then."""
    first = re.split("[ /]", words, maxsplit=1)[0]
    if glued and len(first) < 4:
        return first not in _GLUABLE
    if _is_known(first):
        return False
    vowels = any(letter in "aeiouAEIOU" for letter in first)
    return len(words) < 3 or not vowels or first.startswith(_FUNCTION_NAMES) or glued


def _worded(rest: str, words: str, power: str, whole: str) -> tuple[str, str, int]:
    if not any(mark.isdigit() for mark in rest) and "\\pi" not in rest:
        return whole, "", 1
    if _TELLING.search(words) and not _unit(words.replace(".", ""), power):
        return _unreadable(rest, words)
    scale = 1
    names = words.replace(".", "").split()
    while names and names[0].lower() in SCALES:
        scale *= SCALES[names.pop(0).lower()]
    unit = _unit(" ".join(names), power)
    if not unit and rest.strip()[-1:] == PERCENT:  # "20% increase"
        return rest.strip()[:-1], PERCENT, scale
    return rest.strip(), unit, scale


def _unit(words: str, power: str) -> str:
    """The unit that words name, in one spelling; empty where any of them is no unit."""
    sides = re.split(r" ?/ ?| per ", words)
    found = [_simple_unit(side) for side in sides]
    return "/".join(found) + power if all(found) else ""


def _simple_unit(words: str) -> str:
    """One unit with its power, without a slash."""
    unit = power = ""
    for name in words.split():
        bare, raised = re.fullmatch(r"(.*?)\^?\{?([23]?)\}?", name).groups()  # type: ignore[union-attr]
        if name.lower() in _POWERS and not power:
            power = _POWERS[name.lower()]
            continue
        known = _UNITS.get(bare.lower()) or _ABBREVIATIONS.get(bare)
        if known is None or unit:
            return ""
        unit, power = known, power or raised
    return unit + power if unit else ""
