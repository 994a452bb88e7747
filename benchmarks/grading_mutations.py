r"""Mutations of gold answers: pure functions of text, each with the verdict that it deserves.

A mutation is a pure function of the gold's text: the mutated answer, or None where it does not
apply. Whether it applies is decided by the syntax written down here, never by asking a grader,
so that each mutated answer truly deserves its wanted verdict. What is left out, and why:
- thin spaces: digits after a decimal point (grouped there by another custom).
- x=: words and choice letters (no values), relations (already have a left side). The letter is
  one that the gold does not hold, so that it stays an assignment and is no equation to solve.
- units: all but real numbers without a unit; degrees, money and cm would get a second one.
- reordered sum: fewer than two terms at the top level, `\pm` (no sum of a fixed sign), words,
  units (they belong to the last term), lists and matrices.
- last and first digit: golds without a digit; 0 and 1 under an exponent and a zero numerator
  (another exponent or denominator leaves the value). 9 becomes 8, so no zero leads and no base
  is 10; a digit of a base-n numeral stays below n.
- sign flipped: words, 0, anything with `\pm` (may be symmetric). Of a relation the right-hand
  side flips, or, where that is 0, the first of several terms on the left. Of lists, tuples,
  intervals and matrices the first entry that is neither 0 nor infinite.
- bracket closed: what may be a point and no interval (a pair in parentheses counts as interval
  when its integers grow or it is (-a, a): half-open it is neither), ends at infinity.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

_GROUPED = r"\d{1,3}(?:,(?:\\!)?\s*\d{3})+(?!\d)"
_NUMBER = re.compile(rf"-?(?:\\?\$)?(?:{_GROUPED}|\d+(?!\d))?(?:\.\d+)?")
_WORD = re.compile(r"\\text\{[^}]*\}|[A-Za-z]{2,}")
_RELATION = re.compile(r"[=<>]|\\(?:in|leq?|geq?|neq?)(?![a-z])")
_FRACTION = re.compile(r"\\[dtc]?frac(?![a-z])")
_BASE = re.compile(r"-?[0-9A-Z]+_\{?(\d+)\}?")
_DELIMITER = re.compile(
    r"(\\left(?:\\.|.)|\\right(?:\\.|.)|\\(?:begin|end)\{\w+\}|\\\\|\\cup|\\[{}]|[()\[\],&])"
)
_INTERVAL = re.compile(r"((?:\\left)?[(\[])([^()\[\],]+),([^()\[\],]+?)((?:\\right)?[)\]])")
_TERM = re.compile(r"[^-+/]+")
_ATOM = re.compile(r"\d+|[a-zA-Z]|\\[a-zA-Z]+(?:\{\w+\})?")
_UNCHANGED = re.compile(r"(?<![\d.])[01]\s*\^|frac\s*(?:0|\{\s*0\s*\})")


@dataclass(frozen=True, slots=True)
class Mutation:
    """A change of a gold; `wanted` is whether the changed answer is still right."""

    name: str
    wanted: bool
    change: Callable[[str], str | None]


def full_stop(gold: str) -> str | None:
    return gold + "."


def thin_spaces(gold: str) -> str | None:
    plain = re.sub(r",(?:\\!)?\s*", "", gold) if _is_number(gold) else gold
    changed = re.sub(
        r"(?<![\d.])\d{4,}", lambda m: re.sub(r"(?<=\d)(?=(?:\d{3})+$)", r"\\,", m[0]), plain
    )
    return changed if changed != plain else None


def degree_sign(gold: str) -> str | None:
    changed = re.sub(r"\^\s*(?:\\circ|\{\s*\\circ\s*\})", "°", gold)
    return changed if changed != gold else None


def slash_fractions(gold: str) -> str | None:
    changed = gold
    while found := list(_FRACTION.finditer(changed)):
        start, end = found[-1].span()
        top, end = _argument(changed, end)
        bottom, end = _argument(changed, end)
        slash = f"{_factor(top, _TERM)}/{_factor(bottom, _ATOM)}"
        changed = _placed(changed[:start].rstrip(), slash, changed[end:].lstrip())
    return changed if changed != gold else None


def assigned(gold: str) -> str | None:
    if _is_word(gold) or _RELATION.search(gold):
        return None
    letters = set(re.sub(r"\\[a-zA-Z]+", "", gold))
    return f"{next(x for x in 'xyztuvw' if x not in letters)}={gold}"


def with_units(gold: str) -> str | None:
    rest = re.sub(r"\\(?:[dt]?frac|sqrt|pi)(?![a-z])", "", gold)
    if "," in gold and not _is_number(gold):
        return None
    return gold + r"\text{ units}" if re.fullmatch(r"(?:[-\d.+/{} ]|,(?:\\!)?)*", rest) else None


def bmatrix(gold: str) -> str | None:
    return gold.replace("{pmatrix}", "{bmatrix}") if "{pmatrix}" in gold else None


def reordered(gold: str) -> str | None:
    if re.search(r",|\\(?:pm|mp|begin|in|text|mbox|circ|cup|infty|%|\$)(?![a-z])", gold):
        return None
    sides = [_terms(side) for side in gold.split("=")]
    if all(len(side) < 2 for side in sides):
        return None
    turned = [" ".join(reversed(side)).removeprefix("+").strip() for side in sides]
    return " = ".join(turned)


def last_digit(gold: str) -> str | None:
    return _digit(gold, -1)


def first_digit(gold: str) -> str | None:
    return _digit(gold, 0)


def sign_flipped(gold: str) -> str | None:
    if r"\pm" in gold or _is_word(gold) or gold.strip("0.") == "":
        return None
    *_, relation = [None, *_RELATION.finditer(gold)]
    cut = relation.end() if relation else 0
    left, right = gold[:cut], gold[cut:]
    if right.strip() == "0":
        return _negated(left) + right if len(_terms(left[:-1])) > 1 else None
    if ("," not in right or _is_number(right)) and r"\begin" not in right:
        return left + _negated(right)
    pieces = _DELIMITER.split(right)
    for i in range(0, len(pieces), 2):
        if pieces[i].strip() not in ("", "0") and r"\infty" not in pieces[i]:
            pieces[i] = _negated(pieces[i])
            return left + "".join(pieces)
    return None


def bracket_closed(gold: str) -> str | None:
    parts = list(_INTERVAL.finditer(gold))
    if not parts or re.sub(r"\w \\in|\\cup|\s", "", _INTERVAL.sub("", gold)):
        return None
    if not _surely_interval(gold, parts):
        return None
    for part in parts:
        opening, low, high, closing = part.groups()
        if opening.endswith("(") and r"\infty" not in low:
            return gold[: part.end(1) - 1] + "[" + gold[part.end(1) :]
        if closing.endswith(")") and r"\infty" not in high:
            return gold[: part.end(4) - 1] + "]" + gold[part.end(4) :]
    return None


def _is_number(text: str) -> bool:
    return any(c.isdigit() for c in text) and _NUMBER.fullmatch(text) is not None


def _is_word(text: str) -> bool:
    return _WORD.fullmatch(text) is not None


def _argument(text: str, at: int) -> tuple[str, int]:
    """A macro's argument from `at` on, without its braces, and where it ends."""
    while text[at] == " ":
        at += 1
    if text[at] != "{":
        return text[at], at + 1
    depth = 0
    for end in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[at + 1 : end], end + 1
    raise ValueError(text)


