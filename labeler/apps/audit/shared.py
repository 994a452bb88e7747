"""shared.py - what two runs have in common: solutions, or where these are few, problems."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from labeler.apps.audit.sources import AuditError, Source
from labeler.files import parts, read_rows

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
    """What both runs hold: solutions, where these are at least half of one of the two.

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
    """The ids of a run's solutions, or of the problems that they are of."""
    for unit in source.units:
        for row in read_rows(parts(source.run.solutions, unit), [f"{kind}_id"]):
            yield row[f"{kind}_id"]
