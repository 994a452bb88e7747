"""savings.py - what the run's policy spent, beside what others would have. Pure.

A solution of K steps has prefixes 0..K-1 to roll out. With n rollouts a prefix, exhaustive search
takes n K. The others look at wrong answers alone and never at prefix 0: a scan goes left to right
to the first error (all K-1 prefixes where there is none before step K), a binary search takes
ceil(log2 K) prefixes. They are computed from the first errors that the labels have, an undecided
one as if it were the last step; they were not run.
"""

from collections.abc import Iterable
from dataclasses import dataclass

MATH_SHEPHERD = 8
"""Rollouts a prefix in Wang et al. 2024."""


@dataclass(slots=True)
class Spent:
    """Rollouts, a prefix that several solutions share counted in each of them."""

    solutions: int = 0
    rollouts: int = 0
    """By the run."""
    every: int = 0
    """Prefixes that an exhaustive search rolls out."""
    scan: int = 0
    bisection: int = 0

    def add(self, rows: Iterable[tuple[int, bool | None, int | None, int]]) -> None:
        """Count rows of labels: number of steps, is_correct, first_error, n_rollouts."""
        for steps, right, first, rollouts in rows:
            self.solutions += 1
            self.rollouts += rollouts
            self.every += steps
            if right is False and steps:
                self.scan += min(first or steps, steps - 1)
                self.bisection += (steps - 1).bit_length()

    def costs(self, policy: str, n: int) -> list[tuple[str, int]]:
        """Rollouts of the run and of each other policy, by its name."""
        found = [(f"this run ({policy})", self.rollouts), (f"exhaustive, N = {n}", self.every * n)]
        if n != MATH_SHEPHERD:
            found.append((f"exhaustive, N = {MATH_SHEPHERD}", self.every * MATH_SHEPHERD))
        found += [(f"scan, N = {n}", self.scan * n), (f"bisection, N = {n}", self.bisection * n)]
        return found
