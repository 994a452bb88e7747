"""settle.py - what exact arithmetic and structure say of two expressions, without sympy.

Pure and cheap (microseconds to a millisecond, by budget), so it runs in the caller's process and
spares most symbolic answers the way to a worker, which starts with it, too.
"""

from labeler.grading.conventions import Conventions
from labeler.grading.exact import Budget, exact
from labeler.grading.numerals import Numeral, same_number
from labeler.grading.parser import parse
from labeler.grading.points import agree, exactly
from labeler.grading.rulings import UNDECIDED, Rule, Ruling, ruled
from labeler.grading.structure import same
from labeler.grading.tokens import TooBig, Unreadable
from labeler.grading.tree import Node, Number, Relation, free_symbols
from labeler.grading.values import Kind, Value
from labeler.model import Reason

BUDGET = Budget(bits=4096, steps=4000)
"""Of exact arithmetic here; a worker has a larger one."""

_SETS = (Kind.TUPLE, Kind.SET, Kind.LIST, Kind.UNION)
"""Kinds that only a worker can compare with a kind of another shape, as sets of numbers."""


def settle(gold: Value, answer: Value, conventions: Conventions) -> Ruling:
    """The ruling on two expressions, numbers or relations; undecided where a worker has to tell."""
    if not {gold.kind, answer.kind}.isdisjoint(_SETS):
        return UNDECIDED
    left, right = tree_of(gold, Reason.UNPARSED_GOLD), tree_of(answer, Reason.UNPARSED_ANSWER)
    for tree in (left, right):
        if isinstance(tree, Reason):
            return Ruling(tree, Rule.READING)
    if left == right:
        return ruled(Rule.STRUCTURE, equal=True)
    if isinstance(left, Node) and isinstance(right, Node):
        return _nodes((gold, left), (answer, right), conventions)
    return UNDECIDED


def _nodes(
    gold: tuple[Value, Node], answer: tuple[Value, Node], conventions: Conventions
) -> Ruling:
    numbers = number_of(*gold), number_of(*answer)
    if numbers[0] is not None and numbers[1] is not None:
        return same_number(numbers[0], numbers[1], conventions)
    if any(number is not None and number.places is not None for number in numbers):
        return UNDECIDED
    equal = same(gold[1], answer[1])
    if equal is not None:
        return ruled(Rule.STRUCTURE, equal=equal)
    return _at_points(gold[1], answer[1])


def _at_points(gold: Node, answer: Node) -> Ruling:
    if not free_symbols(gold) | free_symbols(answer):
        return UNDECIDED
    try:
        equal = agree(gold, answer, exactly(BUDGET))
    except TooBig:
        return UNDECIDED
    return UNDECIDED if equal is None else ruled(Rule.POINTS, equal=equal)


def tree_of(value: Value, blame: Reason) -> Node | Relation | Reason:
    """The tree of a value, or why there is none."""
    if value.number is not None:
        return Number(value.number.value)
    try:
        return parse(value.text)
    except Unreadable:
        return blame
    except TooBig:
        return Reason.TOO_BIG


def number_of(value: Value, tree: Node) -> Numeral | None:
    """The value as an exact number, a decimal with its digits; None where it is not known."""
    if value.number is not None:
        return value.number
    try:
        found = exact(tree, BUDGET)
    except (TooBig, ZeroDivisionError):
        return None
    return None if found is None else Numeral(found)
