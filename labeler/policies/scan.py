"""scan.py - left to right, stop at the first prefix that no rollout survives."""

from typing import Literal

from labeler.model import Solution, Task
from labeler.policies.probe import Probing, probe, side_by_side
from labeler.search import Search


class Scan(Probing):
    """Probe prefix 1, 2, ... until one is dead. The whole solution is judged by its own answer."""

    kind: Literal["scan"] = "scan"

    def search(self, task: Task) -> Search:
        """At most K - 1 probes a solution; one that cannot be probed ends it, undecided."""

        def locate(solution: Solution) -> Search:
            for k in range(1, len(solution.steps)):
                alive = yield from probe(self, task.prefix(solution, k))
                if not alive:
                    return

        return side_by_side(self, task, locate)
