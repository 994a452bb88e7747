r"""points.py - equality of expressions by their values at random points.

The points are rational (whole, where a symbol counts something) and drawn from a seed that
follows from the two expressions, so a verdict is the same on every machine and in both
directions. `agree` knows no arithmetic: `at` says of two expressions without variables whether
they are equal, different, or (None) have no value that tells.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from labeler.grading.exact import Budget, exact
from labeler.grading.structure import key
from labeler.grading.tree import BINDERS, Apply, Node, Number, Op, Symbol, free_symbols, walk
from labeler.model import digest


class Irrational(Exception):  # noqa: N818 - an outcome, not a fault
    """Exact arithmetic does not reach an expression."""


At = Callable[[Node, Node], bool | None]
"""Whether two expressions without variables are equal."""

_TRIALS = (
    (4, 1), (47, -1), (0, 0), (4, -1), (47, 1), (0, 1), (1000, -1), (1000, 1), (0, -1), (47, 0),
)  # fmt: skip
"""Size and sign of the values at each trial: sign 0 is a sign each, size 0 is below one, size
1000 is beyond every number in the expressions."""
ENOUGH = 3
"""Points that show a value before two smooth expressions count as equal."""
_BENT = (Op.ABS, Op.MAX, Op.MIN, Op.FLOOR, Op.CEILING, Op.MOD)
"""Operations that follow one formula here and another there: every trial counts then."""
_COUNTED = (Op.FACTORIAL, Op.DOUBLE_FACTORIAL, Op.BINOMIAL, Op.MOD, Op.GCD, Op.LCM)


def agree(gold: Node, answer: Node, at: At) -> bool | None:
    """Whether two expressions are equal wherever both have a value; None where none tells."""
    names = sorted(free_symbols(gold) | free_symbols(answer))
    enough = len(_TRIALS) if _bent(gold) or _bent(answer) else ENOUGH
    told = 0
    for point in points(names, gold, answer):
        equal = at(bind(gold, point), bind(answer, point))
        if equal is False:
            return False
        told += equal is True
        if told == enough or (told and not names):
            return True
    return True if told > 1 else None


def points(names: Sequence[str], gold: Node, answer: Node) -> Iterator[dict[str, Node]]:
    """Points for the trials; one, the empty point, where there are no variables."""
    seed = digest(*sorted((key(gold), key(answer))))
    draw = random.Random(seed)
    counting = sorted(counted(gold) | counted(answer))
    starts = {name: draw.randint(2, 6) for name in counting}
    reach = _reach(gold, answer)
    for trial, (size, sign) in enumerate(_TRIALS if names else _TRIALS[:1]):
        scale = {0: Fraction(1), 1000: reach}.get(size, Fraction(size))
        point: dict[str, Node] = {}
        for name in names:
            share = Fraction(draw.randint(3000, 9973), 9973) * (sign or draw.choice((1, -1)))
            point[name] = Number(share * scale)
        for place, name in enumerate(counting):
            point[name] = Number(Fraction(starts[name] + (trial >> place)))
        yield point


def _reach(*nodes: Node) -> Fraction:
    """A size beyond every number in the expressions; 1000 where they are huge."""
    values = [abs(n.value) for node in nodes for n in walk(node) if isinstance(n, Number)]
    largest = max(values, default=Fraction(0))
    return 1000 + 4 * largest if largest < 10**9 else Fraction(1000)


def _bent(node: Node) -> bool:
    """Whether an expression follows different formulas at different places."""
    if counted(node):
        return True
    return any(
        isinstance(part, Apply) and (part.op in _BENT or _even_root(part)) for part in walk(node)
    )


def _even_root(node: Apply) -> bool:
    """Whether it is an even root of something with a variable: of a square, an absolute value."""
    if node.op is not Op.POW or not isinstance(node.args[1], Number):
        return False
    return node.args[1].value.denominator % 2 == 0 and bool(free_symbols(node.args[0]))


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


def exactly(budget: Budget) -> At:
    """Equality of rational values within a budget.

    What it makes raises TooBig beyond the budget, Irrational for what is not known to be rational.
    """

    def at(gold: Node, answer: Node) -> bool | None:
        try:
            left, right = exact(gold, budget), exact(answer, budget)
        except ZeroDivisionError:
            return None
        if left is None or right is None:
            raise Irrational
        return left == right

    return at
