r"""relations.py - equations and inequalities between expressions; only inside a worker process.

Two relations are the same when their differences of sides stand in a constant ratio (a positive
one for inequalities): lines, circles, half planes. A chain is the set of its links.
"""

from dataclasses import dataclass

from labeler.grading.evaluate import is_zero, real_value
from labeler.grading.points import bind, points, vanishes
from labeler.grading.structure import remainder
from labeler.grading.tree import Node, Relation, add, free_symbols, links, mul, neg

_FLIPPED = {">": "<", ">=": "<="}


def same_relation(gold: Relation, answer: Relation) -> bool | None:
    """Whether two relations say the same, link by link in any order; None where unknown."""
    left = [_link(*pair) for pair in links(gold)]
    right = [_link(*pair) for pair in links(answer)]
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
    if not free_symbols(gold.gap) | free_symbols(answer.gap):
        return _is_same(gold.gap, answer.gap)
    for point in points(gold.gap, answer.gap):
        ends = bind(gold.gap, point), bind(answer.gap, point)
        sizes = [real_value(end) for end in ends]
        if None in sizes or 0 in sizes:
            continue
        if gold.sign in ("<", "<=") and (sizes[0] or 0) * (sizes[1] or 0) < 0:
            return False
        return _is_same(mul(gold.gap, ends[1]), mul(answer.gap, ends[0]))
    return None


def _is_same(gold: Node, answer: Node) -> bool | None:
    rest = remainder(gold, answer)
    if not isinstance(rest, Node):
        return rest
    return vanishes(rest, is_zero) if free_symbols(rest) else is_zero(rest)
