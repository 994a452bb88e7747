"""programmed_judge.py - a judge whose errors are set: for asking when consensus filtering helps.

It knows the exact first error and errs where a reader may be expected to, on hard problems, late
errors and slips: never independently of the solution, which would make the point by construction.
How real judges err was not measured.
1. It misses an error more often the harder the problem is, the later the error, and if it is a slip
   that does not change the state. A miss says "none", or a later step.
2. It finds an error where there is none more often on hard problems and long solutions.
3. `follows` is the share of solutions on which it errs as the rollouts do, where these are wrong:
   the part of its errors that no agreement can show.
Its luck follows from seed and solution alone.
"""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Judgeable:
    """What a judge's luck depends on, of one solution."""

    id: str
    steps: int
    first_error: int
    """Exact, 1-based, of any kind; 0 is none."""
    slip: bool
    """Whether it leaves the state as it is."""
    difficulty: float
    """0 (every rollout of the bare question succeeds) to 1 (none does)."""
    by_rollouts: int | None
    """The first error that the rollouts' labels name."""


@dataclass(frozen=True, slots=True)
class ProgrammedJudge:
    """A judge by its two dials."""

    quality: float
    """Probability of being right on a problem of middling difficulty with an early error."""
    follows: float = 0.0
    """Probability of the rollouts' own wrong label, where that is wrong."""
    seed: int = 0

    def names(self, solution: Judgeable) -> int:
        """The step that it names, 0 for none."""
        luck = Random(f"judge:{self.seed}:{solution.id}")
        copies, misses, chance = luck.random(), luck.random(), luck.random()
        wrong = solution.by_rollouts not in (None, solution.first_error)
        if wrong and solution.by_rollouts is not None and copies < self.follows:
            return solution.by_rollouts
        if misses < self.right(solution):
            return solution.first_error
        if not solution.first_error:
            return 1 + int(chance * solution.steps)
        after = solution.steps - solution.first_error
        return 0 if chance < 0.5 or not after else luck.randint(1, after) + solution.first_error

    def right(self, solution: Judgeable) -> float:
        """Probability of naming the exact first error by itself."""
        late = max(solution.first_error, 1) / max(solution.steps, 1)
        burden = 0.5 * solution.difficulty + 0.5 * late + (1.0 if solution.slip else 0.0)
        return max(0.0, 1 - (1 - self.quality) * (0.5 + burden))
