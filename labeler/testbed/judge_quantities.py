"""judge_quantities.py - the rules for lines about a person's number before the moves."""

from __future__ import annotations

from labeler.testbed.equations import holds, says, why
from labeler.testbed.kinds import CARRIED, RIGHT, Judgement, Reason, slip, wrong
from labeler.testbed.labels import mislabelled
from labeler.testbed.ledger import Ledger
from labeler.testbed.wording import Equation


def judge_start(ledger: Ledger, name: str, number: int) -> Judgement:
    """Judge a line that states a known person's number, and enter it."""
    known, was = ledger.known(name), ledger.stated.get(name)
    begun = bool(ledger.done) and name == ledger.program.owner
    if number not in (was, ledger.truth[name]) and _owner_begins(ledger, number):
        ledger.state(ledger.program.owner, number)
        return slip(Reason.LABEL)
    ledger.state(name, number)
    if number == ledger.truth[name]:
        if known is None:
            return slip(Reason.LEAP)
        return slip(Reason.RESTATED) if was == number or begun else RIGHT
    return CARRIED if was == number else _wrong_quantity(ledger, name, Reason.OPERAND)


def _owner_begins(ledger: Ledger, number: int) -> bool:
    """Whether this is the owner's given number, at the point where it is due."""
    owner = ledger.program.owner
    return (
        not ledger.done and owner not in ledger.stated and ledger.program.given.get(owner) == number
    )


def _wrong_quantity(ledger: Ledger, name: str, reason: Reason) -> Judgement:
    return wrong(reason) if name in ledger.live() else slip(Reason.IDLE)


def judge_define(ledger: Ledger, name: str, equation: Equation) -> Judgement:
    """Judge a line that works out a person's number, and enter it."""
    node = ledger.nodes.get(name)
    if node is None:
        return mislabelled(ledger, equation) or wrong(Reason.UNREADABLE)
    was, inputs = ledger.stated.get(name), [ledger.known(x) for x in (node.left, node.right)]
    true_text = says(equation, node.op, *(ledger.true(x) for x in (node.left, node.right)))
    carried = None not in inputs and holds(equation, node.op, *inputs)
    if equation.result == ledger.truth[name]:
        ledger.state(name, equation.result)
        if not true_text:
            return slip(Reason.OPERAND)
        if was == equation.result:
            return slip(Reason.RESTATED)
        return slip(Reason.LEAP) if None in inputs else RIGHT
    if not carried and (other := mislabelled(ledger, equation)):
        return other
    ledger.state(name, equation.result)
    return CARRIED if carried else _wrong_quantity(ledger, name, why(equation, true_text))
