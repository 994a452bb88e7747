r"""values.py - an answer span read as a value: a small tree with what comparison needs.

Numbers, words, choice letters, tuples, sets, lists, matrices and relations are told apart by
their outer shape; anything else is an expression, which only the slow path understands. No
text is evaluated here. Reading is total: any text gives a Value.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from labeler.grading.atoms import atom
from labeler.grading.brackets import closes_last, outer_text, peel, split_top
from labeler.grading.kinds import BOUND, Kind, Value
from labeler.grading.normalise import normalise
from labeler.grading.numerals import Numeral, numeral
from labeler.grading.units import DEGREE, PERCENT, split_unit

MAX_DEPTH = 6
"""Nesting of tuples in lists in sets that is told apart; deeper is an expression."""
MAX_PARTS = 50
"""Parts of a sequence that are told apart; a longer one is an expression."""


_MATRIX = re.compile(
    r"([(\[|]?)\\begin\{([pbvBV]?(?:small)?matrix|array)\}((?:(?!\\begin).)*)\\end\{\2\}[)\]|]?"
)
_RELATION = re.compile(r"\\(?:le|ge|ne|mid|in|notin|to|approx|equiv)(?![A-Za-z])|[<>]")
_BUILDER = re.compile(r"\\\{[A-Za-z](?:\\in ?\\mathbb\{R\})? ?(?:\\mid|\||:)(.*)\\\}")
_LETTER = r"(?:[A-Za-z]|\\[a-z]+)"
_LONE = re.compile(
    rf"{_LETTER}(?:_[A-Za-z0-9]|_\{{[^{{}}]*\}})?'*|[fghpqFGHPQEV]'*\([^()=]*\)"
    r"|[A-Z]{2,4}|\|[A-Z]{1,4}\||\\(?:overline|angle|triangle|vec) ?\{?[A-Za-z]{1,4}\}?"
    r'|"[^"]*"'
    r"|(?=[^=]*[aeiou])(?=[^=]{4})(?!.*\b(?:sin|cos|tan|log|ln|exp)[xyzn]?\b)"
    r"[A-Za-z]{3,}(?: [A-Za-z]{3,}){0,4}"
    rf"|\({_LETTER}(?:,{_LETTER})*\)"
)
"""What an answer may be the value of: a variable, a segment, a function's value, words, a point."""
_LETTERS = re.compile(r'\\[A-Za-z]+|"[^"]*"|([A-Za-z])')
_ANGLED = re.compile(r"sin|cos|tan|cot|sec|csc|°")
"""What makes a degree sign at the end belong to the last factor."""
_CHOICE = re.compile(r'"?(?:\(([A-J])\)|([A-J])[.:)])[ ":.]*([^ ":.+*/^=,)(_!<>].*)')
_ANOTHER_CHOICE = re.compile(
    r'^"?(?:and|or|not)\b|\([A-J]\)|(?:^|[ ,;"])[A-J](?:[.:)]|"?$)', re.IGNORECASE
)
_ABOUT = re.compile(r"^(?:about|approximately|roughly|around|exactly) ?(?=[-0-9\\$(])")
_NEGATIVE = re.compile(r'^"?(?:negative|minus)"? ?(?=[0-9\\])')
_NAMED = dict.fromkeys(("all real numbers", "all reals"), r"\mathbb{R}") | {
    "infinity": r"\infty", "positive infinity": r"\infty", "negative infinity": r"-\infty",
}  # fmt: skip
_SAID = re.compile(r'"?[a-z ]*answer(?: is:?|:|"| )"? ?', re.IGNORECASE)


_PLAIN = re.compile(
    r"(\\?\$)?(-?(?:[0-9][0-9,]{0,40}(?:\.[0-9]{1,40})?|\\frac\{[0-9]{1,40}\}\{[0-9]{1,40}\}"
    r"|[0-9]{1,40}/[0-9]{1,40}))(\\?%)?"
)


def read(span: str) -> Value:
    """The value that a span is."""
    return _plain(span) or _spelled(span)


