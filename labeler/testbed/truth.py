"""truth.py - says exactly which steps of a solution are wrong, and how.

Pure: a program and the lines of a solution in, one `StepTruth` a line out. Each step is judged
given the problem and the steps before it, never by what comes after, so that truth of a prefix
does not change when the solution goes on. It reads the grammar of `wording`; words that do not
identify a quantity or a move (the items, "So", "Correction:") do not count.

What is followed: the number that the text last gave each person, the owner's running number,
and the set of moves done. This *state* is sound while a right solution passes through it.

RIGHT    true and due. Quantities may come in any order in which each follows from written
         ones, and moves that commute may be swapped if the numbers are carried through: another
         path is no error. Working out a quantity that nobody needs is right if it is true. A
         true line that brings a wrong state back to a sound one is right, and `repaired`.
SLIP     a wrong step that leaves the state sound: a wrong operand or operation beside the right
         result; a pending line's numbers under another label, be it another person's or another
         move's (the numbers decide what a line is, because the next line reads the numbers);
         moves swapped but not carried through, or a line that uses a number not yet written
         (the numbers are right, their line is missing); a restatement; a wrong number for
         someone whom the answer does not, or no longer, need; the gold answer stated before it
         was reached.
STATE    a wrong step that makes the state wrong: wrong arithmetic, a wrong operand or operation
         that changes the result, a move out of order that does not commute (so another was
         left out for good), a move done twice, a final statement that is not the answer, a line
         outside the grammar or about nothing in the problem (both leave the numbers alone).
CARRIED  after a STATE error: right given the wrong numbers before it. Not an error of its own.
         Division of a number that does not divide is carried rounded down.

A move passed over is no error while it can still be made up; it becomes one at the first line
that makes that impossible. In a wrong state later errors are judged from the numbers as
written. A solution without a final statement lacks a step, but no step of it is wrong for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from labeler.testbed import wording
from labeler.testbed.judge_moves import judge_move
from labeler.testbed.judge_quantities import judge_define, judge_start
from labeler.testbed.kinds import CARRIED, RIGHT, Judgement, Kind, Reason, StepTruth, slip, wrong
from labeler.testbed.ledger import Ledger
from labeler.testbed.program import Program
from labeler.testbed.wording import Define, Final, Happen, Start

__all__ = ["FirstErrors", "Kind", "Reason", "StepTruth", "first_errors", "judge", "split"]


@dataclass(frozen=True, slots=True)
class FirstErrors:
    """1-based; None where there is none."""

    any: int | None
    """The first error of either kind."""
    state: int | None
    """The first one that makes the state wrong: the first that rollouts can see."""


def split(solution: str) -> tuple[str, ...]:
    """The steps of a solution's text: its lines, without blank ones."""
    return tuple(line for line in solution.split(wording.SEPARATOR) if line.strip())


def judge(program: Program, steps: Iterable[str]) -> tuple[StepTruth, ...]:
    """The truth of every step."""
    ledger = Ledger(program)
    judged: list[StepTruth] = []
    for step in steps:
        wrong_before = not ledger.sound
        kind, reason = _step(ledger, step)
        repaired = wrong_before and ledger.sound
        judged.append(StepTruth(kind, reason, repaired))
    return tuple(judged)


def first_errors(truths: Sequence[StepTruth]) -> FirstErrors:
    """Where the first errors are."""
    errors = [i for i, truth in enumerate(truths, 1) if truth.is_error]
    states = [i for i, truth in enumerate(truths, 1) if truth.kind is Kind.STATE]
    return FirstErrors(errors[0] if errors else None, states[0] if states else None)


def _step(ledger: Ledger, text: str) -> Judgement:
    match wording.read(text):
        case Start(name, number) if name in ledger.truth:
            return judge_start(ledger, name, number)
        case Define(name, equation):
            return judge_define(ledger, name, equation)
        case Happen(occasion, owner, equation):
            return judge_move(ledger, occasion, owner, equation)
        case Final(number):
            return _final(ledger, number)
        case _:
            return RIGHT if not text.strip() else wrong(Reason.UNREADABLE)


def _final(ledger: Ledger, number: int) -> Judgement:
    was, ledger.answered = ledger.answered, number
    if number == ledger.answer:
        if was == number:
            return slip(Reason.RESTATED)
        reached = ledger.sound_state and ledger.complete
        return RIGHT if reached else slip(Reason.LEAP)
    if number == ledger.value:
        return CARRIED if ledger.complete else wrong(Reason.LEFT_OUT)
    return wrong(Reason.FINAL)
