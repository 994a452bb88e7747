"""first_error.py - which step is the first wrong one, and what that makes of the others.

The rule `first_zero`: the first step whose measured value is zero, if the step before it was
measured alive (or is the bare question, which is taken to be alive). Zero means no correct
rollout; a wrong answer makes the last step zero without any. A step in between that was not
measured (not asked, failed, only ungradable) leaves it undecided: so a finished binary search
decides, an interrupted one does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from labeler.labels.rows import Basis, Value


@dataclass(frozen=True, slots=True)
class Located:
    """Where the first error is, as far as it is known."""

    first_error: int | None
    """1-based; 0 is none, None is undecided."""
    sound: int
    """Steps 1..sound come before any error."""
    dead: int
    """Steps from this one on come at or after the first error; beyond the last step: none."""

    def target(self, step: int) -> bool | None:
        """Whether a step comes before the first error; None where that is undecided."""
        if step <= self.sound:
            return True
        return False if step >= self.dead else None

    def basis(self, step: int, value: Value) -> Basis:
        """What the target of a step with this value rests on."""
        if self.target(step) is None:
            return Basis.UNDECIDED
        return Basis.MEASURED if value.n else Basis.INFERRED


def first_zero(values: Sequence[Value], is_correct: bool | None, look: bool) -> Located:
    """Apply the rule to the values of steps 1..K, the last of them the solution's own answer.

    A right answer has no first error unless `look` is set. Then its own answer says nothing of
    the steps before it: "none" is decided by prefix K-1 being alive. An ungradable answer is
    undecided unless a zero among the rollouts decides it.
    """
    steps = len(values)
    if is_correct and not look:
        return Located(0, steps, steps + 1)
    zero = next((k for k, v in enumerate(values, 1) if v.n and not v.correct), steps + 1)
    before = range(1, min(zero, steps))
    alive = max((k for k in before if values[k - 1].n), default=0)
    if zero <= steps:
        return Located(zero if zero - alive == 1 else None, alive, zero)
    if is_correct and alive == steps - 1:
        return Located(0, steps, steps + 1)
    return Located(None, alive, zero)
