r"""brackets.py - what is outside and what is inside the brackets of normalised text.

Pure text, linear time, any text: unbalanced brackets are no error, they only hide what follows.
"""

import re

SEPARATOR = re.compile(r',? ?"?\b(?:and|or)\b"?|,|;')
_GROUPS = r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])"
_MARK = re.compile(rf"[(\[{{]|[)\]}}]|\\cup(?![A-Za-z])|{SEPARATOR.pattern}")
_GROUPED_MARK = re.compile(rf"{_GROUPS}|{_MARK.pattern}")

_PAIRS = ("()", "{}")


def peel(text: str) -> str:
    """Without parentheses or braces round the whole, unless a comma may make a tuple of it."""
    if text[:1] + text[-1:] not in _PAIRS or "," in text or ";" in text:
        return text
    stack: list[int] = []
    closes: dict[int, int] = {}
    for at, mark in enumerate(text):
        if mark in "([{":
            stack.append(at)
        elif mark in ")]}" and stack:
            closes[stack.pop()] = at
    left, right = 0, len(text) - 1
    while left < right and text[left] + text[right] in _PAIRS and closes.get(left) == right:
        left, right = left + 1, right - 1
    return text[left : right + 1]


def closes_last(text: str) -> bool:
    """Whether the bracket that text begins with is closed by its last character."""
    depth = 0
    for at, mark in enumerate(text):
        depth += (mark in "([{") - (mark in ")]}")
        if depth == 0:
            return at == len(text) - 1
    return False


def split_top(text: str, *, grouped: bool = False) -> tuple[list[str], list[str]]:
    r"""Text split at its outer separators, and at its outer `\cup`s.

    Where digits are `grouped`, the commas of `x=1,234` separate nothing.
    """
    depth, start, union = 0, 0, 0
    pieces: list[str] = []
    unions: list[str] = []
    for mark in (_GROUPED_MARK if grouped else _MARK).finditer(text):
        found = mark.group()
        if found in "([{":
            depth += 1
        elif found in ")]}":
            depth -= 1
        elif found[0].isdigit():
            continue
        elif depth == 0 and found == "\\cup":
            unions.append(text[union : mark.start()])
            union = mark.end()
        elif depth == 0:
            pieces.append(text[start : mark.start()])
            start = mark.end()
    pieces = [piece for piece in (*pieces, text[start:]) if piece.strip(' "')]
    return pieces, [*unions, text[union:]]


def outer_text(text: str) -> str:
    """Text with everything inside brackets blanked."""
    depth = 0
    marks: list[str] = []
    for mark in text:
        if mark in "([{":
            depth += 1
        marks.append(" " if depth > 0 else mark)
        if mark in ")]}":
            depth -= 1
    return "".join(marks)