def _factor(text: str, whole: re.Pattern[str]) -> str:
    """Text, in parentheses unless a slash beside it leaves it whole."""
    text = text.strip()
    return text if whole.fullmatch(text) else f"({text})"


def _placed(before: str, slash: str, after: str) -> str:
    """A slash fraction among its neighbours: in parentheses where one multiplies it."""
    if re.fullmatch(r"\d+/\d+", slash) and re.search(r"(?<![\d.])\d+$", before):
        return f"{before} {slash}{after}"
    alone = re.search(r"(?:^|[-+=,&(\[{]|\\\\)$", before) and re.match(
        r"$|[-+=,&)\]}]|\\(?:\\|right|cup|text|mbox)", after
    )
    return f"{before}{slash}{after}" if alone else f"{before}({slash}){after}"


def _terms(text: str) -> list[str]:
    """Top-level terms, each with its sign; the first without one counts as plus."""
    terms, depth = [""], 0
    for at, mark in enumerate(text):
        depth += (mark in "([{") - (mark in ")]}")
        if depth == 0 and mark in "+-" and text[:at].strip() and text[at - 1] not in "^_":
            terms.append("")
        terms[-1] += mark
    terms = [term.strip() for term in terms]
    return [term if term[:1] in ("+", "-") else f"+ {term}" for term in terms]


def _negated(text: str) -> str:
    bare = text.lstrip()
    return bare[1:] if bare.startswith("-") else f"-{bare}"


def _digit(gold: str, which: int) -> str | None:
    digits = list(re.finditer(r"\d", gold))
    if not digits or _UNCHANGED.search(gold):
        return None
    at = digits[which].start()
    numeral = _BASE.fullmatch(gold)
    largest = int(numeral[1]) - 1 if numeral and at < gold.index("_") else 9
    digit = int(gold[at])
    return f"{gold[:at]}{digit + 1 if digit < largest else digit - 1}{gold[at + 1 :]}"


def _surely_interval(gold: str, parts: list[re.Match[str]]) -> bool:
    """Whether no pair in parentheses is meant: see the module's docstring."""
    if len(parts) > 1 or r"\infty" in gold or r"\in" in gold:
        return True
    opening, low, high, closing = (text.strip() for text in parts[0].groups())
    if (opening[-1], closing[-1]) != ("(", ")"):
        return opening[-1] + closing[-1] != "[]"
    if low == f"-{high}":
        return True
    return all(re.fullmatch(r"-?\d+", end) for end in (low, high)) and int(low) < int(high)


MUTATIONS = (
    Mutation("full stop", True, full_stop),
    Mutation("thin spaces", True, thin_spaces),
    Mutation("degree sign", True, degree_sign),
    Mutation("slash fractions", True, slash_fractions),
    Mutation("x=", True, assigned),
    Mutation("units", True, with_units),
    Mutation("bmatrix", True, bmatrix),
    Mutation("reordered sum", True, reordered),
    Mutation("last digit", False, last_digit),
    Mutation("first digit", False, first_digit),
    Mutation("sign flipped", False, sign_flipped),
    Mutation("bracket closed", False, bracket_closed),
)
