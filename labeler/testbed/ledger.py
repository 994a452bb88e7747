"""ledger.py - the state that a solution has reached, as far as it has been read.

It keeps what the text says beside what is true, and answers whether the two still agree where
it matters (`sound`). It judges no step: `truth` does.
"""

from __future__ import annotations

from labeler.testbed.program import (
    Operand,
    Program,
    allowed,
    answer,
    groups,
    resolve,
    sound_values,
    values,
)


class Ledger:
    """A program, and how far one solution of it has come."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.truth = values(program)
        self.nodes = {node.name: node for node in program.nodes}
        self.occasions = {move.occasion: i for i, move in enumerate(program.moves)}
        self.places = sound_values(program)
        """The owner's true number at every sound set of moves."""
        self.answer = answer(program)
        self.stated: dict[str, int] = {}
        """The number last written for each person, before the moves."""
        self.done: frozenset[int] = frozenset()
        """The moves done; those passed over for good are written off as done."""
        self.answered: int | None = None
        """The number of the last final statement."""
        self._running: int | None = None

    @property
    def value(self) -> int | None:
        """The owner's number as last written; None when it was not given and not worked out."""
        return self.known(self.program.owner) if self._running is None else self._running

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do before the final statement."""
        return len(self.done) == len(self.program.moves) and self.value is not None

    @property
    def sound_numbers(self) -> bool:
        """Whether the owner's running number is right for the moves done."""
        return self._running is None or self._running == self.places.get(self.done)

    @property
    def sound_state(self) -> bool:
        """Whether, besides, every person's number that is still to be used is right."""
        written = self.stated.items()
        live = self.live()
        return self.sound_numbers and all(self.truth[x] == n for x, n in written if x in live)

    @property
    def sound(self) -> bool:
        """Whether a right solution passes through here; an answer given decides alone."""
        return self.sound_state if self.answered is None else self.answered == self.answer

    def live(self) -> frozenset[str]:
        """The names whose numbers are still to be used on the way to the answer."""
        moves = (m.operand for i, m in enumerate(self.program.moves) if i not in self.done)
        found = {x for x in moves if isinstance(x, str)}
        if self._running is None:
            found.add(self.program.owner)
        for node in reversed(self.program.nodes):
            if node.name in found and node.name not in self.stated:
                found |= {x for x in (node.left, node.right) if isinstance(x, str)}
        return frozenset(found)

    def known(self, operand: Operand) -> int | None:
        """The number as the text has it; None when it was neither given nor written."""
        if isinstance(operand, int):
            return operand
        return self.stated.get(operand, self.program.given.get(operand))

    def true(self, operand: Operand) -> int:
        """The number as it is."""
        return resolve(operand, self.truth)

    def in_order(self, move: int) -> bool:
        """Whether nothing that does not commute with this move is still to be done before it."""
        return allowed(self.program, self.done, move)

    def state(self, name: str, number: int) -> None:
        """The text gives this person this number."""
        self.stated[name] = number

    def move(self, done: frozenset[int], value: int) -> None:
        """The text has the owner at this number with these moves done."""
        number = groups(self.program)
        last = max((number[i] for i in done), default=0)
        self.done = done | {i for i in range(len(number)) if number[i] < last}
        self._running = value
