r"""points.py - equality of expressions by their values at random points.

The points are rational (whole, where a symbol counts something) and drawn from a seed that
follows from the two expressions, so a verdict is the same on every machine and in both
directions. `agree` knows no arithmetic: `at` says of two expressions without variables whether
they are equal, different, or (None) have no value that tells.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from labeler.grading.exact import exact
from labeler.grading.structure import key
from labeler.grading.tree import BINDERS, Apply, Node, Number, Op, Symbol, free_symbols, walk
from labeler.model import digest

At = Callable[[Node, Node], bool | None]
"""Whether two expressions without variables are equal."""

TRIALS = 8
ENOUGH = 3
"""Points that show a value before two expressions count as equal."""
_SIGNS = (1, -1, 0, 1, 1, 1, 0, 1)
"""Of all variables at each trial; 0 is a sign each."""
_DENOMINATORS = (2503, 9973 * 3, 211)
"""Numerators go up to 9973: values of about 4, 1/3 and 47."""
_COUNTED = (Op.FACTORIAL, Op.DOUBLE_FACTORIAL, Op.BINOMIAL, Op.MOD, Op.GCD, Op.LCM)


def agree(gold: Node, answer: Node, at: At) -> bool | None:
    """Whether two expressions are equal wherever both have a value; None where none tells."""
    names = sorted(free_symbols(gold) | free_symbols(answer))
    told = 0
    for point in points(names, gold, answer):
        equal = at(bind(gold, point), bind(answer, point))
        if equal is False:
            return False
        told += equal is True
        if told == ENOUGH or (told and not names):
            return True
    return True if told > 1 else None


def points(names: Sequence[str], gold: Node, answer: Node) -> Iterator[dict[str, Node]]:
    """Points for the trials; one, the empty point, where there are no variables."""
    seed = digest(*sorted((key(gold), key(answer))))
    draw = random.Random(seed)
    counting = frozenset(counted(gold) | counted(answer))
    for trial in range(TRIALS if names else 1):
        denominator = _DENOMINATORS[trial % len(_DENOMINATORS)]
        point: dict[str, Node] = {}
        for name in names:
            sign = _SIGNS[trial] or draw.choice((1, -1))
            value = Fraction(sign * draw.randint(1, 9973), denominator)
            whole = Fraction(draw.randint(2, 9))
            point[name] = Number(whole if name in counting else value)
        yield point


def counted(node: Node) -> frozenset[str]:
    """Variables that stand for whole numbers: in bounds, factorials, powers of negatives."""
    found: list[Node] = []
    for part in walk(node):
        if not isinstance(part, Apply):
            continue
        if part.op in _COUNTED:
            found += part.args
        elif part.op in (Op.SUM, Op.PRODUCT):
            found += part.args[2:]
        elif part.op is Op.POW and isinstance(part.args[0], Number) and part.args[0].value < 0:
            found.append(part.args[1])
    return frozenset[str]().union(*map(free_symbols, found))


def bind(node: Node, point: Mapping[str, Node]) -> Node:
    """The tree with values in the place of variables."""
    if isinstance(node, Symbol):
        return point.get(node.name, node)
    if isinstance(node, Number):
        return node
    if node.op in BINDERS and isinstance(node.args[1], Symbol):
        own = node.args[1].name
        inner = {name: value for name, value in point.items() if name != own}
        body, variable, *rest = node.args
        return Apply(node.op, (bind(body, inner), variable, *(bind(part, point) for part in rest)))
    return Apply(node.op, tuple(bind(arg, point) for arg in node.args))


def exactly(bits: int) -> At:
    """Equality of rational values within a budget of bits; raises TooBig beyond it."""

    def at(gold: Node, answer: Node) -> bool | None:
        try:
            left, right = exact(gold, bits), exact(answer, bits)
        except ZeroDivisionError:
            return None
        return None if left is None or right is None else left == right

    return at
