"""chains.py - what a log says of many solutions, as flat arrays: the input of the audit.

A solution of K steps has prefixes 0..K-1, which were rolled out; its own answer stands for prefix
K. The label of step k is the value of prefix k.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

UNKNOWN = -1


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """A batch of S solutions under one completer and one grader version.

    The prefixes of each solution lie one after another in arrays of length P; those of solution s
    are first[s]:first[s+1], and there is at least one. All solutions of a problem come in one
    batch. Arrays are of any integer type.
    """

    problem_ids: tuple[str, ...]
    """(S,), as the next three."""
    solution_ids: tuple[str, ...]
    sources: tuple[str, ...]
    generators: tuple[str, ...]
    right: Ints
    """(S,): the own answer is right (1), wrong (0) or could not be graded (-1)."""
    first: Ints
    """(S+1,)"""
    n: Ints
    """(P,), as the next five: graded rollouts; truncated ones are graded, as incorrect."""
    correct: Ints
    truncated: Ints
    ungradable: Ints
    tokens: Ints
    """Tokens that all these rollouts generated, ungradable ones included."""
    keys: Ints
    """Any number for each different prefix: equal where solutions of this batch share one, so that
    its rollouts are counted once."""
    truth: Ints
    """(S,): the first error in truth; 1-based, 0 none, -1 unknown."""
    located: Ints
    """(S,): the first error that the run's labels name; likewise, -1 undecided."""
    confidence: Floats | None = None
    """(S,): how sure the labels are of it, NaN where they do not say; None: they never do."""

    def __post_init__(self) -> None:
        """Raises ValueError where lengths do not fit each other."""
        solutions, prefixes = len(self.problem_ids), int(self.first[-1])
        for name in ("solution_ids", "sources", "generators", "right", "truth", "located"):
            _same(name, len(getattr(self, name)), solutions)
        for name in ("n", "correct", "truncated", "ungradable", "tokens", "keys"):
            _same(name, len(getattr(self, name)), prefixes)
        _same("first", len(self.first), solutions + 1)
        if self.confidence is not None:
            _same("confidence", len(self.confidence), solutions)
        if self.first[0] != 0 or (np.diff(self.first) < 1).any():
            raise ValueError("first must start at 0, and each solution have a prefix")

    def __len__(self) -> int:
        """S."""
        return len(self.problem_ids)

    @property
    def steps(self) -> Ints:
        """(S,): K of each solution."""
        return np.diff(self.first).astype(np.int64)

    @property
    def owner(self) -> Ints:
        """(P,): the solution that each prefix belongs to."""
        return np.repeat(np.arange(len(self)), self.steps)

    @property
    def step(self) -> Ints:
        """(P,): k of each prefix."""
        return np.arange(int(self.first[-1])) - np.repeat(self.first[:-1], self.steps)

    @property
    def once(self) -> Bools:
        """(P,): the first place of each different prefix, so that a shared one counts once."""
        is_first = np.zeros(len(self.keys), dtype=bool)
        is_first[np.unique(self.keys, return_index=True)[1]] = True
        return is_first

    def select(self, keep: Bools) -> "Chains":
        """The solutions where `keep`, (S,), is true."""
        at = np.flatnonzero(keep)
        prefixes = np.asarray(keep, dtype=bool)[self.owner]
        first = np.concatenate(([0], np.cumsum(self.steps[at])))
        found: dict[str, Any] = {"first": first}
        for name in _names():
            whole = getattr(self, name)
            if name == "first" or whole is None:
                found.setdefault(name, whole)
            elif isinstance(whole, tuple):
                found[name] = tuple(whole[i] for i in at)
            else:
                found[name] = whole[prefixes if name in _OF_PREFIXES else at]
        return Chains(**found)


_OF_PREFIXES = frozenset({"n", "correct", "truncated", "ungradable", "tokens", "keys"})


def join(batches: Sequence[Chains]) -> Chains:
    """Several batches as one; at least one. Prefixes of different batches stay different."""
    found: dict[str, Any] = {}
    for name in _names():
        parts = [getattr(batch, name) for batch in batches]
        if name == "first":
            steps = np.concatenate([batch.steps for batch in batches])
            found[name] = np.concatenate(([0], np.cumsum(steps)))
        elif name == "keys":
            found[name] = _apart(parts)
        elif name == "confidence":
            found[name] = _joined_confidence(batches)
        elif isinstance(parts[0], tuple):
            found[name] = tuple(value for part in parts for value in part)
        else:
            found[name] = np.concatenate(parts)
    return Chains(**found)


def _apart(parts: Sequence[Ints]) -> Ints:
    """Keys of several batches, numbered anew."""
    start, found = 0, []
    for keys in parts:
        different, number = np.unique(keys, return_inverse=True)
        found.append(number.reshape(-1) + start)
        start += len(different)
    return np.concatenate(found)


def _joined_confidence(batches: Sequence[Chains]) -> Floats | None:
    if all(batch.confidence is None for batch in batches):
        return None
    parts = [np.full(len(b), np.nan) if b.confidence is None else b.confidence for b in batches]
    found: Floats = np.concatenate(parts)
    return found


def _names() -> Iterator[str]:
    return (field.name for field in fields(Chains))


def _same(name: str, found: int, wanted: int) -> None:
    if found != wanted:
        raise ValueError(f"{name} has {found} entries, {wanted} are wanted")
