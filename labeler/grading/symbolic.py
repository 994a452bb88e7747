r"""symbolic.py - a tree to unevaluated sympy nodes; runs only inside a worker process.

Every node is made with `evaluate=False`: making them costs nothing but memory. Odd roots of
real numbers are real (`(-8)^{1/3}` is -2) unless the imaginary unit is written somewhere.
"""

from typing import Any

from labeler.grading.exact import MAX_TERMS, Budget, exact
from labeler.grading.points import bind
from labeler.grading.tokens import Unreadable
from labeler.grading.tree import IMAGINARY, Apply, Node, Number, Op, Symbol, walk

_SMALL = Budget(bits=64, steps=100)


def to_sympy(node: Node) -> Any:  # noqa: ANN401 - sympy has no types
    """The sympy expression that a tree is. Raises Unreadable for what sympy has no node for."""
    return _Maker(principal=any(part == IMAGINARY for part in walk(node))).make(node)


class _Maker:
    def __init__(self, *, principal: bool) -> None:
        self.principal = principal

    def make(self, node: Node) -> Any:  # noqa: ANN401
        """One node and all below it."""
        import sympy

        if isinstance(node, Number):
            return sympy.Rational(node.value.numerator, node.value.denominator)
        if isinstance(node, Symbol):
            constants = {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "oo": sympy.oo}
            return constants.get(node.name) or sympy.Symbol(node.name, real=True)
        if node.op in (Op.SUM, Op.PRODUCT) and (terms := written_out(node)) is not None:
            return self.make(terms)
        if node.op is Op.POW:
            return self._power(*node.args)
        if node.op is Op.CALL and isinstance(node.args[0], Symbol):
            return sympy.Function(node.args[0].name)(*map(self.make, node.args[1:]))
        return self._apply(node.op, [self.make(arg) for arg in node.args])

    def _apply(self, op: Op, args: list[Any]) -> Any:  # noqa: ANN401
        import sympy

        if op is Op.ADD:
            return sympy.Add(*args, evaluate=False)
        if op is Op.MUL:
            return sympy.Mul(*args, evaluate=False)
        if op is Op.LOG and len(args) == 2:
            top, bottom = (sympy.log(arg, evaluate=False) for arg in args)
            return sympy.Mul(top, sympy.Pow(bottom, -1, evaluate=False), evaluate=False)
        if op in (Op.GCD, Op.LCM):
            raise Unreadable(op)
        if op in (Op.SUM, Op.PRODUCT, Op.INTEGRAL):
            body, *limits = args
            return getattr(sympy, op.value)(body, tuple(limits))
        if op is Op.LIMIT:
            return sympy.Limit(*args)
        return getattr(sympy, op.value)(*args, evaluate=False)

    def _power(self, base: Node, exponent: Node) -> Any:  # noqa: ANN401
        """A power; of an odd root, the real one."""
        import sympy

        made = self.make(base)
        ratio = exponent.value if isinstance(exponent, Number) else None
        if self.principal or ratio is None or ratio.denominator % 2 == 0 or ratio.denominator == 1:
            return sympy.Pow(made, self.make(exponent), evaluate=False)
        size = sympy.Pow(sympy.Abs(made, evaluate=False), self.make(exponent), evaluate=False)
        if ratio.numerator % 2 == 0:
            return size
        return sympy.Mul(sympy.sign(made, evaluate=False), size, evaluate=False)


def written_out(node: Apply) -> Node | None:
    """A short finite sum or product as its terms."""
    body, variable, *ends = node.args
    first, last = (exact(end, _SMALL) for end in ends)
    if (
        first is None
        or last is None
        or last - first > MAX_TERMS
        or not isinstance(variable, Symbol)
    ):
        return None
    values = range(int(first), int(last) + 1)
    terms = tuple(bind(body, {variable.name: Number(first - int(first) + k)}) for k in values)
    return Apply(Op.ADD if node.op is Op.SUM else Op.MUL, terms)
