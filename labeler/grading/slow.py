r"""slow.py - what needs sympy or mpmath; runs only inside a worker process.

`judge` compares two spans again with a leaf that goes on where `settle` stops: sets of reals,
relations, rounded decimals, values at random points to many digits, and last a small
simplification. It may hang, exhaust memory or abort the process: pool.py owns the clock, the
memory limit and the consequences. Nothing here is imported by the caller's process.
"""

from labeler.grading.compare import Comparison
from labeler.grading.conventions import Conventions
from labeler.grading.evaluate import is_zero, real_value
from labeler.grading.kinds import Value, about_reals
from labeler.grading.numerals import Numeral, same_number
from labeler.grading.points import bind, points, vanishes
from labeler.grading.regions import same_region
from labeler.grading.relations import same_relation
from labeler.grading.rulings import Rule, Ruling, ruled
from labeler.grading.settle import number_of, settle_structure, trees_of
from labeler.grading.structure import remainder
from labeler.grading.symbolic import to_sympy
from labeler.grading.tokens import TooBig
from labeler.grading.tree import Node, Relation, free_symbols, walk
from labeler.grading.values import read
from labeler.model import Reason

_TOO_BIG = Ruling(Reason.TOO_BIG, Rule.LIMITS)
MAX_PAIRS = 10_000
"""Pairs of parts in any order that are compared; the clock counts, too."""
SIMPLIFIED_NODES = 60
"""Size of a difference that simplification is still tried on."""

_LIMITS = (MemoryError, RecursionError, OverflowError, OSError, ImportError, SystemError)
"""What running out of memory or stack looks like, in a library's own loads too."""


def judge(gold: str, answer: str, conventions: Conventions) -> Ruling:
    """The ruling on two spans: always one that decides, or says why none can be given."""
    comparison = Comparison(conventions, _leaf, most_pairs=MAX_PAIRS)
    try:
        ruling = comparison.rule(read(gold), read(answer))
        return _TOO_BIG if ruling.reason is None else ruling
    except TooBig:
        return _TOO_BIG
    except Exception as error:  # noqa: BLE001 - sympy raises anything: they cannot be compared
        return _TOO_BIG if _hit_a_limit(error) else Ruling(Reason.UNPARSED_ANSWER, Rule.LIMITS)


def _hit_a_limit(error: BaseException | None) -> bool:
    """Whether an error, or one that it hides, is memory or stack running out."""
    for _ in range(20):
        if error is None or isinstance(error, _LIMITS):
            break
        error = error.__cause__ or error.__context__
    return isinstance(error, _LIMITS)


def warm() -> None:
    """Import everything and compute once, so that forked children start hot."""
    judge(r"\frac{\sqrt{3}}{3}", r"\frac{1}{\sqrt{3}}", Conventions())
    judge(r"x^2+1>2", r"(-\infty,-1)\cup(1,\infty)", Conventions())


def _leaf(gold: Value, answer: Value, conventions: Conventions) -> Ruling:
    ruling = settle_structure(gold, answer, conventions)
    if ruling.reason is not None:
        return ruling
    if about_reals(gold) or about_reals(answer):
        same = same_region(gold, answer)
        if same is not None:
            return ruled(Rule.REGION, equal=same)
    trees = trees_of(gold, answer)
    if isinstance(trees, Ruling):
        return trees
    left, right = trees
    if isinstance(left, Relation) and isinstance(right, Relation):
        return _related(left, right)
    if isinstance(left, Node) and isinstance(right, Node):
        return _expressions((gold, left), (answer, right), conventions)
    return ruled(Rule.KINDS, equal=False)


def _related(gold: Relation, answer: Relation) -> Ruling:
    """Inequalities of one variable may have one solution without a constant ratio."""
    same = same_relation(gold, answer)
    names = frozenset[str]().union(*map(free_symbols, (*gold.sides, *answer.sides)))
    solved = {"="}.isdisjoint(gold.signs) and len(names) == 1
    return _told(Rule.RATIO, None if solved and same is False else same)


def _told(rule: Rule, equal: bool | None) -> Ruling:
    if equal is None:
        return Ruling(Reason.UNPARSED_ANSWER, Rule.LIMITS)
    return ruled(rule, equal=equal)


def _expressions(
    gold: tuple[Value, Node], answer: tuple[Value, Node], conventions: Conventions
) -> Ruling:
    numbers = number_of(*gold), number_of(*answer)
    decimals = [number is not None and number.places is not None for number in numbers]
    if decimals[0] is not decimals[1]:
        rounded = _rounded(gold, answer, conventions)
        if rounded is not None and rounded.equal:
            return rounded
    gap = remainder(gold[1], answer[1])
    if not isinstance(gap, Node):
        return _told(Rule.STRUCTURE, gap)
    zero = vanishes(gap, is_zero) if free_symbols(gap) else is_zero(gap)
    if zero is None and not free_symbols(gap):
        zero = is_zero(gap, principal=True)
    if zero is None and _are_apart(gold[1], answer[1]):
        zero = False
    if zero is not None:
        return ruled(Rule.DIGITS, equal=zero)
    return _told(Rule.SIMPLIFY, _simplified(gap))


def _are_apart(gold: Node, answer: Node) -> bool:
    """Whether one expression has values only where the other has none."""
    if not free_symbols(gold) | free_symbols(answer):
        return False
    alone = 0
    for point in points(gold, answer):
        values = [real_value(bind(side, point)) for side in (gold, answer)]
        alone += (values[0] is None) is not (values[1] is None)
    return alone > 1


def _rounded(
    gold: tuple[Value, Node], answer: tuple[Value, Node], conventions: Conventions
) -> Ruling | None:
    """A decimal against an exact value of many digits; None where that has no real value."""
    sides: list[Numeral] = []
    for value, tree in (gold, answer):
        number = number_of(value, tree)
        found = real_value(tree) if number is None else number.value
        if found is None:
            return None
        sides.append(number or Numeral(found))
    return same_number(sides[0], sides[1], conventions)


def _simplified(gap: Node) -> bool | None:
    """True where sympy simplifies a difference to zero; None else: it shows nothing then."""
    from sympy import simplify

    if not free_symbols(gap) or sum(1 for _ in walk(gap)) > SIMPLIFIED_NODES:
        return None
    return True if simplify(to_sympy(gap)) == 0 else None
