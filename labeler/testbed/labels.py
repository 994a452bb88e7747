"""labels.py - what a line is when its label does not fit: its numbers decide."""

from __future__ import annotations

from labeler.testbed.equations import says
from labeler.testbed.kinds import Judgement, Reason, slip
from labeler.testbed.ledger import Ledger
from labeler.testbed.program import Node
from labeler.testbed.wording import Equation


def mislabelled(ledger: Ledger, equation: Equation) -> Judgement | None:
    """Judge, and enter, another line's true numbers; None if they are no line's.

    In this order: a quantity not yet written, a pending move, the last move once more.
    """
    for name, node in ledger.nodes.items():
        if name not in ledger.stated and _true_of(ledger, node, equation):
            ledger.state(name, equation.result)
            return slip(Reason.LABEL)
    return _other_move(ledger, equation) if ledger.sound_numbers else None


def _other_move(ledger: Ledger, equation: Equation) -> Judgement | None:
    done = ledger.done
    moves = range(len(ledger.program.moves))
    for index in (i for i in moves if i not in done):
        if true_place(ledger, index, equation) == done:
            ledger.move(done | {index}, equation.result)
            return slip(Reason.LABEL)
    again = equation.result == ledger.value
    if again and any(true_place(ledger, i, equation) == done - {i} for i in done):
        return slip(Reason.RESTATED)
    return None


def true_place(ledger: Ledger, index: int, equation: Equation) -> frozenset[int] | None:
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


def _true_of(ledger: Ledger, node: Node, equation: Equation) -> bool:
    inputs = (ledger.true(node.left), ledger.true(node.right))
    return says(equation, node.op, *inputs) and equation.result == ledger.truth[node.name]