def _plain(span: str) -> Value | None:
    """A number in one of the spellings that most answers have: what `_spelled` makes of it, sooner.

    Normalising costs twenty times as much.
    """
    match = _PLAIN.fullmatch(span)
    if match is None:
        return None
    money, text, percent = match.groups()
    number = numeral(text)
    if number is None or (money and percent):
        return None
    return Value(Kind.NUMBER, text, number, "$" if money else PERCENT if percent else "")


def _spelled(span: str) -> Value:
    text = normalise(span)
    said = _SAID.match(text) if "nswer" in text else None
    return _read(text[said.end() :].strip('" ') if said else text, 0)


def _read(text: str, depth: int) -> Value:
    if depth >= MAX_DEPTH:
        return Value(Kind.EXPRESSION, text)
    text = peel(_exact_part(text.lstrip(" ,;:=").rstrip(" .,;:")))
    text = _NAMED.get(text.replace('"', "").lower(), text)
    return _chosen(text, depth) or atom(text) or _measured(text, depth)


def _chosen(text: str, depth: int) -> Value | None:
    """A choice letter with its value."""
    choice = _CHOICE.fullmatch(text)
    if choice is None or _ANOTHER_CHOICE.search(choice.group(3)):
        return None
    value = _read(choice.group(3).strip('"' if text.count('"') % 2 else ""), depth + 1)
    return Value(Kind.CHOICE, text, parts=(value,), name=choice.group(1) or choice.group(2))


def _measured(text: str, depth: int) -> Value:
    """A value with its unit, if it has one."""
    rest, unit, scale = split_unit(text)
    number = numeral(rest)
    if number is not None:
        if scale != 1:
            places = None if number.places is None else 0
            number = Numeral(number.value * scale, places, number.significant)
        return Value(Kind.NUMBER, rest, number, unit)
    if rest == text or (unit == DEGREE and _ANGLED.search(rest)):
        return _compound(text, depth)
    return replace(atom(rest) or _compound(rest, depth), unit=unit)


def _exact_part(text: str) -> str:
    r"""What stands before `\approx`, or behind it where a name or nothing does."""
    text = _NEGATIVE.sub("-", _ABOUT.sub("", text))
    if "\\approx" not in text:
        return text
    left, right = text.split("\\approx", 1)
    return right if not left.strip() or _LONE.fullmatch(left.strip()) else left


def _compound(text: str, depth: int) -> Value:
    matrix = _MATRIX.fullmatch(text)
    if matrix is not None:
        return _matrix(text, matrix, depth)
    at = text.find("\\begin")
    scaled = _MATRIX.fullmatch(text[at:]) if at > 0 and "=" not in text[:at] else None
    if scaled is not None:
        return _matrix(text, scaled, depth, text[:at].removesuffix("\\cdot").removesuffix("*"))
    return _sequence(text, depth) or _plus_minus(text, depth) or _relation(text, depth)


def _matrix(text: str, matrix: re.Match[str], depth: int, factor: str = "") -> Value:
    opening, style, body = matrix.groups()
    if style == "array":
        body = re.sub(r"^\{[^}]*\}", "", body)
    rows = [row.split("&") for row in body.split("\\\\") if row.strip(" ")]
    if sum(map(len, rows)) > MAX_PARTS:
        return Value(Kind.EXPRESSION, text)
    if factor == "-":
        factor = "-1"
    if factor:
        rows = [[f"({factor})({cell})" for cell in row] for row in rows]
    return _rows(text, rows, depth, "|" if opening == "|" or style[0] in "vV" else "")


def _sequence(text: str, depth: int) -> Value | None:
    builder = _BUILDER.fullmatch(text)
    if builder is not None:
        found = _read(builder.group(1), depth + 1)
        return replace(found, name=BOUND) if found.kind is Kind.RELATION else found
    pieces, unions = split_top(text, grouped=True)
    if len(pieces) > 1:
        return _sequence_of(Kind.LIST, text, pieces, depth)
    if len(unions) > 1:
        return _sequence_of(Kind.UNION, text, unions, depth)
    if text[:1] in ("(", "[", "{", "\\"):
        return _bracketed(text, depth)
    return None


