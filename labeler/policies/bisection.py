"""bisection.py - binary search for the first dead prefix (Luo et al. 2024, section 3.2)."""

from typing import Literal

from labeler.model import Solution, Task
from labeler.policies.probe import Probing, probe, side_by_side
from labeler.search import Search


class Bisection(Probing):
    """Halve the stretch between an alive and a dead prefix until they are neighbours.

    Assumes that a dead prefix stays dead. About log2(K) probes a solution; a false zero early
    on is never looked at again.
    """

    kind: Literal["bisection"] = "bisection"

    def search(self, task: Task) -> Search:
        """A wrong answer makes prefix K dead without a probe.

        In a right-answer solution K stands for "no dead prefix". A prefix that cannot be probed
        ends its solution's search, undecided.
        """

        def locate(solution: Solution) -> Search:
            alive, dead = 0, len(solution.steps)  # invariant: `alive` survives, `dead` does not
            while dead - alive > 1:
                middle = (alive + dead) // 2
                survives = yield from probe(self, task.prefix(solution, middle))
                if survives is None:
                    return
                alive, dead = (middle, dead) if survives else (alive, middle)

        return side_by_side(self, task, locate)
