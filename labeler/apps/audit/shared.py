"""shared.py - what two runs have in common: solutions, or where these are few, problems.

Of a run that is half done those it has worked on: their own answers are graded, and be it in a unit
that is not finished.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from labeler.apps.audit.batches import Held
from labeler.apps.audit.clock import Clock
from labeler.apps.audit.counts import Places, count
from labeler.apps.audit.sources import AuditError, Source
from labeler.files import parts, read_rows
from labeler.ingest import read_unit
from labeler.model import Task

Kind = Literal["solution", "problem"]


@dataclass(frozen=True, slots=True)
class Shared:
    """What is compared; all else is left out."""

    kind: Kind
    ids: frozenset[str]
    left_out: int
    """Solutions, or problems, that one of the two runs has alone."""

    def holds(self, problem_id: str, solution_id: str) -> bool:
        """Whether a solution is compared."""
        return (solution_id if self.kind == "solution" else problem_id) in self.ids

    @property
    def caution(self) -> str | None:
        """What the comparison lacks."""
        told = []
        if self.kind == "problem":
            told.append(
                "The two runs have hardly a solution in common: those of the same problems are "
                "compared, and that they differ is part of every difference."
            )
        if self.left_out:
            told.append(
                f"Of the two runs' {self.kind}s {self.left_out:,} are left out, which one of them "
                "has alone."
            )
        return " ".join(told) or None


def shared(first: Source, second: Source) -> Shared:
    """What both runs have worked on: solutions, where these are at least half of one of the two.

    Raises AuditError where that is nothing, FileError where a table is damaged.
    """
    ours, theirs = (frozenset(_ids(source, "solution")) for source in (first, second))
    both = ours & theirs
    if both and 2 * len(both) >= min(len(ours), len(theirs)):
        return Shared("solution", both, len(ours ^ theirs))
    ours, theirs = (frozenset(_ids(source, "problem")) for source in (first, second))
    if both := ours & theirs:
        return Shared("problem", both, len(ours ^ theirs))
    raise AuditError(
        f"{first.run.root} and {second.run.root} have no problem in common: nothing can be compared"
    )


def _ids(source: Source, kind: Kind) -> Iterator[str]:
    """The ids of the solutions that a run has worked on, or of the problems that they are of."""
    for unit in source.units:
        worked_on = frozenset(_worked_on(source, unit))
        for row in read_rows(parts(source.run.solutions, unit), ["solution_id", "problem_id"]):
            if row["solution_id"] in worked_on:
                yield row[f"{kind}_id"]


def _worked_on(source: Source, unit: str) -> Iterator[str]:
    """The ids of a unit's labelled solutions; of one that is not done, those with a verdict."""
    run, entry = source.run, source.entries.get(unit)
    if entry is not None and (part := run.staged / entry.labels).exists():
        yield from (row["solution_id"] for row in read_rows([part], ["solution_id"]))
        return
    places = Places()
    tasks = (Task(*found, source.config.prompt.digest) for found in read_unit(run, unit))
    held = [Held(task, places) for task in tasks]
    verdicts = parts(run.verdicts(source.grader), unit)
    graded = count(places, source.completer, verdicts, [], Clock()).own.sum(axis=1)
    for one in held:
        for solution, path in zip(one.task.solutions, one.paths, strict=True):
            if graded[path[-1]]:
                yield solution.id
