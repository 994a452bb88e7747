"""judge_moves.py - the rules for lines about the owner's number after a move."""

from __future__ import annotations

from labeler.testbed.equations import holds, says, why
from labeler.testbed.kinds import CARRIED, RIGHT, Judgement, Reason, slip, wrong
from labeler.testbed.ledger import Ledger
from labeler.testbed.wording import Equation


def judge_move(ledger: Ledger, occasion: str, owner: str | None, equation: Equation) -> Judgement:
    """Judge a line that works out the owner's number after a move, and enter it."""
    index = ledger.occasions.get(occasion)
    if index is None:
        return mislabelled_move(ledger, equation) or wrong(Reason.UNREADABLE)
    before = _true_place(ledger, index, equation)
    if before is None:
        return _untrue_move(ledger, index, equation)
    judged = _true_move(ledger, index, before, equation)
    mislabelled = owner not in (None, ledger.program.owner)
    return slip(Reason.LABEL) if mislabelled and judged == RIGHT else judged


def _true_place(ledger: Ledger, index: int, equation: Equation) -> frozenset[int] | None:
    """The sound set of moves that this equation of this move starts from; None if false.

    Where several have the same number, the one nearest to the state: the moves done, those
    without this one, a larger set, any.
    """
    move, places = ledger.program.moves[index], ledger.places
    number = ledger.true(move.operand)
    found = [
        done
        for done, value in places.items()
        if index not in done
        and says(equation, move.op, value, number)
        and places.get(done | {index}) == equation.result
    ]
    wanted = (ledger.done, ledger.done - {index})
    found.sort(
        key=lambda x: (x not in wanted, not x >= ledger.done, len(x ^ ledger.done), sorted(x))
    )
    return found[0] if found else None


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


def mislabelled_move(ledger: Ledger, equation: Equation) -> Judgement | None:
    """A pending move's true line under another label: the numbers decide."""
    pending = [i for i in range(len(ledger.program.moves)) if i not in ledger.done]
    for index in pending if ledger.sound_numbers else []:
        if _true_place(ledger, index, equation) == ledger.done:
            ledger.move(ledger.done | {index}, equation.result)
            return slip(Reason.LABEL)
    return None


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
    if not lands and (mislabelled := mislabelled_move(ledger, equation)):
        return mislabelled
    true_text = says(equation, move.op, ledger.value, ledger.true(move.operand))
    ledger.move(after, equation.result)
    if lands:
        return slip(Reason.OPERAND)
    if repeated:
        return wrong(Reason.REPEATED)
    reason = why(equation, true_text)
    out_of_order = not in_order and holds(equation, move.op, *inputs)
    return wrong(Reason.ORDER if out_of_order else reason)
