"""causes.py - why labels go wrong: five ways, each with its count and a few steps to look at.

    weak_completer   a correct step whose prefix the completer hardly ever finishes: value <= LOW
    recovery         a wrong step from which it often comes right all the same: value >= HIGH
    restatement      a step before the first error that brings nothing: the 95% interval of its
                     progress lies inside +-NEUTRAL (labels/ratings.py)
    ungradable       rollouts that the grader could not judge
    truncation       rollouts that ran out of tokens, which count as incorrect

The first two need truth; the third takes it where it is known, else the run's own first errors.
Values are those of the whole pool. Examples are the steps of the lowest ranks (sample.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from labeler.audit.batch import Batch
from labeler.audit.chains import Bools, Ints
from labeler.audit.draws import interval, rise
from labeler.audit.findings import Cause, Disagreed, Example
from labeler.audit.sample import Ranks, hashed

LOW, HIGH, NEUTRAL = 0.1, 0.5, 0.05
EXAMPLES = 5
WHAT = {
    "weak_completer": f"Correct steps with a value of at most {LOW}: the completer is too weak to "
    "finish from there, and they look wrong.",
    "recovery": f"Wrong steps with a value of at least {HIGH}: the completer mends the error, and "
    "they look right.",
    "restatement": f"Correct steps whose progress lies within {NEUTRAL} of zero, its whole "
    "interval included: they bring nothing.",
    "ungradable": "Rollouts that the grader could not judge; they are in no value.",
    "truncation": "Rollouts that ran out of tokens; they count as incorrect.",
    "grader_disagreement": "Rollouts that two grader versions judge differently.",
}


@dataclass(slots=True)
class _Found:
    """What is known of a cause so far."""

    count: int
    of: int
    examples: list[tuple[int, Example]]
    """With their ranks, the lowest first."""


class Causes:
    """Counts and examples of all batches."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._found: dict[str, _Found] = {}

    def add(self, batch: Batch) -> None:
        """Take in a batch."""
        chains = batch.chains
        ranks = hashed(chains.solution_ids, self._seed)
        for name, where, (possible, actual) in (*_of_steps(batch), *_of_rollouts(batch)):
            self._note(name, int(actual.sum()), int(possible.sum()))
            self._look(name, np.flatnonzero(where), batch, ranks)

    def _note(self, name: str, count: int, of: int) -> None:
        found = self._found.setdefault(name, _Found(0, 0, []))
        found.count += count
        found.of += of

    def _look(self, name: str, places: Ints, batch: Batch, ranks: Ranks) -> None:
        chains = batch.chains
        owner, step = chains.owner[places], chains.step[places]
        rank = ranks[owner] ^ (step.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
        lowest = np.argsort(rank, kind="stable")[:EXAMPLES]
        found = self._found[name]
        for i in lowest.tolist():
            s, p = int(owner[i]), int(places[i])
            counts = int(step[i]), int(chains.n[p]), int(chains.correct[p])
            example = Example(chains.problem_ids[s], chains.solution_ids[s], *counts)
            found.examples.append((int(rank[i]), example))
        found.examples.sort(key=lambda ranked: (ranked[0], ranked[1].solution_id, ranked[1].step))
        del found.examples[EXAMPLES:]

    def found(self, disagreed: Disagreed | None = None) -> tuple[Cause, ...]:
        """Every cause that could have been seen."""
        if disagreed is not None:
            examples = [(0, example) for example in disagreed.examples[:EXAMPLES]]
            self._found["grader_disagreement"] = _Found(disagreed.count, disagreed.of, examples)
        return tuple(
            Cause(name, WHAT[name], f.count, f.of, tuple(example for _, example in f.examples))
            for name in WHAT
            if (f := self._found.get(name)) is not None and f.of
        )


_Case = tuple[str, Bools, tuple[Ints, Ints]]
"""A name, where it is so, and what each prefix counts for as a possible and as an actual case."""


def _of_steps(batch: Batch) -> Iterator[_Case]:
    chains = batch.chains
    truth, located = chains.truth[chains.owner], chains.located[chains.owner]
    value = chains.correct / np.maximum(chains.n, 1)
    known = batch.is_step & (truth >= 0)
    good = known & ((truth == 0) | (chains.step < truth))
    bad = known & ~good
    yield _case("weak_completer", good, value <= LOW)
    yield _case("recovery", bad, value >= HIGH)
    first = np.where(truth >= 0, truth, located)
    sound = batch.is_step & np.roll(batch.pooled, 1) & (first >= 0)
    sound &= (first == 0) | (chains.step < first)
    yield _case("restatement", sound, _is_still(batch, sound))


def _case(name: str, among: Bools, where: Bools) -> _Case:
    found = among & where
    return name, found, (among.astype(np.int64), found.astype(np.int64))


def _is_still(batch: Batch, at: Bools) -> Bools:
    chains = batch.chains
    places = np.flatnonzero(at)
    n, correct = batch.draws.n, batch.draws.correct
    low, high = interval(n, correct)
    value = correct / np.maximum(n, 1)
    p, q = ((value[i], low[i], high[i]) for i in (batch.pair[places - 1], batch.pair[places]))
    lower, upper = rise(p, q)
    found = np.zeros(len(chains.n), dtype=bool)
    found[places] = (lower > -NEUTRAL) & (upper < NEUTRAL)
    return found


def _of_rollouts(batch: Batch) -> Iterator[_Case]:
    chains = batch.chains
    rollouts = np.where(chains.once, chains.n + chains.ungradable, 0).astype(np.int64)
    for name, each in (("ungradable", chains.ungradable), ("truncation", chains.truncated)):
        counts = np.where(chains.once, each, 0).astype(np.int64)
        yield name, each > 0, (rollouts, counts)
