"""From what a search took to where the first errors are: the two rules, and who is compared.

A Contender is a policy with a rule. `first_zero` is the literature's; `posterior` takes the most
probable first error under the value model, whatever policy chose the rollouts. It is scored even
where the label would be undecided, since it is not more probable than DECIDED; how often that is
stands beside.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from search_cases import Case, Play, Policy, play

from labeler.labels import Value, measured
from labeler.labels.first_error import first_zero
from labeler.model import Task
from labeler.policies import Adaptive, Bisection, Exhaustive, Scan
from labeler.posterior import ValueModel, tree_of
from labeler.posterior.belief import Belief
from labeler.posterior.fitting import Counted

Floats = NDArray[np.float64]
Counts = Mapping[str, Sequence[tuple[int, int]]]
DECIDED = 0.5
DEFAULT = Adaptive().confidence
CONFIDENCES = tuple(sorted({0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, DEFAULT}))
"""Of the adaptive policy's curve."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a rule says that the first error of a solution is."""

    first_error: int | None
    """1-based; 0: there is none; None: the rule does not say."""
    confidence: float
    """Its probability; 1 where the rule knows none."""
    posterior: Floats | None = None
    """(K+1,): first error 1..K, none."""

    @property
    def undecided(self) -> bool:
        """Whether a label would say so."""
        return self.first_error is None or self.confidence <= DECIDED


@dataclass(frozen=True, slots=True)
class Contender:
    """A policy with a rule."""

    name: str
    policy: Policy
    rule: str
    """first_zero or posterior."""
    model: ValueModel
    """Of the rule `posterior`."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a contender made of one problem."""

    case: Case
    play: Play
    decisions: Mapping[str, Decision]
    """By solution id."""


def located(task: Task, counts: Counts) -> dict[str, Decision]:
    """The rule first_zero; right answers are looked at, too."""
    found = {}
    for solution in task.solutions:
        right = solution.id in task.right
        values = [value(c, n) for n, c in counts[solution.id][1:]] + [value(int(right), 1)]
        where = first_zero(values, right, True).first_error
        found[solution.id] = Decision(where, 1.0)
    return found


@lru_cache(maxsize=1 << 14)
def value(correct: int, n: int) -> Value:
    """A prefix's value from its counts."""
    return measured(correct, n, 0.95)


def belief_of(task: Task, counts: Counts, model: ValueModel) -> Belief:
    """What a problem's counts say of all its solutions together."""
    counted = counted_of(task, counts)
    belief = Belief(counted.tree, model)
    nodes = np.flatnonzero(counted.n)
    belief.observe(nodes, counted.n[nodes], counted.correct[nodes])
    return belief


def counted_of(task: Task, counts: Counts) -> Counted:
    """A problem's counts on its tree."""
    tree = tree_of(task)
    table = np.zeros((len(tree.parents), 2), dtype=np.int64)
    for solution, path in zip(task.solutions, tree.paths, strict=True):
        table[list(path)] = counts[solution.id]
    return Counted(tree, table[:, 0], table[:, 1])


def inferred(task: Task, counts: Counts, model: ValueModel) -> dict[str, Decision]:
    """The rule posterior."""
    belief = belief_of(task, counts, model)
    found = {}
    for i, solution in enumerate(task.solutions):
        posterior = belief.joint(i).first_error
        at = int(posterior.argmax())
        steps = len(solution.steps)
        error = 0 if at == steps else at + 1
        found[solution.id] = Decision(error, float(posterior[at]), posterior)
    return found


def decide(contender: Contender, case: Case, played: Play) -> Result:
    """What the contender's rule says of what its policy took."""
    counts = played.counts(case.task)
    if contender.rule == "first_zero":
        return Result(case, played, located(case.task, counts))
    return Result(case, played, inferred(case.task, counts, contender.model))


def results(contenders: Sequence[Contender], cases: Iterable[Case]) -> Iterator[list[Result]]:
    """For each case what each contender made of it; one policy is played once for all rules."""
    for case in cases:
        plays: dict[Policy, Play] = {}
        row = []
        for contender in contenders:
            if contender.policy not in plays:
                plays[contender.policy] = play(contender.policy, case)
            row.append(decide(contender, case, plays[contender.policy]))
        yield row


BASELINES: dict[str, Policy] = {
    **{f"exhaustive {n}": Exhaustive(n=n) for n in (4, 8, 16, 64)},
    "bisection 8": Bisection(n=8),
    "bisection 8 early": Bisection(n=8, early_stop=True),
    "scan 8": Scan(n=8),
    "scan 8 early": Scan(n=8, early_stop=True),
}


def contenders(model: ValueModel, confidences: Sequence[float] = CONFIDENCES) -> list[Contender]:
    """All that is compared, adaptive at each confidence last."""
    made = [
        Contender(name, policy, rule, model)
        for name, policy in BASELINES.items()
        for rule in ("first_zero", "posterior")
    ]
    return made + [adaptive(model, confidence) for confidence in confidences]


def adaptive(model: ValueModel, confidence: float = DEFAULT, **more: object) -> Contender:
    """The adaptive policy at a confidence, with its own posterior as the rule."""
    policy = Adaptive.model_validate({"confidence": confidence, "value_model": model, **more})
    return Contender(f"adaptive {confidence:.2f}", policy, "posterior", model)
