"""search_tree.py - the nouns of a tree search: states, their wrong rollouts, the branches followed.

A state is a prefix that was rolled out. Each of its rollouts, joined to its steps, is a whole
solution; a wrong one can be chosen as a branch, to be searched for its first error.
1. A solution keeps its state's steps as they are; only the rollout's own text is cut.
2. A solution is white space free at both ends and bears the id that input rows would give it, so
   the same text met again, at whatever state, is the same solution.
3. Nothing depends on the order of rollouts or of given solutions: what is equal otherwise is told
   apart by content.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from labeler.model import (
    Graded,
    Outcome,
    Prefix,
    Reason,
    Reply,
    Solution,
    Step,
    Task,
    Verdict,
    digest,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A wrong solution that passes through a state."""

    quality: float
    """Q(s, r)."""
    solution: Solution
    verdict: Verdict | None
    """Of its own answer; None where the solution was given."""


@dataclass(slots=True)
class State:
    """A prefix that was rolled out."""

    prefix: Prefix
    steps: tuple[Step, ...]
    reply: Reply
    visits: int = 0
    """N(s): how often a rollout of it was chosen."""
    waiting: list[Candidate] = field(default_factory=list)
    """Its wrong solutions that were not chosen here, the best one last."""

    @property
    def value(self) -> float:
        """MC(s); of a state that was graded."""
        return self.reply.correct / self.reply.graded


@dataclass(frozen=True, slots=True)
class Branch:
    """A wrong solution that was chosen."""

    solution: Solution
    verdict: Verdict | None
    """Of its own answer; None where the solution was given."""
    state: str
    """Prefix key of the state at which it was chosen."""
    first_dead: int | None
    """The step whose prefix the bisection found dead, 1-based; None where it could not tell."""


@dataclass(slots=True)
class SearchTree:
    """What a search has found out about a problem."""

    states: dict[str, State] = field(default_factory=dict)
    """By prefix key, in order of discovery; the bare question comes first."""
    branches: dict[str, Branch] = field(default_factory=dict)
    """By solution id, in order of choice."""


def whole(task: Task, state: State, graded: Graded) -> Solution | None:
    """The solution that a rollout makes of its state; None where it adds no step."""
    text = graded.rollout.text.rstrip()
    own = task.cut(text if state.steps else text.lstrip())
    if not text.strip() or not own:
        return None
    steps = (*state.steps, *own[:-1], Step(own[-1].text, ""))
    joined = "".join(s.text + s.separator for s in steps)
    name = digest(task.problem.id, joined, size=8)
    return Solution(name, task.problem.id, steps, graded.rollout.completer)


def is_wrong(graded: Graded) -> bool:
    """Whether a rollout ended, and with a wrong answer or none. A truncated one did not end."""
    verdict = graded.verdict
    return verdict.outcome is Outcome.INCORRECT and verdict.reason is not Reason.TRUNCATED


def wrong_solutions(task: Task, state: State) -> Iterator[tuple[int, Solution, Verdict | None]]:
    """The wrong solutions through a state, each with the length of its rollout in tokens.

    Given ones belong to the bare question. How many tokens they have nobody counted: they are
    taken to be as long for their characters as the rollouts beside them.
    """
    for graded in state.reply.rollouts:
        solution = whole(task, state, graded) if is_wrong(graded) else None
        if solution is not None:
            yield graded.rollout.n_tokens, solution, graded.verdict
    if not state.steps:
        rate = _tokens_per_char(state.reply.rollouts)
        for solution in task.solutions:
            if solution.id not in task.right | task.unknown:
                yield round(rate * len(solution.text)), solution, None


def _tokens_per_char(rollouts: Sequence[Graded]) -> float:
    chars = sum(len(g.rollout.text) for g in rollouts)
    return sum(g.rollout.n_tokens for g in rollouts) / chars if chars else 0.0
