"""forecast.py - what a policy will ask for, before anything is sampled. Pure.

The policy itself is driven: what the log holds is answered from the log, the rest by a planted
world that is drawn from a Belief. So every policy is planned by its own code, a policy that
needs no luck is counted exactly, and what a log holds already is not counted again.

A world's assumptions: the first error of a wrong solution is equally likely at each of its
steps; a right solution has none; siblings agree on the prefixes that they share; the prefixes
before the first error have one value (the problem's difficulty), those after it another.
It knows neither tokens nor files.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Protocol

from labeler.model import (
    Ask,
    Finish,
    Graded,
    Outcome,
    Problem,
    Reason,
    Reply,
    Rollout,
    Solution,
    Step,
    Task,
    Verdict,
)
from labeler.search import Search

_ROLLOUT = Rollout("", 0, 0, "", None, "", Finish.STOP, 0, 0, 0.0)
_CORRECT = Graded(_ROLLOUT, Verdict(Outcome.CORRECT, Reason.MATCH, None, 0.0))
_INCORRECT = Graded(_ROLLOUT, Verdict(Outcome.INCORRECT, Reason.WRONG, None, 0.0))


class Planned(Protocol):
    """What a plan needs of a policy; a policy is hashable, as frozen configuration is."""

    @property
    def n(self) -> int:
        """Rollouts of one prefix, at most."""

    def search(self, task: Task) -> Search:
        """Its search of one problem."""


class Log(Protocol):
    """What a plan needs of a rollout log."""

    def wanted(self, completer: str, ask: Ask, gold_key: str) -> range:
        """The indices that answer an ask."""

    def reply(self, completer: str, ask: Ask, gold_key: str) -> Reply:
        """What the log holds for an ask."""


@dataclass(frozen=True, slots=True)
class Belief:
    """What rollouts are expected to show."""

    alive: float = 0.5
    """Mean value of the prefixes before the first error."""
    dead: float = 0.05
    """Mean value of those from it on: recovery by luck."""
    spread: float = 5.0
    """Concentration of the Beta that a problem's two values are drawn from."""

    def draw(self, mean: float, luck: Random) -> float:
        """A problem's value; 0 and 1 are certain."""
        if mean <= 0.0 or mean >= 1.0:
            return min(max(mean, 0.0), 1.0)
        return luck.betavariate(mean * self.spread, (1 - mean) * self.spread)


class World:
    """One way in which the rollouts of a problem may turn out."""

    def __init__(self, task: Task, belief: Belief, luck: Random) -> None:
        self._luck = luck
        self._alive_value = belief.draw(belief.alive, luck)
        self._dead_value = belief.draw(belief.dead, luck)
        self._alive: set[str] = set()
        self._dead: set[str] = set()
        self._drawn: dict[str, list[Graded]] = {}
        for solution in sorted(task.solutions, key=lambda s: s.id not in task.right):
            self._place(task, solution)

    def _place(self, task: Task, solution: Solution) -> None:
        """Draw the first error of a solution, in keeping with its siblings'."""
        keys = [task.prefix(solution, k).key for k in range(len(solution.steps))]
        error = len(keys)
        if solution.id not in task.right:
            shared = [k for k, key in enumerate(keys) if key in self._alive or k == 0]
            fixed = [k for k, key in enumerate(keys) if key in self._dead]
            drawn = self._luck.randint(shared[-1] + 1, len(keys))
            error = fixed[0] if fixed else drawn
        self._alive.update(keys[:error])
        self._dead.update(keys[error:])

    def reply(self, ask: Ask, held: Reply, wanted: int) -> Reply:
        """What the log holds, filled up to the wanted number by this world's luck."""
        missing = wanted - len(held.rollouts)
        drawn = self._drawn.setdefault(ask.prefix.key, [])
        value = self._dead_value if ask.prefix.key in self._dead else self._alive_value
        while len(drawn) < missing:
            drawn.append(_CORRECT if self._luck.random() < value else _INCORRECT)
        return Reply(ask, (*held.rollouts, *drawn[:missing]))


@dataclass(frozen=True, slots=True)
class Wish:
    """What a prefix is asked for in the end."""

    task: Task
    ask: Ask


def wishes(
    policy: Planned,
    tasks: Iterable[Task],
    log: Log,
    completer: str,
    world: tuple[Belief, int],
) -> Mapping[str, Wish]:
    """By prefix key, what the policy asks for in one world (a belief and the world's number).

    Tasks must be all those of their questions: a prefix that several want is one wish.
    """
    belief, number = world
    final: dict[str, Wish] = {}
    for task in tasks:
        gold = task.problem.gold_key
        planted = World(task, belief, Random(f"{number}:{task.problem.id}"))

        def answer(ask: Ask, task: Task = task, gold: str = gold, at: World = planted) -> Reply:
            seen = final.get(ask.prefix.key)
            if seen is None or seen.ask.n < ask.n:
                final[ask.prefix.key] = Wish(task, ask)
            held = log.reply(completer, ask, gold)
            return at.reply(ask, held, len(log.wanted(completer, ask, gold)))

        settle(policy.search(task), answer)
    return final


def settle(search: Search, answer: Callable[[Ask], Reply]) -> None:
    """Run a search to its end where each ask can be answered at once."""
    with closing(search):
        asks = next(search, None)
        while asks is not None:
            replies = [answer(ask) for ask in asks]
            try:
                asks = search.send(replies)
            except StopIteration:
                return


@lru_cache(maxsize=4096)
def most(policy: Planned, steps: int, *, right: bool) -> int:
    """The most rollouts that a solution of so many steps can cost, when luck is worst.

    Each place of the first error is tried, and a living prefix succeeds at its last rollout.
    """
    return max(_cost(policy, steps, error, right=right) for error in range(1, steps + 1))


def _cost(policy: Planned, steps: int, error: int, *, right: bool) -> int:
    """Rollouts of one solution whose prefixes from `error` on are dead."""
    solution = Solution("s", "p", (Step(".", ""),) * steps)
    task = Task(Problem("p", "", ""), (solution,), "", frozenset({"s"} if right else ()))
    asked: dict[str, int] = {}

    def answer(ask: Ask) -> Reply:
        asked[ask.prefix.key] = max(ask.n, asked.get(ask.prefix.key, 0))
        survives = ask.prefix.step < error and ask.n >= policy.n
        return Reply(ask, (_INCORRECT,) * (ask.n - survives) + (_CORRECT,) * survives)

    settle(policy.search(task), answer)
    return sum(asked.values())
