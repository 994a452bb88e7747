r"""slow.py - symbolic comparison of two spans; runs only inside a worker process.

`parsing` builds sympy objects with Math-Verify's LaTeX parser, `evaluate` compares expressions
by their values, inequalities are compared as sets of reals, and Math-Verify's own `verify` (its
timeouts off: they need signals) decides what is left.

It may hang, exhaust memory or abort the process: pool.py owns the clock, the memory limit and
the consequences. Nothing here is imported by the caller's process.
"""

import re
from typing import Any

from labeler.grading.budget import is_maths
from labeler.grading.compare import compare
from labeler.grading.evaluate import as_fraction, proportional, same_everywhere, value_of
from labeler.grading.numerals import Numeral, rounds_to
from labeler.grading.parsing import is_expression, parse
from labeler.grading.values import Kind, Value, read
from labeler.model import Reason

_LIMITS = (MemoryError, RecursionError, OverflowError, OSError, ImportError, SystemError)
"""What running out of memory or stack looks like, in a library's own loads too."""


class Unparsed(Exception):  # noqa: N818 - an outcome, not a fault
    """One of the two is no expression that the parser knows."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def judge(gold: str, answer: str) -> Reason:
    """MATCH, WRONG, UNPARSED_GOLD, UNPARSED_ANSWER or TOO_BIG for two spans."""
    try:
        equal = compare(read(gold), read(answer), _leaf)
    except Unparsed as unparsed:
        return unparsed.reason
    except Exception as error:  # noqa: BLE001 - sympy raises anything: they cannot be compared
        return Reason.TOO_BIG if _hit_a_limit(error) else Reason.UNPARSED_ANSWER
    return Reason.MATCH if equal else Reason.WRONG


def _hit_a_limit(error: BaseException | None) -> bool:
    """Whether an error, or one that it hides, is memory or stack running out."""
    for _ in range(20):
        if error is None or isinstance(error, _LIMITS):
            break
        error = error.__cause__ or error.__context__
    return isinstance(error, _LIMITS)


def warm() -> None:
    """Import everything and parse once, so that forked children start hot."""
    judge(r"\frac{\sqrt{3}}{3}", r"\frac{1}{\sqrt{3}}")
    judge(r"x^2+1>2", r"(-\infty,-1)\cup(1,\infty)")


def _leaf(gold: Value, answer: Value) -> bool | None:
    if Kind.RELATION in {part.kind for v in (gold, answer) for part in (v, *v.parts)}:
        regions = _region(gold, Reason.UNPARSED_GOLD), _region(answer, Reason.UNPARSED_ANSWER)
        if None not in regions:
            return bool(regions[0] == regions[1])
    parsed_gold = _expression(gold.text, Reason.UNPARSED_GOLD)
    parsed_answer = _expression(answer.text, Reason.UNPARSED_ANSWER)
    if gold.kind is Kind.EQUATION and answer.kind is Kind.EQUATION:
        same = proportional(parsed_gold, parsed_answer)
        return _verify(parsed_gold, parsed_answer) if same is None else same
    if is_expression(parsed_gold) and is_expression(parsed_answer):
        if gold.number is None and answer.number is not None and answer.number.places is not None:
            return _rounded(parsed_gold, answer.number)
        if answer.number is None and gold.number is not None and gold.number.places is not None:
            close = gold.number.significant >= 3 and _rounded(parsed_answer, gold.number, least=3)
            return close or bool(same_everywhere(parsed_gold, parsed_answer))
        same = same_everywhere(parsed_gold, parsed_answer)
        if same is not None:
            return same
    return _verify(parsed_gold, parsed_answer)


def _verify(gold: Any, answer: Any) -> bool:  # noqa: ANN401 - sympy has no types
    from math_verify import verify

    return bool(
        verify([gold], [answer], allow_set_relation_comp=True, timeout_seconds=None)  # no signals
    )


def _expression(text: str, blame: Reason) -> Any:  # noqa: ANN401 - sympy has no types
    if not is_maths(text):
        raise Unparsed(blame)
    try:
        return parse(text)
    except Exception as error:
        if _hit_a_limit(error):
            raise
        raise Unparsed(blame) from error


def _region(value: Value, blame: Reason) -> Any:  # noqa: ANN401 - sympy has no types
    """The set of reals that an inequality, an "or"-list of them or an interval is, or None."""
    from sympy import Intersection, Set, Union
    from sympy.logic.boolalg import Boolean

    if value.kind is Kind.LIST:
        regions = [_region(part, blame) for part in value.parts]
        if any(region is None for region in regions):
            return None
        return (Union if re.search(r"\bor\b", value.text) else Intersection)(*regions)
    parsed = _expression(value.text, blame)
    if isinstance(parsed, Set):
        return parsed
    if isinstance(parsed, Boolean) and len(parsed.free_symbols) == 1:
        return parsed.as_set()
    return None


def _rounded(exact: Any, decimal: Numeral, least: int = 6) -> bool:  # noqa: ANN401 - sympy
    """Whether a decimal is the correctly rounded value of an exact expression."""
    value = value_of(exact, {})
    if value is None or value.imag != 0 or decimal.significant < least:
        return False
    if abs(value.real._mpf_[2]) > 20_000:  # beyond what any span of decimals can write
        return False
    return rounds_to(as_fraction(value.real), decimal)
