"""batch.py - a batch of chains made ready for the measures, and the shape of what they give."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from labeler.audit.chains import UNKNOWN, Bools, Chains, Floats, Ints
from labeler.audit.draws import Draws
from labeler.audit.sample import numbered
from labeler.audit.settings import AuditSettings


class Cell(NamedTuple):
    """What a column of a part stands for."""

    n: int | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A measure of a batch: a ratio of sums over solutions, in C cells."""

    measure: str
    reference: str
    rule: str
    cells: tuple[Cell, ...]
    numerator: Floats
    """(S, C)"""
    denominator: Floats
    """(S, C): how many items."""
    by_group: bool = False
    """Whether it is told apart by source and generator, too."""


class Block(NamedTuple):
    """R solutions of the same length K."""

    solutions: Ints
    """(R,)"""
    at: Ints
    """(R, K): the places of prefixes 0..K-1."""


class Batch:
    """Chains with what several measures need."""

    def __init__(self, chains: Chains, settings: AuditSettings) -> None:
        self.chains, self.settings = chains, settings
        self.sizes = settings.sizes
        self.cells = tuple(Cell(n) for n in self.sizes)

    @cached_property
    def problems(self) -> tuple[tuple[str, ...], Ints]:
        """The ids of the Q problems, and (S,) which of them each solution is of."""
        return numbered(self.chains.problem_ids)

    @cached_property
    def pooled(self) -> Bools:
        """(P,): prefixes with a pool."""
        return self.chains.n >= self.settings.pool

    @cached_property
    def is_step(self) -> Bools:
        """(P,): prefixes 1..K-1 with a pool, whose values are the labels of steps 1..K-1."""
        return self.pooled & (self.chains.step > 0)

    @cached_property
    def whole(self) -> Bools:
        """(S,): solutions whose prefixes 1..K-1 all have a pool."""
        fits = self.pooled | (self.chains.step == 0)
        return np.logical_and.reduceat(fits, self.chains.first[:-1])

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints]:
        top = int(self.chains.correct.max(initial=0)) + 1
        codes = self.chains.n.astype(np.int64) * top + self.chains.correct
        codes = np.where(self.pooled, codes, UNKNOWN)
        found, pair = np.unique(codes, return_inverse=True)
        offset = int(len(found) > 0 and found[0] == UNKNOWN)
        found = found[offset:]
        return np.stack((found // top, found % top)), pair.reshape(-1) - offset

    @cached_property
    def draws(self) -> Draws:
        """Of the different pools."""
        return Draws(*self._pairs[0])

    @property
    def pair(self) -> Ints:
        """(P,): which of the different pools a prefix has; -1 for none."""
        return self._pairs[1]

    @cached_property
    def zero(self) -> Floats:
        """(U, G): the probability of no correct rollout, by pool and size."""
        return np.stack([self.draws.zero(n) for n in self.sizes], axis=1)

    @cached_property
    def first_zero(self) -> Ints:
        """(S,): the first step whose pool has no correct rollout; K where there is none.

        Means something where the solution is whole and its answer wrong.
        """
        steps = np.repeat(self.chains.steps, self.chains.steps)
        dead = self.is_step & (self.chains.correct == 0)
        return np.minimum.reduceat(np.where(dead, self.chains.step, steps), self.chains.first[:-1])

    def blocks(self, keep: Bools) -> Iterator[Block]:
        """The kept (S,) solutions by length."""
        steps = self.chains.steps
        for length in np.unique(steps[keep]).tolist():
            solutions = np.flatnonzero(keep & (steps == length))
            yield Block(solutions, self.chains.first[solutions][:, None] + np.arange(length))

    def empty(self, cells: int) -> Floats:
        """(S, cells) zeros."""
        return np.zeros((len(self.chains), cells))

    def sums(self, at: Bools, values: Floats) -> Floats:
        """(S, C): of prefixes at (P,), the sums over each solution of their (I, C) values."""
        whole = np.zeros((len(at), values.shape[1]))
        whole[at] = values
        found: Floats = np.add.reduceat(whole, self.chains.first[:-1], axis=0)
        return found
