"""adaptive.py - noisy bisection: asks where a rollout tells most about the first error.

A belief (labeler/posterior) over the problem's difficulty and each solution's first error takes
in every reply. A round asks, for each solution that is not settled, some rollouts of the prefix
that promises most bits about first errors for the tokens that they cost. What one solution
teaches about the difficulty, or about steps that they share, counts for its siblings at once.

A solution is settled when one first error (or none) is as probable as `confidence` wants, when
no prefix is worth its price, or when its budget is spent; then it asks no more, though what its
siblings show later still moves its posterior. How sure the end is stands in the
labels (rule `posterior`), which are undecided where it is not sure enough.
"""

from collections import defaultdict
from dataclasses import replace
from itertools import accumulate
from statistics import fmean
from typing import Literal

from pydantic import Field, NonNegativeFloat, PositiveInt

from labeler.model import Ask, Prefix, Reply, Solution, Task
from labeler.params import Params
from labeler.posterior import ValueModel, tree_of
from labeler.search import Search

FORESIGHT = 4
"""Rollouts that a prefix is judged by, at most: of many at once each tells less, and a large batch
would never seem worth its price."""


class Adaptive(Params):
    """Ask for what tells most, until the first error is known well enough."""

    kind: Literal["adaptive"] = "adaptive"
    n: PositiveInt = 64
    """Rollouts of one prefix, at most."""
    budget: PositiveInt = 64
    """Rollouts that one solution asks for, at most; what siblings asked for is free."""
    confidence: float = Field(default=0.95, ge=0.5, lt=1)
    """A solution is settled when one first error is that probable."""
    price: NonNegativeFloat | None = None
    """Bits about first errors that a rollout of the bare question must promise to be worth asking
    for; of a later prefix, the share of it that its expected cost is. None: (1 - confidence) / 2,
    so that one setting says how much certainty may cost."""
    batch: PositiveInt = Field(default=2, le=64)
    """Rollouts a round and solution: more saves rounds and costs rollouts."""
    overhead: NonNegativeFloat = 3.0
    """What a rollout costs beside its tokens, in whole solutions' tokens. Without it the search
    would prefer late prefixes, which are cheap and tell little, and pay more in the end."""
    cached: float = Field(default=0.1, ge=0, le=1)
    """What a prompt token costs, which the prefix cache holds, in generated tokens."""
    target_width: float | None = Field(default=None, gt=0, lt=1)
    """Spend what is left of the budget where soft values are least certain, until each credible
    interval is narrower than this; null: only first errors matter."""
    value_model: ValueModel = ValueModel()
    """What is assumed of values: `labeler calibrate` fits it."""

    @property
    def stops_early(self) -> bool:
        """Whether the number of rollouts of a prefix depends on their outcomes: always."""
        return True

    def search(self, task: Task) -> Search:
        """One search over all solutions, which share a belief."""
        if not task.solutions:
            return
        by_content = tuple(sorted(task.solutions, key=lambda solution: solution.id))
        searched = _Searched(self, replace(task, solutions=by_content))
        while asks := searched.asks():
            for reply in (yield asks):
                searched.take(reply)


