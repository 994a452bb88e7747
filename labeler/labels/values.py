"""values.py - from rollouts of one prefix to its value, and from two values to progress.

Order-blind, and each number depends on its own prefix alone. It knows no step and no rule.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Literal

from labeler.labels.rows import Value
from labeler.model import Graded, Outcome, Reason

Truncation = Literal["incorrect", "ungradable"]
"""What a rollout that ran out of tokens counts for."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of one prefix's rollouts."""

    n: int = 0
    """Graded rollouts: the denominator."""
    correct: int = 0
    truncated: int = 0
    """Rollouts that ran out of tokens, whichever way they count."""
    ungradable: int = 0
    n_tokens: int = 0
    """Tokens generated, by all of them."""

    @property
    def n_rollouts(self) -> int:
        """All rollouts, ungradable ones included."""
        return self.n + self.ungradable


@dataclass(frozen=True, slots=True)
class Progress:
    """V(k) - V(k-1) with its interval."""

    mean: float
    low: float
    high: float


def tally(graded: Iterable[Graded], truncated: Truncation = "incorrect") -> Tally:
    """Count one prefix's rollouts, in whatever order they come."""
    n = correct = cut = ungradable = n_tokens = 0
    for g in graded:
        verdict = g.verdict
        n_tokens += g.rollout.n_tokens
        is_cut = verdict.reason is Reason.TRUNCATED
        cut += is_cut
        if verdict.outcome is Outcome.UNGRADABLE or (is_cut and truncated == "ungradable"):
            ungradable += 1
        else:
            n += 1
            correct += verdict.outcome is Outcome.CORRECT
    return Tally(n, correct, cut, ungradable, n_tokens)


@lru_cache(maxsize=1 << 16)
def jeffreys(correct: int, n: int, confidence: float) -> tuple[float, float]:
    """Equal-tailed Jeffreys interval of a proportion, n >= 1.

    The lower end is 0 at no success and the upper end 1 at no failure (Brown, Cai and DasGupta
    2001, section 4.1.1), so that coverage does not fall to zero at the boundary.
    """
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    a, b = correct + 0.5, n - correct + 0.5
    low = 0.0 if correct == 0 else float(betaincinv(a, b, tail))
    high = 1.0 if correct == n else float(betaincinv(a, b, 1 - tail))
    return low, high


def measured(correct: int, n: int, confidence: float) -> Value:
    """The value of a prefix from its counts."""
    if n == 0:
        return Value(0, 0, None, None, None)
    return Value(n, correct, correct / n, *jeffreys(correct, n, confidence))


def difference(after: Value, before: Value) -> Progress | None:
    """The value of `after` less that of `before`; None unless both are measured.

    The interval is MOVER's from the two single ones (Newcombe 1998, method 10; Zou and Donner
    2008). It takes the two as independent, which rollouts of two prefixes are.
    """
    if after.soft is None or after.low is None or after.high is None:
        return None
    if before.soft is None or before.low is None or before.high is None:
        return None
    mean = after.soft - before.soft
    down = sqrt((after.soft - after.low) ** 2 + (before.high - before.soft) ** 2)
    up = sqrt((after.high - after.soft) ** 2 + (before.soft - before.low) ** 2)
    return Progress(mean, max(-1.0, mean - down), min(1.0, mean + up))
