"""What policies are tried on: problems with their luck already decided, the same for all.

A Case is a task with what is true of its solutions, and all rollouts that any policy could ask
for, each prefix's in one fixed order. `play` runs a policy on it, and counts what it used: each
distinct prefix once, the bare question's rollouts included. No model, no log, no clock.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Protocol

from labeler.model import Ask, Finish, Graded, Outcome, Reason, Reply, Rollout, Task, Verdict
from labeler.samplers.recorded import shuffled
from labeler.search import Search
from labeler.testbed.pool import PoolProblem, Recorded

Taken = tuple[Graded, ...]


class Policy(Protocol):
    """What is tried."""

    def search(self, task: Task) -> Search:
        """Its search of one problem."""


@dataclass(frozen=True, slots=True)
class Truth:
    """Where the first error of a solution is, 1-based; None: there is none."""

    state: int | None
    """The first one that changes the state: what rollouts can see."""
    any: int | None
    """The first of any kind."""


@dataclass(frozen=True, slots=True)
class Chain:
    """What a planted solution's prefixes 0..K-1 are worth before its first error and from it on."""

    alive: tuple[float, ...]
    dead: tuple[float, ...]
    drop: int
    """The step from which the second counts."""
    first: tuple[float, ...]
    """(K,): the distribution that `drop` was drawn from, whatever the values; empty where these
    say something of it."""

    @property
    def values(self) -> tuple[float, ...]:
        """The true values."""
        return self.alive[: self.drop] + self.dead[self.drop :]


@dataclass(frozen=True, slots=True)
class Case:
    """One problem with its solutions, and its luck."""

    task: Task
    truths: Mapping[str, Truth]
    """By solution id."""
    take: Callable[[str, int], Taken]
    """(prefix key, n) -> its first n rollouts, or as many as there are."""
    chains: Mapping[str, Chain] = field(default_factory=dict)
    """By solution id, where the world is planted."""

    def only(self, *, right: bool) -> "Case":
        """The same problem with its solutions of a right, or of a wrong, answer alone."""
        kept = tuple(s for s in self.task.solutions if (s.id in self.task.right) == right)
        return replace(self, task=replace(self.task, solutions=kept))


@dataclass(frozen=True, slots=True)
class Used:
    """What a search took of one prefix."""

    n: int
    correct: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Play:
    """What one search of one problem took."""

    used: Mapping[str, Used]
    """By prefix key."""
    rounds: int
    """Batches of asks, one after the other: its sequential depth."""

    @property
    def rollouts(self) -> int:
        """Of all distinct prefixes."""
        return sum(used.n for used in self.used.values())

    @property
    def tokens(self) -> int:
        """Of all their completions."""
        return sum(used.tokens for used in self.used.values())

    def counts(self, task: Task) -> dict[str, list[tuple[int, int]]]:
        """By solution id, (graded, correct) of prefixes 0..K-1."""
        none = Used(0, 0, 0)
        found = {
            s.id: [self.used.get(task.prefix(s, k).key, none) for k in range(len(s.steps))]
            for s in task.solutions
        }
        return {name: [(used.n, used.correct) for used in row] for name, row in found.items()}


def play(policy: Policy, case: Case) -> Play:
    """Run a policy's search of one problem to its end."""
    last: dict[str, Taken] = {}
    rounds = 0
    with closing(policy.search(case.task)) as search:
        asks = next(search, None)
        while asks is not None:
            rounds += 1
            replies = [_reply(case, ask) for ask in asks]
            last.update((reply.ask.prefix.key, reply.rollouts) for reply in replies)
            try:
                asks = search.send(replies)
            except StopIteration:
                break
    return Play({key: _used(taken) for key, taken in last.items()}, rounds)


def _reply(case: Case, ask: Ask) -> Reply:
    taken = case.take(ask.prefix.key, ask.n)
    lacking = ask.n - len(taken)
    return Reply(ask, taken, f"{lacking} rollouts were not recorded" if lacking else None)


def _used(taken: Taken) -> Used:
    correct = sum(g.verdict.outcome is Outcome.CORRECT for g in taken)
    return Used(len(taken), correct, sum(g.rollout.n_tokens for g in taken))


@lru_cache(maxsize=1 << 12)
def graded(correct: bool, n_tokens: int) -> Graded:
    """A rollout of which only its verdict and its length are known."""
    rollout = Rollout("", 0, 0, "", None, "", Finish.STOP, n_tokens, 0, 0.0)
    if correct:
        return Graded(rollout, Verdict(Outcome.CORRECT, Reason.MATCH, None, 0.0))
    return Graded(rollout, Verdict(Outcome.INCORRECT, Reason.WRONG, None, 0.0))


def pool_cases(pool: Sequence[PoolProblem], luck: int) -> Iterator[Case]:
    """The pool's problems; each number is another order of every prefix's rollouts."""
    for problem in pool:
        truths = {name: Truth(t.state, t.any) for name, t in problem.truths.items()}
        yield Case(problem.task, truths, _Replay(problem.rollouts, luck).take)


class _Replay:
    """Recorded rollouts in a shuffled order, without those that could not be graded."""

    def __init__(self, recorded: Mapping[str, Recorded], luck: int) -> None:
        self._recorded = recorded
        self._luck = luck
        self._ordered: dict[str, Taken] = {}

    def take(self, key: str, n: int) -> Taken:
        """The first n rollouts of a prefix."""
        if key not in self._ordered:
            rows = self._recorded[key]
            order = shuffled(self._luck, key, range(len(rows.correct)))
            pairs = ((rows.correct[i], rows.n_tokens[i]) for i in order)
            self._ordered[key] = tuple(graded(c, n) for c, n in pairs if c is not None)
        return self._ordered[key][:n]
