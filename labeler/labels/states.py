"""states.py - what a tree search found: its states as labelled prefixes, and pairs of steps.

Field names are the columns of states/*.parquet and pairs/*.parquet.

1. A state's numbers speak of rollouts of that very prefix; they are None where none was graded.
2. A pair is two different steps after one prefix. A step's value is that of the rollouts of the
   prefix that ends with it, or, where it ends its solution, the verdict on the answer (then n is
   1 and the interval has no width).
3. Basis measured: both have a value, and the preferred one's is higher, by `pair_margin` at least
   or above zero where the rejected one's is zero. Basis inferred: the preferred step has none of
   its own (n is 0), but a rollout through it reached the gold answer, and the rejected one's is
   zero. Such a step is worth no less than its prefix on average: rollouts that succeed pass
   through steps in proportion to their values.
4. Pure and order-blind. It knows neither how a tree is grown nor where rollouts come from.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations

from labeler.labels.config import LabelConfig, is_hard
from labeler.labels.rows import Basis, Value
from labeler.labels.values import Tally, measured
from labeler.model import Problem

UNMEASURED = Value(0, 0, None, None, None)


@dataclass(frozen=True, slots=True)
class StateLabel:
    """One row of states/*.parquet."""

    problem_id: str
    question: str
    gold: str
    source: str
    completer: str
    """Fingerprint of the model whose rollouts these are."""
    prefix_key: str
    """Content key: what its rollouts are logged under."""
    steps: tuple[str, ...]
    """None for the bare question."""
    n: int
    correct: int
    truncated: int
    ungradable: int
    n_tokens: int
    """Tokens of all its rollouts."""
    soft: float | None
    low: float | None
    high: float | None
    hard: bool | None
    visits: int
    """How often a rollout of it was chosen."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of pairs/*.parquet."""

    problem_id: str
    question: str
    gold: str
    source: str
    completer: str
    prefix_key: str
    steps: tuple[str, ...]
    """The steps before; none where it is the first step that differs."""
    preferred: str
    rejected: str
    preferred_value: Value
    rejected_value: Value
    basis: Basis
    """What the preference rests on: never undecided."""


@dataclass(frozen=True, slots=True)
class Visited:
    """A state, as labels see it."""

    prefix_key: str
    steps: tuple[str, ...]
    visits: int
    tally: Tally


@dataclass(frozen=True, slots=True)
class Child:
    """One step after a prefix, and what is known of the prefix that ends with it."""

    parent_key: str
    steps: tuple[str, ...]
    """The last of them is the step."""
    value: Value = UNMEASURED
    reached: bool = False
    """Whether a rollout of the parent went through it and reached the gold answer."""


def state_label(
    problem: Problem, completer: str, state: Visited, config: LabelConfig
) -> StateLabel:
    """The row of one state; `hard` follows the rule of steps' labels."""
    tally = state.tally
    value = measured(tally.correct, tally.n, config.confidence)
    return StateLabel(
        problem_id=problem.id,
        question=problem.question,
        gold=problem.gold,
        source=problem.source,
        completer=completer,
        prefix_key=state.prefix_key,
        steps=state.steps,
        n=tally.n,
        correct=tally.correct,
        truncated=tally.truncated,
        ungradable=tally.ungradable,
        n_tokens=tally.n_tokens,
        soft=value.soft,
        low=value.low,
        high=value.high,
        hard=is_hard(value, config),
        visits=state.visits,
    )


def pairs(
    problem: Problem, completer: str, children: Iterable[Child], margin: float
) -> Iterator[Pair]:
    """Every pair among the children of each prefix, in an order that content decides.

    Of children that read the same, the one with more rollouts counts.
    """
    known: dict[str, dict[str, Child]] = {}
    for child in sorted(children, key=_place):
        siblings = known.setdefault(child.parent_key, {})
        twin = siblings.get(child.steps[-1], child)
        siblings[child.steps[-1]] = replace(child, reached=child.reached or twin.reached)
    for key, siblings in known.items():
        for better, worse in permutations(siblings.values(), 2):
            basis = _basis(better, worse, margin)
            if basis is not None:
                yield Pair(
                    problem_id=problem.id,
                    question=problem.question,
                    gold=problem.gold,
                    source=problem.source,
                    completer=completer,
                    prefix_key=key,
                    steps=better.steps[:-1],
                    preferred=better.steps[-1],
                    rejected=worse.steps[-1],
                    preferred_value=better.value,
                    rejected_value=worse.value,
                    basis=basis,
                )


def _place(child: Child) -> tuple[str, tuple[str, ...], int, int]:
    return child.parent_key, child.steps, child.value.n, child.value.correct


def _basis(better: Child, worse: Child, margin: float) -> Basis | None:
    """What a preference rests on; None where there is none."""
    if worse.value.soft is None:
        return None
    dead = not worse.value.correct and not worse.reached
    if better.value.soft is None:
        return Basis.INFERRED if better.reached and dead else None
    gain = better.value.soft - worse.value.soft
    return Basis.MEASURED if gain > 0 and (dead or gain >= margin) else None
