"""forecast.py - what a policy will ask for, before anything is sampled. Pure.

The policy itself is driven: what the log holds is answered from the log, the rest by a planted
world (worlds.py). So every policy is planned by its own code, a policy that needs no luck is
counted exactly, and what a log holds already is not counted again. It knows neither tokens nor
files.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Protocol

from labeler.apps.worlds import Nature, World, Writer
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
from labeler.policies import Adaptive, Omega
from labeler.search import Search, replay

_CORRECT = Graded(
    Rollout("", 0, 0, "", None, "", Finish.STOP, 0, 0, 0.0),
    Verdict(Outcome.CORRECT, Reason.MATCH, None, 0.0),
)
_INCORRECT = replace(_CORRECT, verdict=Verdict(Outcome.INCORRECT, Reason.WRONG, None, 0.0))


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
class Luck:
    """Which world is drawn."""

    nature: Nature
    number: int
    writer: Writer | None = None
    """Where the policy needs the texts of rollouts."""


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
    luck: Luck,
) -> Mapping[str, Wish]:
    """By prefix key, what the policy asks for in one world.

    Tasks must be all those of their questions: a prefix that several want is one wish.
    """
    final: dict[str, Wish] = {}
    for task in tasks:
        gold = task.problem.gold_key
        drawn = Random(f"{luck.number}:{task.problem.id}")
        planted = World(task, luck.nature, drawn, luck.writer)

        def answer(ask: Ask, task: Task = task, gold: str = gold, at: World = planted) -> Reply:
            seen = final.get(ask.prefix.key)
            if seen is None or seen.ask.n < ask.n:
                final[ask.prefix.key] = Wish(task, ask)
            held = log.reply(completer, ask, gold)
            return at.reply(ask, held, len(log.wanted(completer, ask, gold)))

        replay(policy.search(task), answer)
    return final


@lru_cache(maxsize=4096)
def most(policy: Planned, steps: int, *, right: bool) -> int:
    """The most rollouts that a solution of so many steps can cost, when luck is worst.

    Each place of the first error is tried, and a living prefix succeeds at its last rollout; an
    adaptive search keeps to its budget.
    """
    if isinstance(policy, Adaptive):
        return min(policy.budget, policy.n * steps)
    return max(_cost(policy, steps, error, right=right) for error in range(1, steps + 1))


def most_of_tree(policy: Omega, steps: int) -> int:
    """The most rollouts that a problem's tree can cost with solutions of so many steps."""
    return policy.n * (1 + policy.searches * (steps - 1).bit_length())


def _cost(policy: Planned, steps: int, error: int, *, right: bool) -> int:
    """Rollouts of one solution whose prefixes from `error` on are dead."""
    solution = Solution("s", "p", (Step(".", ""),) * steps)
    task = Task(Problem("p", "", ""), (solution,), "", frozenset({"s"} if right else ()))
    asked: dict[str, int] = {}

    def answer(ask: Ask) -> Reply:
        asked[ask.prefix.key] = max(ask.n, asked.get(ask.prefix.key, 0))
        survives = ask.prefix.step < error and ask.n >= policy.n
        return Reply(ask, (_INCORRECT,) * (ask.n - survives) + (_CORRECT,) * survives)

    replay(policy.search(task), answer)
    return sum(asked.values())
