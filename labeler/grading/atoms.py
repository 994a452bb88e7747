r"""atoms.py - answers without inner structure: numbers, words, choice letters, bases, ratios.

`atom` reads one from normalised text, or gives None. A number word ("eighteen") is a number; a
letter is a choice or a variable, whichever the gold makes of it.
"""

import re
from fractions import Fraction

from labeler.grading.brackets import SEPARATOR
from labeler.grading.kinds import Kind, Value
from labeler.grading.numerals import Numeral, numeral
from labeler.grading.tokens import BARE_SYMBOLS

_COUNT = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
"""
_NUMBER_WORDS = {word: count for count, word in enumerate(_COUNT.split())}
COUNTING = re.compile(
    rf"[0-9]|\b(?:{'|'.join(_NUMBER_WORDS)}|[a-z]+ty|hundred|thousand|million|half|third|quarter)\b"
)
"""A number among words, in digits or as a word."""
_LETTER = re.compile(r'(?:"?(?:option|choice) )?\(?"?\(?([A-Za-z])\)?"?\)?', re.IGNORECASE)
_BASE = re.compile(
    r"(-?)\(?([0-9][0-9A-F]*|[A-F][0-9A-F]*[0-9][0-9A-F]*)\)?"
    r'_(?:\{?([0-9]{1,2})\}?|\{?"([a-z]+)"\}?)'
)
_ORDINAL = re.compile(r'([0-9]{1,12})(?:\^?\{?"?(?:st|nd|rd|th)"?\}?)')
_RATIO = re.compile(r"[0-9]{1,9}(?::[0-9]{1,9})+")
_PROSE = re.compile(r"[A-Za-z][A-Za-z'-]*(?: [A-Za-z'-]+)*|[A-Za-z]{3,}(?: [A-Za-z0-9'-]+)+")
_MATHS = {"infinity", "inf", "sqrt", "sin", "cos", "tan", "ln", "log", "exp", *BARE_SYMBOLS}
_CURRENCIES = ("USD ", "EUR ", "GBP ", "Rs ")
_SHORT_WORDS = ("yes", "no", "nan", "odd")


def atom(text: str) -> Value | None:
    """The value of normalised text without inner structure."""
    number = numeral(text)
    if number is not None:
        return Value(Kind.NUMBER, text, number)
    letter = _LETTER.fullmatch(text)
    if letter is not None:
        return Value(Kind.LETTER, letter.group(1))
    count = _NUMBER_WORDS.get(text.replace('"', "").lower())
    if count is not None:
        return Value(Kind.NUMBER, text, Numeral(Fraction(count)))
    ordinal = _ORDINAL.fullmatch(text)
    if ordinal is not None:
        return Value(Kind.NUMBER, text, numeral(ordinal.group(1)))
    if _RATIO.fullmatch(text):
        return Value(Kind.RATIO, text)
    return _based(text) or _word(text)


def _based(text: str) -> Value | None:
    base = _BASE.fullmatch(text.replace(" ", ""))
    if base is None:
        return None
    minus, digits, name, word = base.groups()
    if word in _NUMBER_WORDS:
        name = str(_NUMBER_WORDS[word])
    return Value(Kind.BASE, minus + digits.lstrip("0"), name=name) if name else None


def _word(text: str) -> Value | None:
    inner = text.replace('"', "").strip()
    quoted = text.startswith('"') and text.endswith('"') and text.count('"') == 2
    if not quoted and not _PROSE.fullmatch(inner):
        return None
    if inner.startswith(_CURRENCIES):
        return None
    if any(word in _MATHS for word in re.split("[ -]", inner)) or SEPARATOR.search(inner):
        return None
    if quoted or len(inner) >= 4 or inner.lower() in _SHORT_WORDS:
        return Value(Kind.WORD, inner.lower())
    return None


def same_ratio(gold: str, answer: str) -> bool:
    """Whether two ratios are equal: as numbers, but a clock's as they stand."""
    if gold == answer:
        return True
    left, right = ([int(part) for part in text.split(":")] for text in (gold, answer))
    if len(left) != len(right) or 0 in left + right or _CLOCK.fullmatch(gold + "," + answer):
        return False
    return all(a * right[0] == b * left[0] for a, b in zip(left, right, strict=True))


_CLOCK = re.compile(r".*:[0-9]{2}(?:,.*)?|.*,.*:[0-9]{2}")
