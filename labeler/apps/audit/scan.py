"""scan.py - a run directory as Chains, unit by unit: the counts of every solution's prefixes.

1. Only the columns that counts are made of are read (counts.py); texts of rollouts never are.
   Memory is about that of one unit, whatever the size of the run.
2. All graded rollouts of the completer count, whatever N the labels look at.
3. A solution whose own answer has no verdict was never worked on, or its gold was refused: it is
   left out and counted.
4. On the way a sample of problems is kept, those first by the digests of their questions and the
   seed: so it does not depend on the order of the units.

It computes nothing but counts.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

import numpy as np

from labeler.apps.audit.batches import Batch, Held, Located, Told
from labeler.apps.audit.clock import Clock
from labeler.apps.audit.counts import (
    CORRECT,
    INCORRECT,
    TRUNCATED,
    UNGRADABLE,
    Counts,
    Ints,
    Places,
    count,
)
from labeler.apps.audit.disagreement import Disagreement, add_unit
from labeler.apps.audit.kept import Keeper, Kept, Sample
from labeler.apps.audit.shared import Shared
from labeler.apps.audit.sources import Source
from labeler.apps.truths import Name, known
from labeler.audit.causes import EXAMPLES
from labeler.audit.chains import UNKNOWN, Chains
from labeler.audit.findings import Example
from labeler.files import FileError, parts, read_table
from labeler.ingest import read_unit
from labeler.model import Problem, Solution, Task, digest

BATCH = 1 << 15
"""Prefixes that a batch has at least, but for the last one."""

_UNSEEN = -2


@dataclass(slots=True)
class Totals:
    """What was seen on the way."""

    unseen: int = 0
    """Solutions without a verdict on their own answer."""
    clock: Clock = field(default_factory=Clock)


class Scan:
    """One pass over a run."""

    def __init__(
        self,
        source: Source,
        truths: Mapping[Name, int],
        sample: Sample,
        only: Shared | None = None,
    ) -> None:
        self.source = source
        self.totals = Totals()
        self._truncated = source.labels.truncated
        self._looks = source.labels.rule == "posterior" or source.labels.right_answers
        """Whether the labels look for errors in solutions with a right answer."""
        self._truths = truths
        self._only = only
        self._keeper = Keeper(sample)
        others = [name for name in source.graders if name != source.grader]
        self.disagreement = Disagreement(others[-1]) if others else None
        """With the other grader whose verdicts were written last."""

    @property
    def kept(self) -> list[Kept]:
        """The sample of what the chains so far came from."""
        return self._keeper.kept

    def chains(self) -> Iterator[Chains]:
        """All solutions that were worked on; those of one problem are in one batch.

        Units come in the order of their digests, so that the first batch is a fair sample.

        Raises FileError where a table is damaged or gone, ConfigError where a truth does not fit.
        """
        batch = Batch()
        for unit in sorted(self.source.units, key=digest):
            self._read(unit, batch)
            if batch.prefixes >= BATCH:
                yield batch.chains()
                batch = Batch()
        if batch.prefixes:
            yield batch.chains()

    def _read(self, unit: str, batch: Batch) -> None:
        run, places = self.source.run, Places()
        held = [
            Held(Task(problem, solutions, self.source.config.prompt.digest), places)
            for problem, solutions in self._wanted(unit)
        ]
        verdicts = parts(run.verdicts(self.source.grader), unit)
        rollouts = parts(run.rollouts, unit)
        counts = count(places, self.source.completer, verdicts, rollouts, self.totals.clock)
        if not rollouts and counts.rollouts.any():
            raise FileError(
                f"unit {unit} has verdicts on rollouts, and {run.rollouts} no part of it: put it "
                "back from a copy."
            )
        if self.disagreement is not None:
            other = parts(run.verdicts(self.disagreement.other), unit)
            changed = add_unit(self.disagreement, places, self.source.completer, verdicts, other)
            lacking = EXAMPLES - len(self.disagreement.examples)
            self.disagreement.examples += islice(_examples(held, changed, counts), lacking)
        located = self._located(unit)
        table = self._table(counts, places)
        own = _own(counts)
        for one in held:
            told = self._told(one, own, located)
            batch.add(one, told, table)
            if told:
                self._keeper.offer(one.task.problem, partial(one.kept, told, table))
        batch.places += len(places)

    def _wanted(self, unit: str) -> Iterator[tuple[Problem, tuple[Solution, ...]]]:
        """The unit's problems with the solutions that are looked at."""
        for problem, solutions in read_unit(self.source.run, unit):
            if self._only is None:
                yield problem, solutions
            else:
                holds = self._only.holds
                yield problem, tuple(s for s in solutions if holds(problem.id, s.id))

    def _told(self, held: Held, own: Ints, located: Mapping[str, Located]) -> dict[int, Told]:
        """What is known of those solutions that were worked on, by their number."""
        truth = _truth(held.task, self._truths)
        right = own[[path[-1] for path in held.paths]].tolist()
        found = {
            i: Told(
                right[i],
                truth[i],
                located.get(solution.id, Located()) if self._looks or right[i] != 1 else Located(),
            )
            for i, solution in enumerate(held.task.solutions)
            if right[i] != _UNSEEN
        }
        self.totals.unseen += len(right) - len(found)
        return found

    def _table(self, counts: Counts, places: Places) -> Ints:
        """(places, 5): n, correct, truncated, ungradable, tokens."""
        said = counts.rollouts
        aside = said[:, UNGRADABLE].copy()
        n = said[:, CORRECT] + said[:, INCORRECT]
        if self._truncated == "incorrect":
            n += said[:, TRUNCATED]
        else:
            aside += said[:, TRUNCATED]
        tokens = counts.tokens[places.prefix_of]
        return np.stack([n, said[:, CORRECT], said[:, TRUNCATED], aside, tokens], axis=1)

    def _located(self, unit: str) -> dict[str, Located]:
        """What the unit's labels say, by solution."""
        entry = self.source.entries.get(unit)
        part = self.source.run.staged / entry.labels if entry else None
        if part is None or not part.exists():
            return {}
        table = read_table(part, ["solution_id", "first_error", "first_error_confidence"])
        names, steps, sure = (column.to_pylist() for column in table.columns)
        return {
            name: Located(UNKNOWN if step is None else step, math.nan if p is None else p)
            for name, step, p in zip(names, steps, sure, strict=True)
        }


def _examples(held: Iterable[Held], places: Collection[int], counts: Counts) -> Iterator[Example]:
    """The steps of solutions whose prefixes are counted at these places."""
    for one in held:
        for solution, path in zip(one.task.solutions, one.paths, strict=True):
            for k, place in enumerate(path[:-1]):
                if place in places:
                    said = counts.rollouts[place].tolist()
                    names = one.task.problem.id, solution.id
                    yield Example(*names, k, sum(said) - said[UNGRADABLE], said[CORRECT])


def _own(counts: Counts) -> Ints:
    """(places,): own answers: 1 right, 0 wrong, -1 ungradable, _UNSEEN without a verdict."""
    said = counts.own
    found = np.full(len(said), _UNSEEN, dtype=np.int64)
    found[said[:, UNGRADABLE] > 0] = UNKNOWN
    found[said[:, INCORRECT] + said[:, TRUNCATED] > 0] = 0
    found[said[:, CORRECT] > 0] = 1
    return found


def _truth(task: Task, truths: Mapping[Name, int]) -> list[int]:
    """Of each solution its first error in truth; -1 unknown."""
    if not truths:
        return [UNKNOWN] * len(task.solutions)
    return [UNKNOWN if step is None else step for step in known(task, truths)]
