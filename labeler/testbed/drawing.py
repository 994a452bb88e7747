"""drawing.py - draws programs: how many steps, which quantities, which moves, which numbers.

1. Every number met on the told path is a whole one from 1 to the setting's limit.
2. The quantities that the answer does not need are distractors, and are few.
3. Two constants of one problem never agree, so that a wrong operand is never right by chance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from labeler.testbed.program import Move, Node, Operand, Program, apply, needed
from labeler.testbed.wording import ITEMS, NAMES, OCCASIONS

MIN_STEPS, MAX_STEPS = 3, 10
_STEPS = (3, 4, 5, 6, 7, 8, 9, 10)
_MOST_NODES = 6


@dataclass(frozen=True, slots=True)
class Setting:
    """How hard the problems are."""

    limit: int
    """The largest number on the told path."""
    given: int
    """The largest given number."""
    change: int
    """The largest constant to add or subtract."""
    factor: int
    """The largest constant to multiply or divide by, at most 6."""
    weights: tuple[int, ...]
    """How often a gold solution has 3, 4, ... 10 steps."""
    shapes: tuple[float, float]
    """Up to the first: quantities alone; up to the second: moves alone; else both."""
    distractors: float
    """How often a person is added whose number nobody needs."""
    asides: tuple[int, int, int]
    """How often 0, 1 or 2 sentences have nothing to do with the answer."""
    shuffled: float
    """How often the facts are told in any order."""


WIDE = Setting(999, 120, 120, 6, (8, 13, 17, 18, 16, 13, 9, 6), (0.3, 0.55), 0.3, (60, 30, 10), 0.5)
"""Harder than the testbed: what the model sees first."""
TESTBED = Setting(199, 40, 30, 4, (16, 20, 20, 16, 12, 8, 5, 3), (0.2, 0.6), 0.2, (75, 20, 5), 0.25)
"""The problems that ship."""


@dataclass(slots=True)
class _Draft:
    rng: Random
    setting: Setting
    names: list[str]
    used: set[int] = field(default_factory=set)
    given: dict[str, int] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)

    def new_given(self) -> str:
        name = self.names.pop()
        self.given[name] = self.known[name] = self.constant(5, self.setting.given)
        return name

    def constant(self, low: int, high: int) -> int:
        free = [n for n in range(low, high + 1) if n not in self.used]
        number = self.rng.choice(free or [high])
        self.used.add(number)
        return number

    def add(self, op: str, left: str, right: Operand) -> str:
        name = self.names.pop()
        number = right if isinstance(right, int) else self.known[right]
        result = apply(op, self.known[left], number)
        assert result is not None
        self.nodes.append(Node(name, op, left, right))
        self.known[name] = result
        return name

    def operation(self, value: int) -> tuple[str, int]:
        """An operation with a constant that keeps `value` in range."""
        change, factor, limit = self.setting.change, self.setting.factor, self.setting.limit
        options: dict[str, range] = {
            "+": range(3, min(change, limit - value) + 1),
            "-": range(3, min(change, value - 1) + 1),
            "*": range(2, min(factor, limit // value) + 1),
            "/": range(2, min(factor, value - 1) + 1),
        }
        weights = {"+": 34, "-": 28, "*": 22, "/": 16}
        choices = {
            op: [n for n in numbers if n not in self.used and (op != "/" or value % n == 0)]
            for op, numbers in options.items()
        }
        ops = [op for op in weights if choices[op]]
        op = self.rng.choices(ops, [weights[op] for op in ops])[0]
        number = self.rng.choice(choices[op])
        self.used.add(number)
        return op, number


def draw_program(rng: Random, setting: Setting) -> Program:
    """A program whose gold solution has 3 to 10 steps."""
    while True:
        program = _try(rng, setting)
        if program is not None:
            return program


def _try(rng: Random, setting: Setting) -> Program | None:
    body = rng.choices(_STEPS, setting.weights)[0] - 1
    draft = _Draft(rng, setting, rng.sample(NAMES, len(NAMES)))
    shape = rng.random()
    if shape < setting.shapes[0] and body <= _MOST_NODES:
        ends, moves = _nodes(draft, body, 1), 0
        owner = ends[0]
    elif shape < setting.shapes[1]:
        ends, owner, moves = [], draft.new_given(), body - 1
    else:
        count = rng.randint(1, min(4, body - 1))
        owned = rng.random() < 0.5
        moves = body - count - (0 if owned else 1)
        if moves < 1:
            return None
        ends = _nodes(draft, count, moves + 1 if owned else moves)
        owner = ends.pop(rng.randrange(len(ends))) if owned else draft.new_given()
    told = _moves(draft, owner, [x for x in ends if x != owner], moves)
    if told is None:
        return None
    if rng.random() < setting.distractors:
        _distract(draft)
    program = Program(owner, rng.choice(ITEMS), draft.given, tuple(draft.nodes), tuple(told))
    gold = sum(node.name in needed(program) for node in draft.nodes) + len(told) + 1
    gold += bool(told) and owner in draft.given
    return program if gold == body + 1 else None


def _nodes(draft: _Draft, count: int, most_ends: int) -> list[str]:
    """Add `count` nodes, all of which lead to one of at most `most_ends` ends, returned."""
    rng = draft.rng
    ends: list[str] = []
    for left in range(count - 1, -1, -1):
        if len(ends) >= 2 and (len(ends) - most_ends > left or rng.random() < 0.5):
            big, small = sorted(rng.sample(ends, 2), key=lambda x: -draft.known[x])
            total = draft.known[big] + draft.known[small]
            minus = draft.known[big] > draft.known[small] and rng.random() < 0.3
            if total > draft.setting.limit and not minus:
                minus = draft.known[big] > draft.known[small]
            ends = [x for x in ends if x not in (big, small)]
            ends.append(draft.add("-" if minus else "+", big, small))
            continue
        fresh = not ends or (len(ends) + 1 - most_ends <= left and rng.random() < 0.35)
        if fresh:
            reuse = list(draft.given)
            source = rng.choice(reuse) if reuse and rng.random() < 0.4 else draft.new_given()
        else:
            source = ends.pop(rng.randrange(len(ends)))
        op, number = draft.operation(draft.known[source])
        ends.append(draft.add(op, source, number))
    return ends


def _moves(draft: _Draft, owner: str, ends: list[str], count: int) -> list[Move] | None:
    """`count` moves that use up every end once; None when the numbers leave the range."""
    rng = draft.rng
    occasions = rng.sample(OCCASIONS, count)
    places = dict(zip(rng.sample(range(count), len(ends)), ends, strict=True))
    value, moves = draft.known[owner], []
    for index, occasion in enumerate(occasions):
        name = places.get(index)
        if name is None:
            op, number = draft.operation(value)
            moves.append(Move(occasion, op, number))
        else:
            number = draft.known[name]
            op = "+" if number >= value or rng.random() < 0.6 else "-"
            moves.append(Move(occasion, op, name))
        result = apply(op, value, number)
        if result is None or not 1 <= result <= draft.setting.limit:
            return None
        value = result
    return moves


def _distract(draft: _Draft) -> None:
    """Add a person whose number nobody needs."""
    if draft.rng.random() < 0.4 or len(draft.nodes) >= _MOST_NODES:
        draft.new_given()
        return
    source = draft.rng.choice(list(draft.known))
    op, number = draft.operation(draft.known[source])
    draft.add(op, source, number)
