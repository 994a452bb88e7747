"""agreement.py - how far two sets of labels of the same solutions agree; theirs is the reference.

1. What is undecided on our side counts as wrong, and its share is told; where theirs names no
   first error, there is nothing to be right about, and the solution is left out of these numbers.
2. Steps are compared where both sides have a label of the kind.
3. Intervals are over problems.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from labeler.apps.compare.join import Labels
from labeler.scores import (
    PLACES,
    Pair,
    Place,
    Sums,
    f1_of,
    f1_sums,
    interval,
    place,
    ratio,
    share_interval,
)

LabelPair = tuple[Labels, Labels]
"""Ours and theirs."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its interval."""

    value: float | None
    """None where there is nothing to compare."""
    low: float | None
    high: float | None
    """95%, over problems (labeler/intervals.py); None where there are too few."""
    of: int
    """Solutions, or steps, that it rests on."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Ours against theirs."""

    problems: int
    accuracy: Number
    """Share of first errors, none included, that are the same."""
    undecided: Number
    """Share of ours that are undecided: these count as wrong."""
    f1: Number
    """ProcessBench's: the harmonic mean of the next two."""
    error: Number
    """Share found exactly, of solutions with a wrong step."""
    right: Number
    """Share found to hold no error, of those without one."""
    steps: Number
    """Share of hard labels of steps that are the same."""
    soft: Number
    """Root mean squared difference of soft labels."""
    confusion: Mapping[Literal["error", "none"], Mapping[Place, int]]
    """Solutions by what is true, and where our first error lies."""
    traces: int
    """Trace errors: solutions with a right answer in which theirs names a wrong step."""
    traces_found: int
    """Those of them in which ours names the same step."""
    traces_ours: int
    """Solutions with a right answer in which ours names a wrong step."""


def agreement(pairs: Sequence[LabelPair], seed: int = 0) -> Agreement:
    """Every number, with intervals that this seed decides."""
    groups: dict[str, list[LabelPair]] = defaultdict(list)
    for pair in pairs:
        groups[pair[0].question].append(pair)
    known = [(b.first_error, a.first_error) for a, b in pairs if b.first_error is not None]

    def summed(sums: Callable[[Sequence[LabelPair]], Sums], columns: int) -> Sums:
        return np.array([sums(group) for group in groups.values()]).reshape(-1, columns)

    errors, soft = summed(_errors, 4), summed(_soft, 2)
    return Agreement(
        problems=len(groups),
        accuracy=_share(errors[:, :2] + errors[:, 2:], seed),
        undecided=_share(summed(_undecided, 2), seed),
        f1=_number(errors, lambda s: f1_of(s).f1, int(errors[:, [0, 2]].sum()), seed),
        error=_share(errors[:, :2], seed),
        right=_share(errors[:, 2:], seed),
        steps=_share(summed(_steps, 2), seed),
        soft=_number(soft, _root, int(soft[:, 0].sum()), seed),
        confusion={
            "error": _places([pair for pair in known if pair[0]]),
            "none": _places([pair for pair in known if not pair[0]]),
        },
        **_traces(pairs),
    )


def _share(parts: Sums, seed: int) -> Number:
    """Of sums (G, 2): the second over the first."""
    whole = parts.sum(axis=0)
    low, high = share_interval(parts, seed=seed) or (None, None)
    return Number(ratio(whole), low, high, int(whole[0]))


def _number(parts: Sums, statistic: Callable[[Sums], float | None], of: int, seed: int) -> Number:
    value = statistic(parts.sum(axis=0))
    spread = None if value is None else interval(parts, statistic, seed=seed)
    low, high = spread or (None, None)
    return Number(value, low, high, of)


def _places(pairs: Sequence[Pair]) -> Mapping[Place, int]:
    """Solutions by where our first error lies."""
    counts = Counter(place(true, said) for true, said in pairs)
    return {name: counts[name] for name in PLACES}


def _errors(pairs: Sequence[LabelPair]) -> Sums:
    """(4,): the sums of F1."""
    return f1_sums([(b.first_error, a.first_error) for a, b in pairs if b.first_error is not None])


def _undecided(pairs: Sequence[LabelPair]) -> Sums:
    """(2,): solutions whose true first error is known, and how many of ours are undecided."""
    ours = [a.first_error is None for a, b in pairs if b.first_error is not None]
    return np.array([len(ours), sum(ours)], float)


def _steps(pairs: Sequence[LabelPair]) -> Sums:
    """(2,): steps with a hard label on both sides, and those whose labels agree."""
    same = [
        x == y
        for a, b in pairs
        for x, y in zip(a.hard, b.hard, strict=True)
        if x is not None and y is not None
    ]
    return np.array([len(same), sum(same)], float)


def _soft(pairs: Sequence[LabelPair]) -> Sums:
    """(2,): steps with a soft label on both sides, and the sum of their squared differences."""
    squares = [
        (x - y) ** 2
        for a, b in pairs
        if a.soft is not None and b.soft is not None
        for x, y in zip(a.soft, b.soft, strict=True)
        if x is not None and y is not None
    ]
    return np.array([len(squares), sum(squares)], float)


def _root(sums: Sums) -> float | None:
    mean = ratio(sums)
    return None if mean is None else mean**0.5


def _traces(pairs: Sequence[LabelPair]) -> dict[str, int]:
    """Trace errors; whether the own answer is right theirs says where it does, else ours."""
    right = [
        (a.first_error, b.first_error)
        for a, b in pairs
        if (a.is_correct if b.is_correct is None else b.is_correct)
    ]
    return {
        "traces": sum(bool(theirs) for _, theirs in right),
        "traces_found": sum(bool(theirs) and ours == theirs for ours, theirs in right),
        "traces_ours": sum(bool(ours) for ours, _ in right),
    }
