"""checking.py - does the value model predict what was seen? Posterior prediction, prefix by prefix.

Each prefix's number of correct rollouts is predicted from those of all other prefixes of its
problem (leave one out; Gelfand, Dey and Chang 1992), and compared with what it was.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from labeler.posterior.belief import Belief
from labeler.posterior.chain import successes
from labeler.posterior.evidence import Counted
from labeler.posterior.value_model import ValueModel


@dataclass(frozen=True, slots=True)
class Check:
    """Predictions against what was seen, over prefixes with rollouts."""

    prefixes: int
    zeros: float
    """Share of the prefixes that no rollout survived."""
    zeros_expected: float
    """The mean probability of that."""
    spread: float
    """Squared distances of the shares of correct rollouts from their expectations, over the
    expected ones: above 1 the values vary more than the model says."""


@dataclass(frozen=True, slots=True)
class _Predicted:
    """One prefix: how probable it was that no rollout survives, and its share of correct ones."""

    zero: float
    mean: float
    variance: float


def check(problems: Sequence[Counted], model: ValueModel) -> Check:
    """Predict each prefix of these problems. ValueError where none has a rollout."""
    pairs = [pair for problem in problems for pair in _pairs(problem, model)]
    if not pairs:
        raise ValueError("no rollouts to check against")
    wide = sum(p.variance for _, p in pairs)
    return Check(
        prefixes=len(pairs),
        zeros=sum(share == 0 for share, _ in pairs) / len(pairs),
        zeros_expected=sum(p.zero for _, p in pairs) / len(pairs),
        spread=sum((share - p.mean) ** 2 for share, p in pairs) / max(wide, 1e-12),
    )


def _pairs(problem: Counted, model: ValueModel) -> Iterator[tuple[float, _Predicted]]:
    """The share of correct rollouts of each prefix, and its prediction from the others."""
    belief = Belief(problem.tree, model)
    n, correct = problem.n.tolist(), problem.correct.tolist()
    belief.observe(range(len(n)), n, correct)
    for node, (solution, k) in enumerate(_places(problem.tree.paths)):
        if n[node]:
            belief.observe([node], [0], [0])
            yield correct[node] / n[node], _predict(belief, solution, k, n[node])
            belief.observe([node], [n[node]], [correct[node]])


def _places(paths: Iterable[Sequence[int]]) -> list[tuple[int, int]]:
    """For each node a solution and a prefix of it."""
    found = {node: (s, k) for s, path in enumerate(paths) for k, node in enumerate(path)}
    return [found[node] for node in range(len(found))]


def _predict(belief: Belief, solution: int, k: int, n: int) -> _Predicted:
    joint = belief.joint(solution)
    alive = joint.alive[k].sum(axis=0)
    lucky = joint.lucky[:k].sum(axis=0)  # T <= k
    zero = float(1 - alive.sum() - lucky.sum())
    first = second = 0.0
    betas = belief.predictive([belief.tree.paths[solution][k]])
    for weight, (a, b) in zip((alive, lucky), betas, strict=True):
        mean = a / (a + b)
        zero += float((weight * successes((a, b), n)[0]).sum())
        first += float((weight * mean).sum())
        second += float((weight * mean * (1 + (n - 1) * (a + 1) / (a + b + 1))).sum()) / n
    return _Predicted(zero, first, max(second - first**2, 0.0))
