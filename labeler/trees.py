"""trees.py - search trees, replayed from a unit's log: their branches, states and pairs.

A tree is a view of the log, as labels are: the policy's own search runs over the log again, and
hears what it heard before. So nothing of a tree is stored, a log that holds a finished search
gives its tree, and a part-full one gives what it holds of it. Nothing here samples or grades.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from labeler.config import RunConfig
from labeler.labels import (
    Child,
    Pair,
    StateLabel,
    Tally,
    Value,
    Visited,
    measured,
    pairs,
    state_label,
    tally,
)
from labeler.model import Ask, Outcome, Reply, Task
from labeler.policies import Omega
from labeler.policies.search_tree import SearchTree, State, is_wrong, whole
from labeler.rollout_log import SOLUTION, RolloutLog, VerdictRow
from labeler.search import replay


@dataclass(frozen=True, slots=True)
class Forest:
    """The trees of one unit, as this configuration sees this completer's rollouts."""

    log: RolloutLog
    config: RunConfig
    completer: str

    @property
    def grows(self) -> bool:
        """Whether the policy grows trees at all."""
        return isinstance(self.config.policy, Omega)

    def tree(self, task: Task) -> SearchTree | None:
        """The tree of a problem with its given solutions; None where the policy grows none."""
        policy = self.config.policy
        if not isinstance(policy, Omega):
            return None
        return replay(policy.grow(task), lambda ask: self._reply(task, ask))

    def asks(self, task: Task) -> list[Ask]:
        """What the tree's search asks for, as far as the log answers."""
        tree = self.tree(task)
        return [state.reply.ask for state in tree.states.values()] if tree else []

    def grown(self, task: Task) -> Task:
        """The task with its tree's branches as further solutions, their own answers known.

        A branch's own answer is its rollout's, so its verdict is, too.
        """
        tree = self.tree(task)
        given = {solution.id for solution in task.solutions}
        new = [b for b in tree.branches.values() if b.solution.id not in given] if tree else []
        for branch in new:
            if branch.verdict is not None:
                key = task.prefix(branch.solution, len(branch.solution.steps)).key
                gold_key = task.problem.gold_key
                self.log.judge([VerdictRow(key, SOLUTION, 0, gold_key, branch.verdict)])
        return replace(task, solutions=(*task.solutions, *(b.solution for b in new)))

    def rows(self, task: Task) -> tuple[list[StateLabel], list[Pair]]:
        """The rows of a problem's states, those without any rollout left out, and of its pairs."""
        tree = self.tree(task)
        if tree is None:
            return [], []
        counted = [(state, self._tally(task, state)) for state in tree.states.values()]
        rows = [
            state_label(
                task.problem,
                self.completer,
                Visited(state.prefix.key, _texts(state), state.visits, counts),
                self.config.labels,
            )
            for state, counts in counted
            if counts.n_rollouts
        ]
        children = [c for state, counts in counted for c in self._children(task, state, counts)]
        margin = self.config.labels.pair_margin
        return rows, list(pairs(task.problem, self.completer, children, margin))

    def _children(self, task: Task, state: State, counts: Tally) -> Iterator[Child]:
        """A state as a step after its parent, and the first steps of its rollouts.

        One that begins a right rollout was reached; one that ends its solution has its verdict.
        """
        if state.steps:
            parent = replace(state.prefix, step=state.prefix.step - 1, text=_text_before(state))
            value = measured(counts.correct, counts.n, self.config.labels.confidence)
            yield Child(parent.key, _texts(state), value)
        for graded in self._looked_at(task, state).rollouts:
            solution = whole(task, state, graded)
            is_right = graded.verdict.outcome is Outcome.CORRECT
            if solution is None or not (is_right or is_wrong(graded)):
                continue
            steps = tuple(step.text for step in solution.steps[: len(state.steps) + 1])
            if len(steps) == len(solution.steps):
                exact = float(is_right)
                value = Value(1, int(is_right), exact, exact, exact)
                yield Child(state.prefix.key, steps, value, reached=is_right)
            elif is_right:
                yield Child(state.prefix.key, steps, reached=True)

    def _tally(self, task: Task, state: State) -> Tally:
        reply = self._looked_at(task, state)
        return tally(reply.rollouts, self.config.labels.truncated)

    def _looked_at(self, task: Task, state: State) -> Reply:
        """A state's rollouts, as many as labels look at: the tree itself rests on the policy's."""
        n = self.config.labels.n or self.config.policy.n
        return self._reply(task, Ask(state.prefix, n))

    def _reply(self, task: Task, ask: Ask) -> Reply:
        return self.log.reply(self.completer, ask, task.problem.gold_key)


def _texts(state: State) -> tuple[str, ...]:
    return tuple(step.text for step in state.steps)


def _text_before(state: State) -> str:
    """The text of all steps but the last."""
    return "".join(step.text + step.separator for step in state.steps[:-1])
