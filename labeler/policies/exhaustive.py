"""exhaustive.py - Math-Shepherd: N rollouts after every step (Wang et al. 2024, section 3)."""

from typing import Literal

from pydantic import PositiveInt

from labeler.model import Ask, Task
from labeler.params import Params
from labeler.search import Search


class Exhaustive(Params):
    """N rollouts of every prefix 0..K-1, in one round. The whole solution needs none."""

    kind: Literal["exhaustive"] = "exhaustive"
    n: PositiveInt = 8
    """Rollouts a prefix (N). At 8, a step whose value is .1 looks dead in 43% of runs (.9^8)."""

    @property
    def stops_early(self) -> bool:
        """Whether the number of rollouts depends on their outcomes: never."""
        return False

    def search(self, task: Task) -> Search:
        """Ask for everything at once; a prefix that solutions share is asked for once."""
        prefixes = [
            task.prefix(solution, k)
            for solution in task.solutions
            for k in range(len(solution.steps))
        ]
        asks = {prefix.key: Ask(prefix, self.n) for prefix in prefixes}
        if asks:
            yield list(asks.values())
