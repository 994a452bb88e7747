r"""points.py - whether an expression is zero wherever it has a value, by values at points.

The points are rational (whole, where a symbol counts something) and drawn from a seed that
follows from the expression, so a verdict is the same on every machine and in both directions.
`vanishes` knows no arithmetic: `at` says of an expression without variables whether it is zero,
not zero, or (None) has no value that tells.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from labeler.grading.exact import Budget, exact
from labeler.grading.structure import canonical, key
from labeler.grading.tree import BINDERS, Apply, Node, Number, Op, Symbol, free_symbols, neg, walk
from labeler.model import digest


class Irrational(Exception):  # noqa: N818 - an outcome, not a fault
    """Exact arithmetic does not reach an expression."""


At = Callable[[Node], bool | None]
"""Whether an expression without variables is zero."""

_TRIALS = (
    (4, 1), (47, -1), (0, 0), (4, -1), (47, 1), (0, 1), (1000, -1), (1000, 1), (0, -1), (47, 0),
)  # fmt: skip
"""Size and sign of the values at each trial: sign 0 is a sign each, size 0 is below one, size
1000 is beyond every number in the expression."""
_WHOLE_TRIALS = ((4, 1), (4, -1), (47, 0))
"""More of them, at whole values."""
ENOUGH = 3
"""Points that show zero before an expression counts as zero."""
MOST_LITERALS = 6
"""Numbers of an expression whose quotients cut the line into pieces."""
_STEPPED = (Op.FLOOR, Op.CEILING, Op.MOD)
"""Operations that jump, at whole values mostly."""
_BENT = (*_STEPPED, Op.ABS, Op.MAX, Op.MIN)
"""Operations that follow one formula here and another there: every trial is made then."""
_COUNTED = (Op.FACTORIAL, Op.DOUBLE_FACTORIAL, Op.BINOMIAL, Op.MOD, Op.GCD, Op.LCM)


def vanishes(gap: Node, at: At) -> bool | None:
    """Whether an expression with variables is zero wherever it has a value.

    None where too few points tell.
    """
    bent = _bent(gap)
    told = 0
    for point in points(gap):
        zero = at(bind(gap, point))
        if zero is False:
            return False
        told += zero is True
        if told == ENOUGH and not bent:
            return True
    return True if told >= ENOUGH else None


def points(*nodes: Node) -> Iterator[dict[str, Node]]:
    """Points for the trials, drawn for these expressions."""
    names = sorted(frozenset[str]().union(*map(free_symbols, nodes)))
    counting = sorted(frozenset[str]().union(*map(counted, nodes)))
    draw = random.Random(digest(*names, *sorted(_seed(node) for node in nodes)))
    literals = _literals(*nodes)
    starts = [draw.randint(2, 6) for _ in counting]
    for trial, (size, sign) in enumerate(_trials(nodes)):
        scale = {0: Fraction(1), 1000: 1000 + 4 * literals[-1]}.get(size, Fraction(size))
        point: dict[str, Node] = {}
        for name in names:
            share = Fraction(draw.randint(3000, 9973), 9973) * (sign or draw.choice((1, -1)))
            value = share * scale
            point[name] = Number(value if trial < len(_TRIALS) else Fraction(round(value)))
        for place, name in enumerate(counting):
            slow = place if trial % 2 else len(counting) - 1 - place
            point[name] = Number(Fraction(starts[place] + (trial >> slow)))
        yield point
    if any(map(_bent, nodes)):
        yield from _between(names, counting, literals, draw)


def _trials(nodes: Sequence[Node]) -> Sequence[tuple[int, int]]:
    return (*_TRIALS, *_WHOLE_TRIALS) if any(map(_steps, nodes)) else _TRIALS


def _between(
    names: Sequence[str], counting: Sequence[str], literals: Sequence[Fraction], draw: random.Random
) -> Iterator[dict[str, Node]]:
    """Points in the pieces that the expression's own numbers, and their quotients, cut out."""
    few = literals[:MOST_LITERALS]
    cuts = sorted({sign * a / b for a in few for b in few for sign in (1, -1)} | {Fraction(0)})
    middles = [(low + high) / 2 for low, high in pairwise(cuts)]
    whole = sorted({int(c) + d for c in literals for d in (-1, 0, 1) if c.denominator == 1})
    rounds = max(len(middles) if names else 0, len(whole) if counting else 0)
    for place in range(rounds):
        point: dict[str, Node] = {}
        for name in names:
            chosen = draw.choice(middles) if len(names) > 1 else middles[place % len(middles)]
            point[name] = Number(chosen)
        for name in counting:
            point[name] = Number(Fraction(max(1, whole[place % len(whole)])))
        yield point


def _literals(*nodes: Node) -> list[Fraction]:
    """Sizes of the numbers in the expressions, one among them, from small to large."""
    values = {abs(n.value) for node in nodes for n in walk(node) if isinstance(n, Number)}
    return sorted({value for value in values if 0 < value < 10**9} | {Fraction(1)})


def _seed(node: Node) -> str:
    """The same for an expression and its negative."""
    try:
        return min(key(node), key(canonical(neg(node))))
    except ZeroDivisionError:
        return key(node)


def _steps(node: Node) -> bool:
    return any(isinstance(part, Apply) and part.op in _STEPPED for part in walk(node))


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
    kept = 1 if node.op is Op.CALL else 0
    return Apply(node.op, node.args[:kept] + tuple(bind(arg, point) for arg in node.args[kept:]))


def exactly(budget: Budget) -> At:
    """Whether a rational value is zero, within a budget.

    What it makes raises TooBig beyond the budget, Irrational for what is not known to be rational.
    """

    def at(gap: Node) -> bool | None:
        try:
            value = exact(gap, budget)
        except ZeroDivisionError:
            return None
        if value is None:
            raise Irrational
        return value == 0

    return at
