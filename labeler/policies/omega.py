"""omega.py - OmegaPRM's tree of bisected rollouts (Luo et al. 2024, arXiv 2406.06592, section 3.3).

The bare question is the first state. A search chooses one wrong rollout of a state that some
rollout survived, bisects it for its first dead prefix, and makes each prefix that it probes a
state, whose rollouts can be chosen next. So rollouts are spent where the completer is of two
minds, and those of one search serve all later ones. `search_tree.py` has the nouns.

    Q(s, r) = alpha ** (1 - MC(s)) * beta ** (len(r) / L)      U(s) = c * sqrt(sum N) / (1 + N(s))

Given solutions join as rollouts of the bare question; a problem without any is searched as well.
"""

from collections.abc import Generator
from math import sqrt
from typing import Literal

from pydantic import Field, PositiveInt

from labeler.model import Ask, Prefix, Solution, Step, Task
from labeler.params import Params
from labeler.policies.search_tree import Branch, Candidate, SearchTree, State, wrong_solutions
from labeler.search import Asks, Replies, Search

Growing = Generator[Asks, Replies, SearchTree]


class Omega(Params):
    """Follow the wrong rollouts that should have been right, one after the other.

    A state is open to choice while 0 < MC(s) and one of its wrong solutions was not followed yet,
    here or elsewhere: no solution is ever chosen twice, so each search teaches something new.
    """

    kind: Literal["omega"] = "omega"
    n: PositiveInt = 8
    """Rollouts of a state (k). One whose value is .1 looks dead in 43% of runs (.9^8)."""
    searches: PositiveInt = 100
    """Rollouts chosen and bisected for each problem, at most."""
    alpha: float = Field(default=0.5, gt=0, le=1)
    """The smaller, the more are wrong rollouts of likely right states preferred."""
    beta: float = Field(default=0.9, gt=0, le=1)
    """The smaller, the more are short rollouts preferred."""
    length: PositiveInt = 500
    """L: the length that counts for one factor beta, in tokens, as rollouts are counted."""
    explore: float = Field(default=0.125, ge=0)
    """c: how much a state gains for having been chosen from less often than others."""

    @property
    def stops_early(self) -> bool:
        """Whether the number of rollouts of a prefix depends on their outcomes: never."""
        return False

    def search(self, task: Task) -> Search:
        """One probe a round: each choice rests on all that was heard before."""
        yield from self.grow(task)

    def grow(self, task: Task) -> Growing:
        """The search, which gives its tree in the end.

        Over a log that holds a finished search, the same tree comes out and nothing new is asked.
        """
        tree = SearchTree()
        yield from self._visit(tree, task, Prefix(task.problem.question, "", 0, task.template), ())
        for _ in range(self.searches):
            state = self._best(tree)
            if state is None:
                break
            chosen = state.waiting.pop()
            state.visits += 1
            dead = yield from self._bisect(tree, task, state, chosen.solution)
            tree.branches[chosen.solution.id] = Branch(
                chosen.solution, chosen.verdict, state.prefix.key, dead
            )
        return tree

    def _best(self, tree: SearchTree) -> State | None:
        """The open state whose best solution has the highest Q + U; ties go by content."""
        bonus = self.explore * sqrt(sum(s.visits for s in tree.states.values()))
        best: tuple[float, str] | None = None
        for key, state in tree.states.items():
            while state.waiting and state.waiting[-1].solution.id in tree.branches:
                state.waiting.pop()
            if state.waiting:
                score = state.waiting[-1].quality + bonus / (1 + state.visits), key
                best = max(best, score) if best else score
        return tree.states[best[1]] if best else None

    def _visit(
        self, tree: SearchTree, task: Task, prefix: Prefix, steps: tuple[Step, ...]
    ) -> Generator[Asks, Replies, State]:
        """The state of a prefix: the one that the tree has, or a new one, rolled out."""
        if prefix.key not in tree.states:
            [reply] = yield [Ask(prefix, self.n)]
            state = tree.states[prefix.key] = State(prefix, steps, reply)
            if reply.correct:
                found = wrong_solutions(task, state)
                waiting = [Candidate(self._quality(state, n), s, v) for n, s, v in found]
                state.waiting = sorted(waiting, key=lambda c: (c.quality, c.solution.id))
        return tree.states[prefix.key]

    def _quality(self, state: State, tokens: int) -> float:
        return float(self.alpha ** (1 - state.value) * self.beta ** (tokens / self.length))

    def _bisect(
        self, tree: SearchTree, task: Task, state: State, solution: Solution
    ) -> Generator[Asks, Replies, int | None]:
        """The first dead step after a state; None where a prefix could not be probed."""
        alive, dead = state.prefix.step, len(solution.steps)  # the answer is wrong: K is dead
        while dead - alive > 1:
            middle = (alive + dead) // 2
            prefix = task.prefix(solution, middle)
            probed = yield from self._visit(tree, task, prefix, solution.steps[:middle])
            if not probed.reply.graded:
                return None
            alive, dead = (middle, dead) if probed.reply.correct else (alive, middle)
        return dead
