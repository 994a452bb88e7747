r"""budget.py - what is too big to be evaluated, known before anything is evaluated.

`afford` walks a tree without variables and bounds the bits of magnitude of every part of it.
An exponent, an angle or a rounded number must itself be written with a bounded number of bits,
since that many digits are needed to say anything of the result; the result may be as large
as it likes, because 50 digits and an exponent hold it.
"""

import math

from labeler.grading.exact import MAX_TERMS, Budget, exact
from labeler.grading.tokens import TooBig
from labeler.grading.tree import INFINITY, Apply, Node, Number, Op, Symbol, neg

MAX_INNER_BITS = 16_384
"""Bits of an exponent, of a function's argument, of what is rounded or divided with remainder."""
MAX_COUNTED_BITS = 64
"""Bits of the argument of a factorial or binomial."""
MAX_OPERATIONS = 100_000
"""Of one evaluation."""

_ENDS = Budget(bits=256, steps=100)
_COUNTING = (Op.FACTORIAL, Op.DOUBLE_FACTORIAL, Op.BINOMIAL)
_FREE = (Op.ADD, Op.ABS, Op.MAX, Op.MIN, Op.CALL)
"""Operations whose arguments may be as large as they like."""


def afford(node: Node) -> None:
    """Raise TooBig where a part of the tree is beyond the budget."""
    if _operations(node) > MAX_OPERATIONS:
        raise TooBig("operations")
    _bits(node)


def _operations(node: Node) -> float:
    """Operations that evaluating a tree takes, every term of its sums counted."""
    if not isinstance(node, Apply):
        return 1
    inside = 1 + sum(map(_operations, node.args))
    return inside * _terms(node) if node.op in (Op.SUM, Op.PRODUCT) else inside


def _terms(series: Apply) -> float:
    """Terms that are written out: none of an infinite series, which has a formula or not."""
    first, last = series.args[2:]
    if INFINITY in (last, neg(first)):
        return 1.0
    ends = [exact(end, _ENDS) for end in (first, last)]
    if ends[0] is None or ends[1] is None:
        raise TooBig("terms")
    return max(1.0, float(ends[1] - ends[0] + 1))


def _bits(node: Node) -> float:
    """A bound on the bits of the value or of its inverse, whichever is larger."""
    if isinstance(node, Number):
        return max(node.value.numerator.bit_length(), node.value.denominator.bit_length(), 1)
    if isinstance(node, Symbol):
        return 3
    if node.op in (Op.SUM, Op.PRODUCT):
        return _series(node)
    return _applied(node, [_bits(arg) for arg in node.args])


def _applied(node: Apply, sizes: list[float]) -> float:
    if node.op is Op.MUL:
        return sum(sizes)
    if node.op is Op.POW:
        return sizes[0] * _times(node.args[1], sizes[1])
    if node.op in _COUNTING:
        _limit(sizes, MAX_COUNTED_BITS)
        return sizes[0] * math.exp2(sizes[0])
    if node.op not in _FREE:
        _limit(sizes, MAX_INNER_BITS)
    if node.op in (Op.SINH, Op.COSH):
        return math.exp2(min(sizes[0], 1000))
    return max(sizes) + math.log2(len(sizes)) + 1


def _times(exponent: Node, size: float) -> float:
    """A bound on the size of an exponent."""
    _limit([size], MAX_INNER_BITS)
    if size > 1000:
        return math.inf
    return max(1.0, abs(float(exponent.value))) if isinstance(exponent, Number) else math.exp2(size)


def _series(node: Apply) -> float:
    if _terms(node) > MAX_TERMS:
        raise TooBig("terms")
    return _bits(node.args[0]) * (MAX_TERMS if node.op is Op.PRODUCT else 1) + 11


def _limit(sizes: list[float], limit: int) -> None:
    if max(sizes) > limit:
        raise TooBig("bits")
