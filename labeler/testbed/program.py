"""program.py - what a testbed problem means, apart from how it is worded.

A program has two halves, either of which may be empty:
1. *Quantities*: some people's numbers are `given`; each `node` follows from earlier ones.
2. *Moves*: one person, the owner, then gains, loses, multiplies or divides, in order.
The answer is the owner's number after all moves. A name always means the number before them.

Moves commute inside a *group*: a maximal run of `+` and `-`, or of `*` and `/`. A set of
moves is *sound* when it is a place that some right solution passes through: every group
before its last one is complete, and the value there is a whole number.

Pure arithmetic: no text, no randomness, no knowledge of solutions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import combinations

Operand = int | str
"""A number, or the name of the person whose number it is."""

OPERATIONS = "+-*/"


@dataclass(frozen=True, slots=True)
class Node:
    """`name` has `left op right`."""

    name: str
    op: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Move:
    """At `occasion` the owner's number becomes itself `op operand`."""

    occasion: str
    op: str
    operand: Operand


@dataclass(frozen=True, slots=True)
class Program:
    """The structure of one problem; everything about it is decided by these fields."""

    owner: str
    items: str
    given: Mapping[str, int]
    nodes: Sequence[Node]
    """In an order in which each follows from earlier ones; some may be distractors."""
    moves: Sequence[Move]

    def to_json(self) -> dict[str, object]:
        """A plain structure for a problem row; `from_json` reads it back."""
        return asdict(self)

    @staticmethod
    def from_json(row: Mapping[str, object]) -> Program:
        """The program of a row that `to_json` made."""
        given, nodes, moves = row["given"], row["nodes"], row["moves"]
        assert isinstance(given, Mapping)
        assert isinstance(nodes, Sequence)
        assert isinstance(moves, Sequence)
        return Program(
            owner=str(row["owner"]),
            items=str(row["items"]),
            given={str(name): int(number) for name, number in given.items()},
            nodes=tuple(Node(**node) for node in nodes),
            moves=tuple(Move(**move) for move in moves),
        )


def apply(op: str, left: int, right: int) -> int | None:
    """`left op right`, division rounded down; None where it has no value."""
    if op == "/":
        return left // right if right else None
    return {"+": left + right, "-": left - right, "*": left * right}[op]


def values(program: Program) -> dict[str, int]:
    """Every person's true number before the moves."""
    known = dict(program.given)
    for node in program.nodes:
        left, right = resolve(node.left, known), resolve(node.right, known)
        result = apply(node.op, left, right)
        assert result is not None, node
        known[node.name] = result
    return known


def resolve(operand: Operand, known: Mapping[str, int]) -> int:
    """The number an operand stands for."""
    return operand if isinstance(operand, int) else known[operand]


def needed(program: Program) -> frozenset[str]:
    """The names that the answer depends on."""
    found = {program.owner} | {m.operand for m in program.moves if isinstance(m.operand, str)}
    for node in reversed(program.nodes):
        if node.name in found:
            found |= {x for x in (node.left, node.right) if isinstance(x, str)}
    return frozenset(found)


def groups(program: Program) -> tuple[int, ...]:
    """For each move, the number of the commuting group it belongs to."""
    numbers: list[int] = []
    for index, move in enumerate(program.moves):
        if index == 0:
            numbers.append(0)
            continue
        same = (move.op in "+-") == (program.moves[index - 1].op in "+-")
        numbers.append(numbers[-1] + (0 if same else 1))
    return tuple(numbers)


def allowed(program: Program, done: frozenset[int], move: int) -> bool:
    """Whether every group before this move's own is complete in `done`."""
    number = groups(program)
    return all(i in done for i in range(len(number)) if number[i] < number[move])


def sound_values(program: Program) -> dict[frozenset[int], int]:
    """The owner's number at every sound set of moves, the empty and the full one included."""
    known, number = values(program), groups(program)
    table: dict[frozenset[int], int] = {}
    before: frozenset[int] = frozenset()
    base = Fraction(known[program.owner])
    for group in range(len(set(number))):
        members = [i for i in range(len(number)) if number[i] == group]
        for chosen in _subsets(members):
            value = base
            for i in chosen:
                value = _exact(program.moves[i], value, known)
            if value.denominator == 1:
                table[before | frozenset(chosen)] = int(value)
        before = before | frozenset(members)
        base = Fraction(table[before])
    return table or {frozenset(): int(base)}


def answer(program: Program) -> int:
    """The gold answer."""
    return sound_values(program)[frozenset(range(len(program.moves)))]


def _subsets(members: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for size in range(len(members) + 1):
        yield from combinations(members, size)


def _exact(move: Move, value: Fraction, known: Mapping[str, int]) -> Fraction:
    number = resolve(move.operand, known)
    if move.op == "/":
        return value / number
    return {"+": value + number, "-": value - number, "*": value * number}[move.op]
