"""probe.py - one question to one prefix: is it alive? What scan and bisection share."""

from collections.abc import Callable, Generator

from pydantic import PositiveInt

from labeler.model import Ask, Prefix, Solution, Task
from labeler.params import Params
from labeler.search import Asks, Replies, Search, together

Probe = Generator[Asks, Replies, bool | None]


class Probing(Params):
    """How a prefix is probed, and the prefixes of which solutions."""

    n: PositiveInt = 8
    """Rollouts a probe, at most. A prefix is dead when none of them reaches the gold answer."""
    early_stop: bool = False
    """End a probe at its first success: enough for hard labels, but its soft value is biased."""
    batch: PositiveInt = 1
    """Rollouts a round of an early-stopping probe: more saves rounds and costs rollouts."""
    right_answers: bool = False
    """Search solutions whose answer is right, too (a lucky chain can hold a wrong step)."""

    @property
    def stops_early(self) -> bool:
        """Whether the number of rollouts of a prefix depends on their outcomes."""
        return self.early_stop


def probe(params: Probing, prefix: Prefix) -> Probe:
    """Whether a prefix is alive; None when no rollout of it could be graded."""
    size = min(params.batch, params.n) if params.early_stop else params.n
    while True:
        [reply] = yield [Ask(prefix, size)]
        if reply.correct:
            return True
        if size >= params.n or reply.failure is not None:
            return False if reply.graded else None
        size = min(size + params.batch, params.n)


def side_by_side(params: Probing, task: Task, locate: Callable[[Solution], Search]) -> Search:
    """The searches of all solutions of a problem that want one, as one search."""
    wanted = [s for s in task.solutions if params.right_answers or s.id not in task.right]
    return together(locate(solution) for solution in wanted)
