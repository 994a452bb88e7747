"""first_error.py - which step is the first wrong one, and what that makes of the others.

The rule `posterior`: the likeliest first error under the value model, given all counts of the
problem (labeler/posterior), where it is likely enough. Where it is not, steps whose place is sure
all the same have their targets.

The rule `first_zero`: the first step whose measured value is zero, if the step before it was
measured alive (or is the bare question, which is taken to be alive). Zero means no correct
rollout; a wrong answer makes the last step zero without any. A step in between that was not
measured (not asked, failed, only ungradable) leaves it undecided: so a finished binary search
decides, an interrupted one does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from labeler.labels.rows import Basis, Value

if TYPE_CHECKING:
    from labeler.posterior.values import Posterior


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

    def basis(self, step: int, is_measured: bool) -> Basis:
        """What the target of a step rests on, whose own prefix was measured or not."""
        if self.target(step) is None:
            return Basis.UNDECIDED
        return Basis.MEASURED if is_measured else Basis.INFERRED


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


def likeliest(belief: "Posterior | None", steps: int, decided: float, confidence: float) -> Located:
    """Apply the rule to the posterior of a solution; without one, all is undecided.

    The first error is the likeliest where it is more probable than `decided`; else the steps
    before or after it are known that are so with probability `confidence`.
    """
    if belief is None:
        return Located(None, 0, steps + 1)
    found = belief.first_error.tolist()
    best = max(range(steps + 1), key=found.__getitem__)  # the earliest of equals
    if found[best] > decided:
        return Located(0 if best == steps else best + 1, best, best + 1)
    reached = list(accumulate(found))  # entry k-1: probability that the error is at k or before
    sound = sum(1 - p >= confidence for p in reached[:steps])
    dead = next((k for k, p in enumerate(reached[:steps], 1) if p >= confidence), steps + 1)
    return Located(None, sound, dead)
