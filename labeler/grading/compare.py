r"""compare.py - two values to equal, different or "ask the slow path".

Structure first: shapes that cannot be equal are different without arithmetic, sequences are
compared part by part. `leaf` decides two expressions: outside a worker it is `undecided`, so
that nothing here ever imports sympy; a worker passes its own. Conventions are those of the
package's README: order counts in tuples, not in sets and lists; a missing unit, base or
currency is accepted, a different one is not; a gold 25% accepts 25, 25% and 0.25.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from labeler.grading.numerals import Numeral, same_number
from labeler.grading.units import DEGREE, PERCENT, units_clash
from labeler.grading.values import Kind, Value

Leaf = Callable[[Value, Value], bool | None]
"""Whether two values are equal; None where it cannot say."""

_SEQUENCES = (Kind.TUPLE, Kind.SET, Kind.LIST, Kind.UNION, Kind.MATRIX)
_CLOSED = (Kind.WORD, Kind.RATIO)


def undecided(_gold: Value, _answer: Value) -> bool | None:
    """The leaf of the fast path: it never says."""
    return None


def compare(gold: Value, answer: Value, leaf: Leaf = undecided) -> bool | None:
    """Whether an answer equals the gold, or None where the leaf could not say."""
    if gold.number is not None and answer.number is not None:
        return _numbers(gold, answer)
    if units_clash(gold.unit, answer.unit):
        return False
    if gold.text == answer.text and (gold.name, gold.kind) == (answer.name, answer.kind):
        return True
    return _unequal_texts(gold, answer, leaf)


def _unequal_texts(gold: Value, answer: Value, leaf: Leaf) -> bool | None:
    kinds = {gold.kind, answer.kind}
    if kinds == {Kind.LETTER}:
        return _letters(gold.text, answer.text)
    if not kinds.isdisjoint(_CLOSED):
        return False
    if Kind.BASE in kinds:
        return _bases(gold, answer)
    if Kind.EQUATION in kinds:
        return _equations(gold, answer, leaf)
    return _shapes(gold, answer, leaf)


def _letters(gold: str, answer: str) -> bool:
    """Choice letters ignore case, variables do not."""
    return "A" <= gold <= "F" and gold.lower() == answer


def _numbers(gold: Value, answer: Value) -> bool:
    if gold.number is None or answer.number is None or units_clash(gold.unit, answer.unit):
        return False
    if same_number(gold.number, answer.number):
        return True
    if gold.unit == PERCENT and not answer.unit:
        return same_number(_hundredth(gold.number), answer.number)
    if answer.unit == PERCENT and not gold.unit:
        return same_number(gold.number, _hundredth(answer.number))
    return False


def _hundredth(number: Numeral) -> Numeral:
    places = None if number.places is None else number.places + 2
    return Numeral(number.value / 100, places, number.significant)


def _bases(gold: Value, answer: Value) -> bool:
    if gold.kind is answer.kind:
        return gold.name == answer.name and gold.text == answer.text
    return gold.text == answer.text.lstrip("0")


def _equations(gold: Value, answer: Value, leaf: Leaf) -> bool | None:
    if gold.kind is answer.kind:
        if gold.name and gold.name == answer.name:
            return compare(gold.parts[1], answer.parts[1], leaf)
        return leaf(gold, answer)
    equation, other = (gold, answer) if gold.kind is Kind.EQUATION else (answer, gold)
    if other.kind is Kind.RELATION:
        return leaf(gold, answer)
    if not equation.name:
        return False
    value = equation.parts[1]
    return compare(value, other, leaf) if equation is gold else compare(other, value, leaf)


def _shapes(gold: Value, answer: Value, leaf: Leaf) -> bool | None:
    sequences = [value for value in (gold, answer) if value.kind in _SEQUENCES]
    if len(sequences) == 2:
        return _sequences(gold, answer, leaf)
    if len(sequences) == 1:
        return leaf(gold, answer) if _asks_more(sequences[0], gold, answer) else False
    if DEGREE in (gold.unit, answer.unit):
        return leaf(_sine(gold, answer), _sine(answer, gold))
    return leaf(gold, answer)


def _sine(value: Value, other: Value) -> Value:
    """A value in degrees as the expression in radians, where the other has no unit."""
    if value.unit != DEGREE or other.unit == DEGREE:
        return value
    return replace(
        value,
        kind=Kind.EXPRESSION,
        number=None,
        unit="",
        text=rf"({value.text})\frac{{\pi}}{{180}}",
    )


def _asks_more(sequence: Value, gold: Value, answer: Value) -> bool:
    """Whether a sequence and something else may still be one set: intervals, determinants."""
    other = answer if sequence is gold else gold
    if sequence.kind is Kind.MATRIX:
        return sequence.name == "|" or "\\begin" in other.text
    if other.kind is Kind.RELATION:
        return True
    return "\\cup" in other.text or "\\cap" in other.text


def _sequences(gold: Value, answer: Value, leaf: Leaf) -> bool | None:
    kinds = {gold.kind, answer.kind}
    if Kind.UNION in kinds and len(kinds) == 2:
        return leaf(gold, answer)
    ordered = len(kinds) == 1 and gold.kind in (Kind.TUPLE, Kind.MATRIX)
    if not ordered and not kinds <= {Kind.SET, Kind.LIST} and kinds != {Kind.UNION}:
        return False
    if gold.name != answer.name or len(gold.parts) != len(answer.parts):
        return False
    if ordered:
        return _all(compare(g, a, leaf) for g, a in zip(gold.parts, answer.parts, strict=True))
    return _matching(gold.parts, answer.parts, leaf)


def _all(verdicts: Iterable[bool | None]) -> bool | None:
    unknown = False
    for verdict in verdicts:
        if verdict is False:
            return False
        unknown = unknown or verdict is None
    return None if unknown else True


def _matching(gold: Sequence[Value], answer: Sequence[Value], leaf: Leaf) -> bool | None:
    """Each gold part takes an equal answer part of its own; equality is transitive."""
    left = list(answer)
    unknown = False
    for part in gold:
        verdicts = [compare(part, other, leaf) for other in left]
        if True in verdicts:
            del left[verdicts.index(True)]
        elif None in verdicts:
            unknown = True
        else:
            return False
    return None if unknown else True
