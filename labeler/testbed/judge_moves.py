"""judge_moves.py - the rules for lines about the owner's number after a move."""

from __future__ import annotations

from labeler.testbed.equations import holds, says, why
from labeler.testbed.kinds import CARRIED, RIGHT, Judgement, Reason, slip, wrong
from labeler.testbed.labels import mislabelled, true_place
from labeler.testbed.ledger import Ledger
from labeler.testbed.wording import Equation


def judge_move(ledger: Ledger, occasion: str, owner: str | None, equation: Equation) -> Judgement:
    """Judge a line that works out the owner's number after a move, and enter it."""
    index = ledger.occasions.get(occasion)
    if index is None:
        return mislabelled(ledger, equation) or wrong(Reason.UNREADABLE)
    before = true_place(ledger, index, equation)
    if before is None:
        return _untrue_move(ledger, index, equation)
    judged = _true_move(ledger, index, before, equation)
    misnamed = owner not in (None, ledger.program.owner)
    return slip(Reason.LABEL) if misnamed and judged == RIGHT else judged


def _true_move(ledger: Ledger, index: int, before: frozenset[int], equation: Equation) -> Judgement:
    operand = ledger.program.moves[index].operand
    inputs_written = ledger.value is not None and ledger.known(operand) is not None
    if ledger.sound_numbers and index in ledger.done:
        return slip(Reason.RESTATED)
    if ledger.sound_numbers and not before >= ledger.done:
        ledger.move(ledger.done | {index}, equation.result)
        return wrong(Reason.OPERAND)
    written = inputs_written and before <= ledger.done
    ledger.move(before | {index}, equation.result)
    return RIGHT if written else slip(Reason.LEAP)


def _untrue_move(ledger: Ledger, index: int, equation: Equation) -> Judgement:
    """A move's line that is true at no sound place."""
    move = ledger.program.moves[index]
    repeated, in_order = index in ledger.done, ledger.in_order(index)
    inputs = (ledger.value, ledger.known(move.operand))
    true_inputs = (ledger.places.get(ledger.done), ledger.true(move.operand))
    follows = in_order and not repeated and holds(equation, move.op, *inputs)
    after = ledger.done | {index}
    lands = not repeated and ledger.places.get(after) == equation.result
    if follows and inputs != true_inputs:
        ledger.move(after, equation.result)
        return CARRIED
    if not lands and (other := mislabelled(ledger, equation)):
        return other
    true_text = says(equation, move.op, ledger.value, ledger.true(move.operand))
    ledger.move(after, equation.result)
    if lands:
        return slip(Reason.OPERAND)
    if repeated:
        return wrong(Reason.REPEATED)
    reason = why(equation, true_text)
    out_of_order = not in_order and holds(equation, move.op, *inputs)
    return wrong(Reason.ORDER if out_of_order else reason)
