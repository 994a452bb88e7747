"""posterior_rule.py - first errors by the rule posterior with N rollouts, on a sample of problems.

Of each prefix's pool N are drawn without replacement, the draws for a smaller N out of those for
the next larger one; what the labels would say of them (labels/beliefs.py, labels/first_error.py) is
compared with the truth, and with what they say of the pool. The beliefs are checked beside it
(calibration.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from labeler.audit.batch import Batch, Part
from labeler.audit.calibration import binned
from labeler.audit.chains import Chains, Floats, Ints
from labeler.audit.sample import hashed
from labeler.labels.beliefs import believe
from labeler.labels.first_error import likeliest
from labeler.labels.values import Tally

PLACES = ("exact", "early", "late", "undecided")
_CONFIDENCE = 0.95
_NONE = -1


@dataclass(frozen=True, slots=True)
class _Said:
    """What labels at each of G sizes say of S solutions and their P prefixes."""

    first: Ints
    """(S, G): -1 undecided."""
    sure: Floats
    """(S, G): the probability of the likeliest first error."""
    likeliest: Ints
    """(S, G)"""
    soft: Floats
    """(P, G): soft_posterior."""
    drawn: Ints
    """(P, G): correct ones among the drawn."""


def parts(chains: Chains, batch: Batch) -> Iterator[Part]:
    """located_* and calibration; `batch` is made of these chains."""
    said = _said(chains, batch)
    keep = batch.whole & (chains.right == 0)
    truth = np.where(chains.truth > 0, chains.truth, _NONE)
    pool = said.first[:, -1]
    for reference, first in (("truth", truth), ("pool", pool)):
        known = keep & (first >= 0)
        yield from _located(batch, reference, said.first, np.where(known, first, _NONE))
    hit = (said.likeliest == chains.truth[:, None]).astype(float)
    of = (batch.whole & (chains.truth >= 0))[:, None] & np.isfinite(said.sure)
    yield from binned(batch.cells, ("truth", "posterior"), said.sure, hit, of)
    yield from _held_out(batch, said)


def _located(batch: Batch, reference: str, found: Ints, first: Ints) -> Iterator[Part]:
    known = (first >= 0)[:, None]
    at, true = np.where(found == 0, np.iinfo(np.int64).max, found), first[:, None]
    true = np.where(true == 0, np.iinfo(np.int64).max, true)  # none lies behind all steps
    decided = found >= 0
    places = (decided & (at == true), decided & (at < true), decided & (at > true), ~decided)
    over = np.repeat(known.astype(float), found.shape[1], axis=1)
    for place, where in zip(PLACES, places, strict=True):
        count = (where & known).astype(float)
        yield Part(f"located_{place}", reference, "posterior", batch.cells, count, over)


def _held_out(batch: Batch, said: _Said) -> Iterator[Part]:
    chains = batch.chains
    sizes = np.array(batch.sizes)
    left = chains.n[:, None] - sizes
    value = (chains.correct[:, None] - said.drawn) / np.maximum(left, 1)
    of = batch.is_step[:, None] & (left > 0) & np.isfinite(said.soft)
    for part in binned(batch.cells, ("pool", ""), said.soft, value, of):
        first = chains.first[:-1]
        yield Part(
            part.measure,
            part.reference,
            part.rule,
            part.cells,
            np.add.reduceat(part.numerator, first, axis=0),
            np.add.reduceat(part.denominator, first, axis=0),
        )


def _said(chains: Chains, batch: Batch) -> _Said:
    size = len(batch.sizes)
    said = _Said(
        first=np.full((len(chains), size), _NONE),
        sure=np.full((len(chains), size), np.nan),
        likeliest=np.full((len(chains), size), _NONE),
        soft=np.full((len(chains.n), size), np.nan),
        drawn=np.zeros((len(chains.n), size), dtype=np.int64),
    )
    names, index = batch.problems
    for number, seed in enumerate(hashed(names, batch.settings.seed).tolist()):
        problem = _Problem(batch, np.flatnonzero(index == number))
        luck = np.random.default_rng(seed)
        total, right = chains.n[problem.pooled], chains.correct[problem.pooled]
        for column in reversed(range(size)):
            right = luck.hypergeometric(right, total - right, batch.sizes[column])
            total = np.full_like(right, batch.sizes[column])
            said.drawn[problem.places, column] = problem.spread(right)
            _note(problem, batch, said, column)
    return said


class _Problem:
    """One problem's solutions and their prefixes, in an order that content decides."""

    def __init__(self, batch: Batch, solutions: Ints) -> None:
        chains = batch.chains
        self.solutions = sorted(solutions.tolist(), key=lambda s: chains.solution_ids[s])
        paths = [np.arange(chains.first[s], chains.first[s + 1]) for s in self.solutions]
        self.places = np.concatenate(paths)
        """Of all prefixes."""
        self.paths = paths
        firsts: dict[int, int] = {}
        for key, place in zip(chains.keys[self.places].tolist(), self.places, strict=True):
            firsts.setdefault(key, int(place))
        self._rank = {key: rank for rank, key in enumerate(firsts)}
        self._keys = chains.keys
        distinct = np.array(list(firsts.values()))
        self._has_pool = batch.pooled[distinct]
        self.pooled = distinct[self._has_pool]
        """The first places of the different prefixes that have a pool."""
        self.own = [None if right < 0 else bool(right) for right in chains.right[self.solutions]]

    def names(self) -> list[list[str]]:
        """The keys of prefixes 0..K-1, for each solution."""
        return [[f"{self._rank[key]:06d}" for key in self._keys[at].tolist()] for at in self.paths]

    def spread(self, values: Ints) -> Ints:
        """From one value for each prefix with a pool to all places; 0 elsewhere."""
        whole = np.zeros(len(self._has_pool), dtype=np.int64)
        whole[self._has_pool] = values
        return whole[[self._rank[key] for key in self._keys[self.places].tolist()]]


def _note(problem: _Problem, batch: Batch, said: _Said, column: int) -> None:
    """Write down what labels say of the counts drawn for a column."""
    n, names = batch.sizes[column], problem.names()
    tallies = {
        name: Tally(n, int(said.drawn[place, column]))
        for path, at in zip(names, problem.paths, strict=True)
        for name, place in zip(path, at.tolist(), strict=True)
        if batch.pooled[place]
    }
    settings = batch.settings
    beliefs = believe(names, problem.own, tallies, settings.value_model, _CONFIDENCE)
    for s, at, belief in zip(problem.solutions, problem.paths, beliefs, strict=True):
        if belief is None:
            continue
        found = likeliest(belief, len(at), settings.decided, _CONFIDENCE).first_error
        best = int(belief.first_error.argmax())
        said.first[s, column] = _NONE if found is None else found
        said.likeliest[s, column] = 0 if best == len(at) else best + 1
        said.sure[s, column] = belief.first_error[best]
        said.soft[at, column] = belief.mean[: len(at)]
