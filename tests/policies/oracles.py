"""Answers to a tree search, pure and in memory: a planted world whose verdicts are never wrong.

    answer = Oracle(task)              # replay(policy.grow(task), answer) gives the tree
    answer.asked                       # what was asked, in order

A living prefix has as many right rollouts as wrong ones, a dead one has wrong ones alone; the
texts go on step by step as the planted sampler's do. Alive and dead are read from the text: a
dead step states a value under .1.
"""

from dataclasses import dataclass, field, replace

from labeler.model import (
    Ask,
    Finish,
    Graded,
    Outcome,
    Prefix,
    Problem,
    Reason,
    Reply,
    Rollout,
    Solution,
    Task,
    Verdict,
)
from labeler.samplers.base import Luck
from labeler.samplers.planted import planted_completion, planted_question, read_planted
from labeler.steps import StepsConfig, split

RIGHT = Verdict(Outcome.CORRECT, Reason.MATCH, None, 0.0)
WRONG = Verdict(Outcome.INCORRECT, Reason.WRONG, None, 0.0)
UNGRADABLE = Verdict(Outcome.UNGRADABLE, Reason.TIMEOUT, None, 0.0)
CUT_SHORT = Verdict(Outcome.INCORRECT, Reason.TRUNCATED, None, 0.0)


def lines(text: str) -> tuple:
    return split(text, StepsConfig())


def bare_task(name: str | int = 1, value: float = 0.6) -> Task:
    """A planted problem without a solution."""
    question = planted_question(name, 42, value)
    return Task(Problem(f"planted-{name}", question, "42", "planted"), (), cut=lines)


def with_solutions(task: Task, *texts: str, right: tuple[int, ...] = ()) -> Task:
    made = tuple(Solution(f"s{i}", task.problem.id, lines(t), "given") for i, t in enumerate(texts))
    return replace(task, solutions=made, right=frozenset(made[i].id for i in right))


def is_alive(prefix: Prefix) -> bool:
    return read_planted(prefix)[1] >= 0.1


def first_dead(solution: Solution) -> int:
    """The first step of a planted solution that is dead."""
    values = [read_planted(Prefix("Gold 1.", s.text, 1))[1] for s in solution.steps]
    return next(k for k, value in enumerate(values, 1) if value < 0.1)


def graded(
    ask: Ask, index: int, text: str, verdict: Verdict = WRONG, tokens: int | None = None
) -> Graded:
    """A rollout, as long as its words say if `tokens` does not."""
    n = len(text.split()) if tokens is None else tokens
    rollout = Rollout(
        ask.prefix.key, ask.prefix.step, index, "oracle", None, text, Finish.STOP, n, 0, 0.0
    )
    return Graded(rollout, verdict)


@dataclass(slots=True)
class Oracle:
    """Answers asks; what is true of a prefix is what its text says."""

    steps: int = 6
    """The last step of a completion."""
    luck: int = 0
    asked: list[Ask] = field(default_factory=list)

    def __call__(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        gold, _ = read_planted(ask.prefix)
        luck = Luck(self.luck, "oracle", ask.prefix.key)
        found = []
        for i in range(ask.n):
            right = is_alive(ask.prefix) and i % 2 == 0
            span = ask.prefix.step, self.steps
            text = planted_completion(gold, float(right), luck.bits(i), span)
            found.append(graded(ask, i, text, RIGHT if right else WRONG))
        return Reply(ask, tuple(found))
