r"""intervals.py - sets of reals whose ends are written out, without solving anything.

Intervals, their unions, and relations between one variable and rational numbers (`-2 \le x < 7`,
`x \ne 3`, "x < 0 or x > 2") are read as pieces of the number line. Other inequalities and other
end points are for a worker, which solves them (regions.py).
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from labeler.grading.exact import Budget, exact
from labeler.grading.kinds import BOUND, Kind, Value
from labeler.grading.parser import parse
from labeler.grading.tokens import TooBig, Unreadable
from labeler.grading.tree import CONSTANTS, INFINITY, Node, Relation, Symbol, neg

_BUDGET = Budget(bits=4096, steps=1000)
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!=", "=": "="}
End = Fraction | float
"""A rational number, or plus or minus infinity."""


def rational_end(node: Node) -> Fraction | None:
    """An end point's exact value, or None where it is not known to be rational."""
    return exact(node, _BUDGET)


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """One interval; a point is closed with equal ends."""

    left: End
    right: End
    left_open: bool
    right_open: bool


@dataclass(frozen=True, slots=True)
class Pieces:
    """A set of reals as separate pieces from left to right."""

    pieces: tuple[Piece, ...]
    variable: str = ""
    """The variable that runs in it; empty for an interval."""


def same_pieces(gold: Value, answer: Value) -> bool | None:
    """Whether two values are the same set; None where one is not read as pieces."""
    left, right = pieces_of(gold), pieces_of(answer)
    if left is None or right is None:
        return None
    named = {left.variable, right.variable} - {""}
    return len(named) < 2 and left.pieces == right.pieces


def pieces_of(value: Value, end: Callable[[Node], End | None] = rational_end) -> Pieces | None:
    """The set that a value is, its ends as `end` reads them; None where it is no such set."""
    try:
        found, names = _Reader(end).pieces(value)
    except (Unreadable, TooBig, ZeroDivisionError):
        return None
    found.sort()
    if len(names) > 1 or not all(map(_is_full, found)):
        return None
    if not all(_are_separate(a, b) for a, b in pairwise(found)):
        return None
    return Pieces(tuple(found), next(iter(names), ""))


def _is_full(piece: Piece) -> bool:
    return piece.left < piece.right or not (
        piece.left > piece.right or piece.left_open or piece.right_open
    )


def _are_separate(a: Piece, b: Piece) -> bool:
    """Whether the second begins after the first, so that the two are not one piece."""
    return a.right < b.left or (a.right == b.left and a.right_open and b.left_open)


class _Reader:
    def __init__(self, end: Callable[[Node], End | None]) -> None:
        self._read_end = end

    def pieces(self, value: Value) -> tuple[list[Piece], set[str]]:
        """Pieces in any order, and the variables named. Raises Unreadable for another value."""
        if value.kind is Kind.TUPLE and len(value.parts) == 2 and value.name[0] in "([":
            left, right = (self._end(node_of(part.text)) for part in value.parts)
            return [Piece(left, right, value.name[0] == "(", value.name[1] == ")")], set()
        if value.kind is Kind.SET:
            ends = [self._end(node_of(part.text)) for part in value.parts]
            return [Piece(end, end, left_open=False, right_open=False) for end in ends], set()
        if value.kind in (Kind.RELATION, Kind.EQUATION):
            found, names = self._related(value.text)
            return found, set() if value.name == BOUND else names
        either = value.kind is Kind.LIST and re.search(r"\bor\b", value.text)
        if value.kind is not Kind.UNION and not either:
            return _named(value.text), set()
        each = [self.pieces(part) for part in value.parts]
        pieces = [piece for more, _ in each for piece in more]
        return pieces, set[str]().union(*(names for _, names in each))

    def _related(self, text: str) -> tuple[list[Piece], set[str]]:
        relation = parse(text)
        if not isinstance(relation, Relation):
            raise Unreadable(text)
        sides, signs = relation.sides, relation.signs
        if len(sides) == 2 and _is_variable(sides[1]):
            sides, signs = (sides[1], sides[0]), (_MIRRORED[signs[0]],)
        if len(sides) == 2 and _is_variable(sides[0]):
            return _half(signs[0], self._end(sides[1])), _name(sides[0])
        if len(sides) == 3 and _is_variable(sides[1]):
            ends = self._end(sides[0]), self._end(sides[2])
            return [_between(*ends, signs)], _name(sides[1])
        raise Unreadable(text)

    def _end(self, node: Node) -> End:
        if node in (INFINITY, neg(INFINITY)):
            return math.inf if node == INFINITY else -math.inf
        value = self._read_end(node)
        if value is None:
            raise Unreadable("an end without a value")
        return value


def _named(text: str) -> list[Piece]:
    r"""`\mathbb{R}` and `\emptyset`."""
    if text == r"\mathbb{R}":
        return [Piece(-math.inf, math.inf, left_open=True, right_open=True)]
    if text == r"\emptyset":
        return []
    raise Unreadable(text)


def _half(sign: str, end: End) -> list[Piece]:
    below = Piece(-math.inf, end, left_open=True, right_open=sign != "<=")
    above = Piece(end, math.inf, left_open=sign != ">=", right_open=True)
    point = Piece(end, end, left_open=False, right_open=False)
    chosen = {"<": [below], "<=": [below], ">": [above], ">=": [above], "=": [point]}
    return chosen.get(sign, [below, above])


def _between(first: End, last: End, signs: tuple[str, ...]) -> Piece:
    if all(sign in ("<", "<=") for sign in signs):
        return Piece(first, last, signs[0] == "<", signs[1] == "<")
    if all(sign in (">", ">=") for sign in signs):
        return Piece(last, first, signs[1] == ">", signs[0] == ">")
    raise Unreadable(signs[0])


def _is_variable(node: Node) -> bool:
    return isinstance(node, Symbol) and node not in CONSTANTS


def _name(node: Node) -> set[str]:
    return {node.name} if isinstance(node, Symbol) else set()


def node_of(text: str) -> Node:
    """The expression that text is. Raises Unreadable for a relation, too."""
    found = parse(text)
    if isinstance(found, Relation):
        raise Unreadable(text)
    return found