class _Searched:
    """One problem under search."""

    def __init__(self, policy: Adaptive, task: Task) -> None:
        from labeler.posterior.belief import Belief

        self._policy = policy
        self._price = (1 - policy.confidence) / 2 if policy.price is None else policy.price
        self._belief = Belief(tree_of(task), policy.value_model)
        self._prefixes: dict[str, Prefix] = {}
        """By key, as all below."""
        self._paths: list[list[str]] = []
        """Of each solution, prefix 0..K-1."""
        self._nodes: dict[str, set[int]] = defaultdict(set)
        costs: dict[str, list[float]] = defaultdict(list)
        for solution, path in zip(task.solutions, self._belief.tree.paths, strict=True):
            prefixes = [task.prefix(solution, k) for k in range(len(path))]
            self._paths.append([prefix.key for prefix in prefixes])
            for prefix, node, cost in zip(
                prefixes, path, _costs(policy, task, solution), strict=True
            ):
                self._prefixes.setdefault(prefix.key, prefix)
                self._nodes[prefix.key].add(node)
                costs[prefix.key].append(cost)
        self._costs = {key: fmean(of) for key, of in costs.items()}
        self._asked = dict.fromkeys(self._prefixes, 0)
        self._left = [policy.budget] * len(self._paths)
        """Rollouts that each solution may still ask for."""
        self._open = list(range(len(self._paths)))
        """Solutions that are not settled."""

    def asks(self) -> list[Ask]:
        """The next round; none when there is nothing left to ask."""
        wanted = self._about_errors()
        if not wanted and self._policy.target_width is not None:
            wanted = self._about_values(self._policy.target_width)
        for key, count in wanted.items():
            self._asked[key] += count
        return [Ask(self._prefixes[key], self._asked[key]) for key in wanted]

    def take(self, reply: Reply) -> None:
        """Learn from a reply; a prefix that cannot be sampled is not asked again."""
        key = reply.ask.prefix.key
        for node in self._nodes[key]:
            self._belief.observe([node], [reply.graded], [reply.correct])
        if reply.failure is not None:
            self._asked[key] = self._policy.n

    def _about_errors(self) -> dict[str, int]:
        """For each solution that is not settled, what tells most about first errors."""
        gains = dict.fromkeys(self._asked, 0.0)
        unsure = [s for s in self._open if self._adds_gains(s, gains)]
        self._open = []
        wanted: dict[str, int] = {}
        for s in unsure:
            key = max(self._paths[s], key=gains.__getitem__)
            if gains[key] > self._price and self._spend(s, key, wanted):
                self._open.append(s)
        return wanted

    def _adds_gains(self, solution: int, gains: dict[str, float]) -> bool:
        """Add, for each of its prefixes, the bits of a rollout over its relative cost.

        False, and nothing added, where the solution is settled.
        """
        from labeler.posterior.information import information

        joint = self._belief.joint(solution)
        if joint.first_error.max() >= self._policy.confidence:
            return False
        count = min(self._policy.batch, self._policy.n, FORESIGHT)
        bits = information(self._belief, solution, joint, count)
        for key, told in zip(self._paths[solution], bits.tolist(), strict=True):
            if self._asked[key] < self._policy.n:
                gains[key] += told / (count * self._costs[key])
        return True

    def _about_values(self, width: float) -> dict[str, int]:
        """For each solution with budget left, its least certain value, where that is too wide."""
        from labeler.posterior.values import posterior_of

        wanted: dict[str, int] = {}
        for s, path in enumerate(self._paths):
            found = posterior_of(self._belief, s)
            widths = (found.high - found.low)[:-1].tolist()
            able = [i for i, key in enumerate(path) if self._asked[key] < self._policy.n]
            widest = max(able, key=widths.__getitem__, default=None)
            if widest is not None and widths[widest] > width:
                self._spend(s, path[widest], wanted)
        return wanted

    def _spend(self, solution: int, key: str, wanted: dict[str, int]) -> bool:
        """Add a batch of a prefix to a round, on a solution's budget; False where that is spent."""
        policy = self._policy
        count = min(policy.batch, self._left[solution], policy.n - self._asked[key])
        if count <= 0:
            return False
        if count > wanted.get(key, 0):
            self._left[solution] -= count - wanted.get(key, 0)
            wanted[key] = count
        return True


def _costs(policy: Adaptive, task: Task, solution: Solution) -> list[float]:
    """Of prefix 0..K-1, the expected cost of a rollout relative to one of prefix 0.

    Lengths are taken from the texts: a completion is as long as the rest of the solution.
    """
    lengths = [len(step.text) + len(step.separator) for step in solution.steps]
    behind = [0, *accumulate(lengths[:-1])]
    fixed = policy.overhead * sum(lengths) + policy.cached * len(task.problem.question)
    costs = [fixed + sum(lengths) - (1 - policy.cached) * done for done in behind]
    return [max(cost, 1.0) / max(costs[0], 1.0) for cost in costs]
