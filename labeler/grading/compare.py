r"""compare.py - two values to a ruling: structure first, part by part; leaves last.

Shapes that cannot be equal are different without arithmetic, sequences are compared part by
part. Two expressions are the leaf's business: `settle` outside a worker, which may leave them
undecided, and `slow` inside. What careful people differ about stands in conventions.py.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from labeler.grading.atoms import COUNTING, same_ratio
from labeler.grading.conventions import Conventions
from labeler.grading.kinds import Kind, Value, about_reals
from labeler.grading.normalise import same_but_for_blanks
from labeler.grading.numerals import Numeral, same_number
from labeler.grading.rulings import UNDECIDED, Rule, Ruling, ruled
from labeler.grading.units import DEGREE, MONEY, PERCENT, RADIAN, UNIT
from labeler.model import Reason

Leaf = Callable[[Value, Value, Conventions], Ruling]
"""The ruling on two values without parts, and on mixed kinds that may still be equal."""

_SEQUENCES = (Kind.TUPLE, Kind.SET, Kind.LIST, Kind.UNION, Kind.MATRIX)
_WORDS = (Kind.WORD, Kind.RATIO)
"""Kinds that no other kind equals."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How values are compared."""

    conventions: Conventions
    leaf: Leaf
    most_pairs: int = 64
    """Pairs of parts in any order that are compared with each other; of more, undecided."""

    def rule(self, gold: Value, answer: Value) -> Ruling:
        """The ruling on an answer against a gold."""
        if {gold.unit, answer.unit} == {DEGREE, RADIAN}:
            return self.leaf(_written(gold), _written(answer), self.conventions)
        if self._units_clash(gold.unit, answer.unit):
            return ruled(Rule.UNITS, equal=False)
        if gold.number is not None and answer.number is not None:
            return self._numbers(gold, answer)
        alike = (gold.name, gold.kind) == (answer.name, answer.kind)
        if alike and (gold.text == answer.text or same_but_for_blanks(gold.text, answer.text)):
            return ruled(Rule.TEXT, equal=True)
        return self._unequal_texts(gold, answer)

    def _units_clash(self, gold: str, answer: str) -> bool:
        """Whether two units (empty: none) are not the same by convention."""
        if gold == answer or self.conventions.units == "ignored":
            return False
        if gold.startswith(UNIT) is not answer.startswith(UNIT) and gold and answer:
            return _power(gold) != _power(answer) or bool({gold, answer} & {PERCENT, *MONEY})
        if self.conventions.units == "required" and not {gold, answer} & {PERCENT, DEGREE}:
            return True
        return bool(gold) and bool(answer)

    def _unequal_texts(self, gold: Value, answer: Value) -> Ruling:
        kinds = {gold.kind, answer.kind}
        if Kind.EQUATION in kinds:
            return self._equations(gold, answer)
        if Kind.CHOICE in kinds:
            return self._choices(gold, answer)
        if Kind.BASE in kinds and kinds.isdisjoint(_WORDS):
            return self._bases(gold, answer)
        if not kinds.isdisjoint(_WORDS) or kinds == {Kind.LETTER}:
            return _words(gold, answer)
        return self._shapes(gold, answer)

    def _numbers(self, gold: Value, answer: Value) -> Ruling:
        if gold.number is None or answer.number is None:
            return UNDECIDED
        percents = [value.unit == PERCENT for value in (gold, answer)]
        mixed = percents[0] is not percents[1]
        if not mixed or self.conventions.percent == "bare":
            ruling = same_number(gold.number, answer.number, self.conventions)
            if ruling.equal or not mixed:
                return ruling
        left, right = (
            _hundredth(number) if percent else number
            for number, percent in zip((gold.number, answer.number), percents, strict=True)
        )
        ruling = same_number(left, right, self.conventions)
        return Ruling(ruling.reason, Rule.PERCENT)

    def _choices(self, gold: Value, answer: Value) -> Ruling:
        """A choice letter with its value against either, or both."""
        if gold.kind is answer.kind:
            if gold.name != answer.name:
                return ruled(Rule.LETTERS, equal=False)
            return self.rule(gold.parts[0], answer.parts[0])
        choice, other = (gold, answer) if gold.kind is Kind.CHOICE else (answer, gold)
        if other.kind is Kind.LETTER:
            return ruled(Rule.LETTERS, equal=choice.name == other.text.upper())
        value = choice.parts[0]
        return self.rule(value, other) if choice is gold else self.rule(other, value)

    def _bases(self, gold: Value, answer: Value) -> Ruling:
        if Kind.EXPRESSION in (gold.kind, answer.kind):
            return Ruling(Reason.UNPARSED_ANSWER, Rule.BASES)
        same = gold.text.lstrip("0") == answer.text.lstrip("0")
        if gold.kind is answer.kind:
            same &= gold.name == answer.name
        else:
            same &= self.conventions.units != "required"
        return ruled(Rule.BASES, equal=same)

    def _equations(self, gold: Value, answer: Value) -> Ruling:
        if gold.kind is answer.kind:
            if gold.name and gold.name == answer.name:
                return self.rule(gold.parts[1], answer.parts[1])
            return self.leaf(gold, answer, self.conventions)
        equation, other = (gold, answer) if gold.kind is Kind.EQUATION else (answer, gold)
        if other.kind is Kind.RELATION:
            return self.leaf(gold, answer, self.conventions)
        value = equation.parts[1]
        if not equation.name:
            sides = self.rule(equation.parts[0], value)
            if not sides.equal:  # nothing but a true equation has a value
                return ruled(Rule.KINDS, equal=False) if sides.reason is Reason.WRONG else sides
        return self.rule(value, other) if equation is gold else self.rule(other, value)

    def _shapes(self, gold: Value, answer: Value) -> Ruling:
        sequences = [value for value in (gold, answer) if value.kind in _SEQUENCES]
        if len(sequences) == 2:
            return self._sequences(gold, answer)
        if len(sequences) == 1 and not _may_be_equal(sequences[0], gold, answer):
            return ruled(Rule.KINDS, equal=False)
        if gold.unit == answer.unit or not {gold.unit, answer.unit} & {PERCENT, DEGREE}:
            return self.leaf(gold, answer, self.conventions)
        return self._signed(gold, answer)

    def _signed(self, gold: Value, answer: Value) -> Ruling:
        """A percent or degree sign on one side: the sign's value, or its bare number."""
        told = self.leaf(_written(gold), _written(answer), self.conventions)
        bare = PERCENT not in (gold.unit, answer.unit) or self.conventions.percent == "bare"
        if told.equal or not bare:
            return told
        return _either(self.leaf(gold, answer, self.conventions), told)

    def _sequences(self, gold: Value, answer: Value) -> Ruling:
        kinds = {gold.kind, answer.kind}
        if len(kinds) == 2 and (about_reals(gold) or about_reals(answer)):
            return self.leaf(gold, answer, self.conventions)
        ordered = len(kinds) == 1 and self._ordered(gold)
        alike = kinds <= {Kind.SET, Kind.LIST} or len(kinds) == 1
        if not alike or gold.name != answer.name:
            return ruled(Rule.KINDS, equal=False)
        if len(gold.parts) != len(answer.parts):
            return ruled(Rule.LENGTH, equal=False)
        if not ordered:
            return self._matching(gold.parts, answer.parts)
        pairs = zip(gold.parts, answer.parts, strict=True)
        return _all(Rule.PARTS, (self.rule(g, a) for g, a in pairs))

    def _ordered(self, gold: Value) -> bool:
        order = self.conventions.order
        if gold.kind is Kind.TUPLE:
            return order != "never" or gold.name != "()"
        return gold.kind is Kind.MATRIX or (gold.kind is Kind.LIST and order == "always")

    def _matching(self, gold: Sequence[Value], answer: Sequence[Value]) -> Ruling:
        """Each gold part takes the first equal answer part that is left."""
        if len(gold) * len(answer) > self.most_pairs and not _numeric((*gold, *answer)):
            return UNDECIDED
        left = list(answer)
        rulings: list[Ruling] = []
        for part in gold:
            found = [self.rule(part, other) for other in left]
            best = next((r for r in found if r.equal), None)
            if best is not None:
                del left[found.index(best)]
            rulings.append(best or next((r for r in found if r.reason is not Reason.WRONG), _NONE))
        return _all(Rule.MEMBERS, rulings)


