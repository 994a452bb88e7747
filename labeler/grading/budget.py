r"""budget.py - what is too big to be given to a symbolic engine at all.

Reads text only, in linear time, before anything is parsed: length, nesting, runs of digits,
power towers, factorials, binomials, long sums. What passes may still be slow, and is then
stopped by the clock; what fails here would allocate or abort before a clock could help.
"""

import re

MAX_LENGTH = 1000
MAX_NESTING = 25
MAX_DIGITS = 300
MAX_FACTORIAL = 3000
MAX_EXPONENT = 100_000
MAX_TERMS = 2000

_ALLOWED = re.compile(r"[A-Za-z0-9\s+\-*/^_{}()\[\]|<>=.,:;!\\&%°'\"]*")
_BESIDE = re.compile(r"(?<!_)[0-9] [0-9]")
_NUMBER = re.compile(r"[0-9]+")
_COUNTED = re.compile(r"!|\\[dt]?binom|\\choose")
_SUMMED = re.compile(r"\\(?:sum|prod|int|lim)")
_EXPONENT = re.compile(r"\^[\s{(]*([0-9]{1,300})")


def is_maths(text: str) -> bool:
    """Whether normalised text holds only what mathematics is written with.

    Two numbers side by side are refused too: parsers add or multiply them.
    """
    return (
        "__" not in text and _BESIDE.search(text) is None and _ALLOWED.fullmatch(text) is not None
    )


def too_big(text: str) -> bool:
    """Whether text is beyond the budgets."""
    if len(text) > MAX_LENGTH or _nesting(text) > MAX_NESTING:
        return True
    numbers = [digits.lstrip("0") for digits in _NUMBER.findall(text)]
    if any(len(digits) > MAX_DIGITS for digits in numbers):
        return True
    largest = max((int(digits or "0") for digits in numbers), default=0)
    if _COUNTED.search(text) and (largest > MAX_FACTORIAL or _repeated_factorial(text)):
        return True
    if _SUMMED.search(text) and largest > MAX_TERMS:
        return True
    if any(int(power) > MAX_EXPONENT for power in _EXPONENT.findall(text)):
        return True
    return _tower(text)


def _nesting(text: str) -> int:
    depth = deepest = 0
    for mark in text:
        if mark in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in ")]}":
            depth -= 1
    return deepest


def _repeated_factorial(text: str) -> bool:
    """A factorial of a factorial or a power, or a power with a factorial in it."""
    return text.count("!") > 4 or re.search(r"!\s*\)*\s*!|\^[^!]{0,20}!|[)}]\s*!", text) is not None


def _tower(text: str) -> bool:
    """Whether an exponent holds a power of a number above 9, or towers three deep."""
    powers: list[int] = []
    depth = 0
    for at, mark in enumerate(text):
        if mark in "({":
            depth += 1
        elif mark in ")}":
            depth -= 1
            powers = [level for level in powers if level < depth]
        elif mark == "^":
            inside = [level for level in powers if level <= depth]
            number = re.match(r"[\s{(]*([0-9]+)", text[at + 1 : at + 12])
            large = number is not None and int(number.group(1)) > 9
            if len(inside) >= 2 or (inside and large):
                return True
            powers = [*inside, depth + 1] if text[at + 1 : at + 2] in ("{", "(") else inside
            if text[at + 2 : at + 3] == "^":
                return True
    return False