def _bracketed(text: str, depth: int) -> Value | None:
    if text.startswith("\\{") and text.endswith("\\}"):
        return _sequence_of(Kind.SET, text, split_top(text[2:-2])[0], depth)
    if text.startswith("{") and text.endswith("}") and len(split_top(text[1:-1])[0]) > 1:
        return _sequence_of(Kind.SET, text, split_top(text[1:-1])[0], depth)
    if text[0] in "\\{" or text[-1] not in ")]" or not closes_last(text):
        return None
    pieces, _ = split_top(text[1:-1])
    rows = [piece.strip() for piece in pieces]
    if text[0] == "[" and rows and all(row[:1] + row[-1:] == "[]" for row in rows):
        return _rows(text, [split_top(row[1:-1])[0] for row in rows], depth)
    if len(pieces) < 2:
        return None
    return _sequence_of(Kind.TUPLE, text, pieces, depth, text[0] + text[-1])


def _rows(text: str, rows: Sequence[Sequence[str]], depth: int, name: str = "") -> Value:
    parts = tuple(
        Value(Kind.TUPLE, ",".join(row), parts=tuple(_read(cell, depth + 1) for cell in row))
        for row in rows
    )
    return Value(Kind.MATRIX, text, parts=parts, name=name)


def _plus_minus(text: str, depth: int) -> Value | None:
    """Both values of an expression with one plus-minus sign, as a list."""
    if text.count("\\pm") != 1 or "=" in outer_text(text):
        return None
    pieces = text.split("\\pm")
    return _sequence_of(Kind.LIST, text, [f"{pieces[0]}{sign}{pieces[1]}" for sign in "+-"], depth)


def _sequence_of(kind: Kind, text: str, pieces: list[str], depth: int, name: str = "") -> Value:
    if len(pieces) > MAX_PARTS:
        return Value(Kind.EXPRESSION, text)
    parts: list[Value] = []
    for piece in pieces:
        part = _read(piece, depth + 1)
        flat = part.kind is Kind.LIST and kind in (Kind.SET, Kind.LIST)
        parts += part.parts if flat else (part,)
    return Value(kind, text, parts=tuple(parts), name=name)


def _chain(text: str, equals: Sequence[int], depth: int) -> Value:
    """`a = b = c`: a value where it ends in a number, or repeats one expression of a name."""
    ends = [-1, *equals, len(text)]
    sides = [text[left + 1 : right] for left, right in pairwise(ends)]
    letters = [set(_LETTERS.findall(side)) - {""} for side in sides]
    named = _LONE.fullmatch(sides[0].strip()) and all(one == letters[-1] for one in letters[1:])
    if not letters[-1] and letters[0]:
        return _read(sides[-1], depth + 1)
    if named or not any(letters):
        return _relation(f"{sides[0]}={sides[-1]}", depth)
    return Value(Kind.RELATION, text)


def _relation(text: str, depth: int) -> Value:
    member = re.match(r"(?:[A-Za-z]|\\[a-z]+)\\in(?![A-Za-z])", text)
    if member is not None:
        return _read(text[member.end() :], depth + 1)
    outer = outer_text(text)
    if _RELATION.search(outer):
        return Value(Kind.RELATION, text)
    equals = [at for at, mark in enumerate(outer) if mark == "="]
    if not equals:
        return Value(Kind.EXPRESSION, text)
    if len(equals) > 1:
        return _chain(text, equals, depth)
    sides = (text[: equals[0]], text[equals[0] + 1 :])
    lone = [side for side in sides if _LONE.fullmatch(side.strip())]
    name = lone[0].strip() if lone else ""
    left, right = (sides[1], sides[0]) if lone and lone[0] is sides[1] else (sides[0], sides[1])
    parts = (_read(left, depth + 1), _read(right, depth + 1))
    return Value(Kind.EQUATION, text, parts=parts, name=name)
