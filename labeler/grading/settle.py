"""settle.py - what exact arithmetic and structure say of two expressions, without sympy.

Pure and cheap (microseconds to a millisecond, by budget), so it runs in the caller's process and
spares most symbolic answers the way to a worker, which starts with it, too.
"""

from labeler.grading.conventions import Conventions
from labeler.grading.exact import Budget, exact
from labeler.grading.intervals import same_pieces
from labeler.grading.kinds import Kind, Value, about_reals
from labeler.grading.numerals import Numeral, same_number
from labeler.grading.parser import parse
from labeler.grading.points import Irrational, exactly, vanishes
from labeler.grading.rulings import UNDECIDED, Rule, Ruling, ruled
from labeler.grading.structure import remainder
from labeler.grading.tokens import TooBig, Unreadable
from labeler.grading.tree import Node, Number, Relation, free_symbols
from labeler.model import Reason

BUDGET = Budget(bits=4096, steps=4000)
"""Of exact arithmetic here; a worker has a larger one."""

_SEQUENCES = (Kind.TUPLE, Kind.SET, Kind.LIST, Kind.UNION)
"""Kinds that equal another kind as sets of numbers at most."""


def settle(gold: Value, answer: Value, conventions: Conventions) -> Ruling:
    """The ruling on two expressions, relations or sets; undecided where a worker has to tell."""
    ruling = settle_structure(gold, answer, conventions)
    if ruling.reason is not None or about_reals(gold) or about_reals(answer):
        return ruling
    decimal = any(v.number is not None and v.number.places is not None for v in (gold, answer))
    trees = trees_of(gold, answer)
    if decimal or isinstance(trees, Ruling):
        return UNDECIDED
    left, right = trees
    if isinstance(left, Node) and isinstance(right, Node):
        return _at_points(left, right)
    return UNDECIDED


def settle_structure(gold: Value, answer: Value, conventions: Conventions) -> Ruling:
    """What shows without a value at any point."""
    if about_reals(gold) or about_reals(answer):
        same = same_pieces(gold, answer)
        return UNDECIDED if same is None else ruled(Rule.REGION, equal=same)
    if gold.kind in _SEQUENCES or answer.kind in _SEQUENCES:
        return UNDECIDED
    trees = trees_of(gold, answer)
    if isinstance(trees, Ruling):
        return trees
    left, right = trees
    if left == right:
        return ruled(Rule.STRUCTURE, equal=True)
    if not (isinstance(left, Node) and isinstance(right, Node)):
        return UNDECIDED
    return _nodes((gold, left), (answer, right), conventions)


def _nodes(
    gold: tuple[Value, Node], answer: tuple[Value, Node], conventions: Conventions
) -> Ruling:
    numbers = number_of(*gold), number_of(*answer)
    if numbers[0] is not None and numbers[1] is not None:
        return same_number(numbers[0], numbers[1], conventions)
    if any(number is not None and number.places is not None for number in numbers):
        return UNDECIDED
    rest = remainder(gold[1], answer[1])
    return ruled(Rule.STRUCTURE, equal=rest) if isinstance(rest, bool) else UNDECIDED


def _at_points(gold: Node, answer: Node) -> Ruling:
    rest = remainder(gold, answer)
    if not isinstance(rest, Node) or not free_symbols(rest):
        return UNDECIDED
    try:
        zero = vanishes(rest, exactly(BUDGET))
    except (TooBig, Irrational):
        return UNDECIDED
    return UNDECIDED if zero is None else ruled(Rule.POINTS, equal=zero)


def trees_of(gold: Value, answer: Value) -> tuple[Node | Relation, Node | Relation] | Ruling:
    """The trees of both values, or the ruling where one cannot be read."""
    left = _tree(gold, Reason.UNPARSED_GOLD)
    right = _tree(answer, Reason.UNPARSED_ANSWER)
    if isinstance(left, Reason):
        return Ruling(left, Rule.READING)
    return Ruling(right, Rule.READING) if isinstance(right, Reason) else (left, right)


def _tree(value: Value, blame: Reason) -> Node | Relation | Reason:
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
