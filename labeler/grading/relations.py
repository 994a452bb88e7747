r"""relations.py - equations, inequalities and sets of reals; runs only inside a worker process.

Two relations are the same when their differences of sides stand in a constant ratio (a positive
one for inequalities): lines, circles, half planes. Inequalities in one variable, intervals,
unions and set-builders are compared as sets of real numbers, which sympy solves for.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from labeler.grading.evaluate import equal, real_value
from labeler.grading.parser import parse
from labeler.grading.points import agree, bind, points
from labeler.grading.symbolic import to_sympy
from labeler.grading.tokens import Unreadable
from labeler.grading.tree import (
    Node,
    Relation,
    add,
    free_symbols,
    mul,
    neg,
)
from labeler.grading.values import Kind, Value, read

_FLIPPED = {">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Region:
    """A set of real numbers."""

    set: Any
    """A sympy Set."""
    variable: str = ""
    """The variable that runs in it; empty for an interval."""


def same_region(gold: Value, answer: Value) -> bool | None:
    """Whether two values are the same set of reals; None where one is no such set."""
    regions = region(gold), region(answer)
    if regions[0] is None or regions[1] is None:
        return None
    names = {r.variable for r in regions if r is not None} - {""}
    return len(names) < 2 and _same_set(regions[0].set, regions[1].set)


def _same_set(gold: Any, answer: Any) -> bool:  # noqa: ANN401 - sympy has no types
    """Sets by their intervals, end points by their values: they may be written differently."""
    if gold == answer:
        return True
    left, right = _intervals(gold), _intervals(answer)
    if left is None or right is None or len(left) != len(right):
        return False
    return all(
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


def _node(text: str) -> Node:
    found = parse(text)
    if isinstance(found, Relation):
        raise Unreadable(text)
    return found


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

    return Region(sympy.FiniteSet(*(to_sympy(_node(part.text)) for part in value.parts)))


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
    left, right = (to_sympy(_node(part.text)).doit() for part in value.parts)
    return Region(Interval(left, right, value.name[0] == "(", value.name[1] == ")"))


def _solved(value: Value) -> Region | None:
    from sympy import Intersection, S, solveset
    from sympy import Symbol as Variable

    found = parse(value.text)
    if not isinstance(found, Relation):
        return None
    names = frozenset[str]().union(*map(free_symbols, found.sides))
    if len(names) != 1:
        return None
    (name,) = names
    variable = Variable(name, real=True)
    sets = [
        solveset(_inequality(left, right, sign), variable, S.Reals)
        for left, right, sign in _pairs(found)
    ]
    return Region(Intersection(*sets), name)


_MAKERS: dict[Kind, Callable[[Value], Region | None]] = {
    Kind.TUPLE: _interval,
    Kind.UNION: _union,
    Kind.LIST: _listed,
    Kind.SET: _finite,
    Kind.RELATION: _solved,
}


def _inequality(left: Node, right: Node, sign: str) -> Any:  # noqa: ANN401
    from sympy import Eq, Ge, Gt, Le, Lt, Ne

    makers = {"=": Eq, "!=": Ne, "<": Lt, "<=": Le, ">": Gt, ">=": Ge}
    return makers[sign](to_sympy(left).doit(), to_sympy(right).doit())


def _pairs(relation: Relation) -> list[tuple[Node, Node, str]]:
    return [
        (left, right, sign)
        for (left, right), sign in zip(pairwise(relation.sides), relation.signs, strict=True)
    ]


def same_relation(gold: Relation, answer: Relation) -> bool | None:
    """Whether two relations say the same, link by link in any order; None where unknown."""
    left = [_link(*pair) for pair in _pairs(gold)]
    right = [_link(*pair) for pair in _pairs(answer)]
    if len(left) != len(right):
        return None
    unknown = False
    for link in left:
        found = [_same_link(link, other) for other in right]
        if True in found:
            del right[found.index(True)]
        elif None in found:
            unknown = True
        else:
            return False
    return None if unknown else True


@dataclass(frozen=True, slots=True)
class _Link:
    """`gap sign 0`."""

    gap: Node
    sign: str


def _link(left: Node, right: Node, sign: str) -> _Link:
    if sign in _FLIPPED:
        return _Link(add(right, neg(left)), _FLIPPED[sign])
    return _Link(add(left, neg(right)), sign)


def _same_link(gold: _Link, answer: _Link) -> bool | None:
    if gold.sign != answer.sign:
        return False
    names = sorted(free_symbols(gold.gap) | free_symbols(answer.gap))
    for point in points(names, gold.gap, answer.gap):
        ends = bind(gold.gap, point), bind(answer.gap, point)
        sizes = [real_value(end) for end in ends]
        if None in sizes or 0 in sizes:
            continue
        if gold.sign in ("<", "<=") and (sizes[0] or 0) * (sizes[1] or 0) < 0:
            return False
        return agree(mul(gold.gap, ends[1]), mul(answer.gap, ends[0]), equal)
    return None
