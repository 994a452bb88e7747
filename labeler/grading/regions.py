r"""regions.py - inequalities, intervals and set-builders as sets of reals; only inside a worker.

Where ends are written out (intervals.py) they are compared by their values to many digits;
other inequalities in one variable are solved by sympy, and the solutions compared the same way.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from labeler.grading.evaluate import real_value
from labeler.grading.intervals import End, Pieces, node_of, pieces_of, rational_end
from labeler.grading.kinds import BOUND, Kind, Value
from labeler.grading.parser import parse
from labeler.grading.symbolic import to_sympy
from labeler.grading.tokens import Unreadable
from labeler.grading.tree import Apply, Node, Op, Relation, free_symbols, links, walk
from labeler.grading.values import read


@dataclass(frozen=True, slots=True)
class Region:
    """A set of real numbers."""

    set: Any
    """A sympy Set."""
    variable: str = ""
    """The variable that runs in it; empty for an interval."""


def same_region(gold: Value, answer: Value) -> bool | None:
    """Whether two values are the same set of reals; None where one is no such set."""
    left, right = pieces_of(gold, _end), pieces_of(answer, _end)
    if left is not None and right is not None:
        return _one_variable(left.variable, right.variable) and _same_pieces(left, right)
    try:
        regions = region(gold), region(answer)
    except (Unreadable, NotImplementedError):
        return None
    if regions[0] is None or regions[1] is None:
        return None
    if not _one_variable(regions[0].variable, regions[1].variable):
        return False
    return _same_set(regions[0].set, regions[1].set)


def _one_variable(*names: str) -> bool:
    return len({*names} - {""}) < 2


def _end(node: Node) -> Fraction | None:
    """An end point, to many digits where it is not rational."""
    return rational_end(node) or real_value(node)


def _same_pieces(gold: Pieces, answer: Pieces) -> bool:
    if len(gold.pieces) != len(answer.pieces):
        return False
    return all(
        _near(a.left, b.left)
        and _near(a.right, b.right)
        and (a.left_open, a.right_open) == (b.left_open, b.right_open)
        for a, b in zip(gold.pieces, answer.pieces, strict=True)
    )


_TINY = Fraction(1, 10**100)
"""What is left of an end that is zero, written with roots."""


def _near(a: End, b: End) -> bool:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return abs(a - b) <= max(abs(a) / 10**60, _TINY)
    return a == b


def _same_set(gold: Any, answer: Any) -> bool | None:  # noqa: ANN401 - sympy has no types
    """Sets by their intervals, end points by their values: they may be written differently."""
    if gold == answer:
        return True
    left, right = _intervals(gold), _intervals(answer)
    if left is None or right is None:
        return None
    return len(left) == len(right) and all(
        a[2:] == b[2:] and all(_same_end(x, y) for x, y in zip(a[:2], b[:2], strict=True))
        for a, b in zip(left, right, strict=True)
    )


def _same_end(a: Any, b: Any) -> bool:  # noqa: ANN401
    if a.is_infinite or b.is_infinite:
        return bool(a == b)
    return bool(abs((a - b).evalf(60)) <= abs(a.evalf(60)) * 10**-50)


def _intervals(region: Any) -> list[Any] | None:  # noqa: ANN401
    """(left, right, left open, right open) of each piece, from left to right."""
    from sympy import FiniteSet, Interval, Union

    found: list[Any] = []
    for piece in region.args if isinstance(region, Union) else (region,):
        if isinstance(piece, Interval):
            found.append((piece.start, piece.end, piece.left_open, piece.right_open))
        elif isinstance(piece, FiniteSet):
            found += [(point, point, False, False) for point in piece.args]
        else:
            return None
    return sorted(found, key=lambda piece: float(piece[0]))


def region(value: Value) -> Region | None:
    """The set of reals that a value is, or None. Raises what the parser and sympy raise."""
    import sympy

    text = value.text.replace(" ", "")
    if text in (r"\mathbb{R}", r"\emptyset"):
        return Region(sympy.S.Reals if "R" in text else sympy.S.EmptySet)
    if r"\setminus" in text:
        return _joined([region(read(part)) for part in text.split(r"\setminus")], sympy.Complement)
    maker = _MAKERS.get(value.kind)
    return None if maker is None else maker(value)


def _union(value: Value) -> Region | None:
    import sympy

    return _joined([region(part) for part in value.parts], sympy.Union)


def _listed(value: Value) -> Region | None:
    """Relations with "or", or with commas or "and" between them."""
    import sympy

    either = re.search(r"\bor\b", value.text) is not None
    parts = [region(part) for part in value.parts]
    return _joined(parts, sympy.Union if either else sympy.Intersection)


def _finite(value: Value) -> Region:
    import sympy

    return Region(sympy.FiniteSet(*(to_sympy(node_of(part.text)) for part in value.parts)))


def _joined(parts: Sequence[Region | None], join: Any) -> Region | None:  # noqa: ANN401
    known = [part for part in parts if part is not None]
    names = {part.variable for part in known} - {""}
    if len(known) < len(parts) or len(names) > 1:
        return None
    return Region(join(*(part.set for part in known)), next(iter(names), ""))


def _interval(value: Value) -> Region | None:
    from sympy import Interval

    if len(value.parts) != 2 or value.name[0] not in "([":
        return None
    left, right = (to_sympy(node_of(part.text)).doit() for part in value.parts)
    if (left < right) != True:  # noqa: E712 - sympy's own truth: a pair is no empty interval
        return None
    return Region(Interval(left, right, value.name[0] == "(", value.name[1] == ")"))


def _is_periodic(node: Node) -> bool:
    parts = (part for part in walk(node) if isinstance(part, Apply))
    return any(part.op in (Op.SIN, Op.COS, Op.TAN, Op.COT, Op.SEC, Op.CSC) for part in parts)


def _solved(value: Value) -> Region | None:
    from sympy import Intersection, S, solveset
    from sympy import Symbol as Variable

    found = parse(value.text)
    if not isinstance(found, Relation):
        return None
    names = frozenset[str]().union(*map(free_symbols, found.sides))
    if len(names) != 1 or any(map(_is_periodic, found.sides)):
        return None  # sympy solves over one period
    (name,) = names
    variable = Variable(name, real=True)
    sets = [
        solveset(_inequality(left, right, sign), variable, S.Reals)
        for left, right, sign in links(found)
    ]
    return Region(Intersection(*sets), "" if value.name == BOUND else name)


_MAKERS: dict[Kind, Callable[[Value], Region | None]] = {
    Kind.TUPLE: _interval,
    Kind.UNION: _union,
    Kind.LIST: _listed,
    Kind.SET: _finite,
    Kind.RELATION: _solved,
    Kind.EQUATION: _solved,
}


def _inequality(left: Node, right: Node, sign: str) -> Any:  # noqa: ANN401
    from sympy import Eq, Ge, Gt, Le, Lt, Ne

    makers = {"=": Eq, "!=": Ne, "<": Lt, "<=": Le, ">": Gt, ">=": Ge}
    return makers[sign](to_sympy(left).doit(), to_sympy(right).doit())