def _power(unit: str) -> str:
    return unit[-1] if unit[-1].isdigit() else ""


def _words(gold: Value, answer: Value) -> Ruling:
    """Letters, words and ratios: of one kind, or different."""
    if gold.kind is not answer.kind or gold.kind is Kind.WORD:
        equal = gold.text.lower() == answer.text.lower()
        if not equal and gold.kind is not answer.kind and any(map(_is_counting, (gold, answer))):
            return Ruling(Reason.UNPARSED_ANSWER, Rule.WORDS)
        return ruled(Rule.WORDS, equal=equal)
    if gold.kind is Kind.RATIO:
        return ruled(Rule.NUMBERS, equal=same_ratio(gold.text, answer.text))
    choice = "A" <= gold.text <= "F"
    return ruled(Rule.LETTERS, equal=choice and gold.text.lower() == answer.text.lower())


def _is_counting(value: Value) -> bool:
    """Whether a value is words with a number among them."""
    return value.kind is Kind.WORD and COUNTING.search(value.text) is not None


def _numeric(parts: Iterable[Value]) -> bool:
    return all(part.number is not None or part.kind is Kind.WORD for part in parts)


_NONE = ruled(Rule.MEMBERS, equal=False)


def _all(rule: Rule, rulings: Iterable[Ruling]) -> Ruling:
    """One wrong part is wrong; else one that is not decided, or cannot be graded, is that."""
    open_: Ruling | None = None
    for ruling in rulings:
        if ruling.reason is Reason.WRONG:
            return Ruling(Reason.WRONG, rule)
        if not ruling.equal and (open_ is None or ruling.reason is None):
            open_ = ruling
    return open_ or ruled(rule, equal=True)


def _either(first: Ruling, second: Ruling) -> Ruling:
    """The one that is equal, else the one that is undecided, else the second."""
    if first.equal or (first.reason is None and not second.equal):
        return first
    return second


def _hundredth(number: Numeral) -> Numeral:
    places = None if number.places is None else number.places + 2
    return Numeral(number.value / 100, places, number.significant)


def _written(value: Value) -> Value:
    """A value with its percent or degree sign in its text, for the parser."""
    if value.unit not in (PERCENT, DEGREE):
        return replace(value, unit="")
    text = f"({value.text}){value.unit}"
    return replace(value, kind=Kind.EXPRESSION, number=None, unit="", text=text)


def _may_be_equal(sequence: Value, gold: Value, answer: Value) -> bool:
    """Whether a sequence and something else may be one set of reals, or one determinant."""
    other = answer if sequence is gold else gold
    if sequence.kind is Kind.MATRIX:
        return sequence.name == "|" or "\\begin" in other.text
    return about_reals(sequence) or about_reals(other)
