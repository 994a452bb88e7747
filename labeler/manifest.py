"""manifest.py - which units are done, and with what: one JSON file a committed unit.

A unit is committed by writing its entry whole, so it is done exactly once however often it was
tried. The entry says what it was made from; where that has changed (more problems, more
rollouts, another grader), the unit is worked on again, and the log gives back what it holds.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from labeler.files import FileError, RunDir, write_json


@dataclass(frozen=True, slots=True)
class Staged:
    """What a unit's parts are, by file name in staged/, and what is in them."""

    labels: str
    """The label part."""
    solutions: int
    """Solutions labelled, branches left out."""
    states: str = ""
    """The part with the states of search trees; none without trees."""
    pairs: str = ""
    """The part with their pairs; none without trees."""
    branches: int = 0
    """Rollouts labelled, since a tree search followed them."""
    bare: int = 0
    """Problems without any solution of their own, searched all the same."""


@dataclass(frozen=True, slots=True)
class Prover:
    """A further completer, and how many rollouts of each prefix it was asked for."""

    name: str
    completer: str
    """Fingerprint."""
    n: int
    settings: Mapping[str, Any]
    """Its configuration, without what changes no rollout (RunConfig.further)."""

    def failure_key(self, prefix_key: str) -> str:
        """The key in an entry's failures of a prefix that it could not roll out."""
        return f"prover/{self.completer}/{prefix_key}"


@dataclass(frozen=True, slots=True)
class Judge:
    """Who judged a unit's solutions."""

    name: str
    """Of its folder in judgements/."""
    completer: str
    """Fingerprint."""
    settings: Mapping[str, Any]
    """Its configuration, without what changes no answer (RunConfig.judging)."""
    chooser: str = ""
    """Fingerprint of what tells how likely its choices are; none where it answers in words."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One committed unit."""

    unit: str
    inputs: str
    """Digest of its problems and given solutions."""
    policy: Mapping[str, Any]
    per_problem: int
    """Solutions that were sampled for each problem without any; 0 where none were wanted."""
    rule: Mapping[str, Any]
    """The label configuration."""
    completer: str
    grader: str
    labels: str
    problems: int
    solutions: int
    states: str = ""
    pairs: str = ""
    branches: int = 0
    bare: int = 0
    """Of these and `labels` and `solutions` see Staged."""
    provers: tuple[Prover, ...] = ()
    """Further completers that it was rolled out under."""
    judge: Judge | None = None
    rejected: int = 0
    """Solutions in quarantine, since the gold of their problem cannot be graded."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Cause of failure by prefix key, of prefixes that were given up; a later run tries again."""
    made_with: Mapping[str, str] = field(default_factory=dict)
    """Package versions and hardware of the process that worked on it last."""

    @property
    def parts(self) -> Mapping[str, str]:
        """File names of its parts in staged/, by the table that they are of."""
        named = {"labels": self.labels, "states": self.states, "pairs": self.pairs}
        return {table: name for table, name in named.items() if name}


def commit(run: RunDir, entry: Entry) -> None:
    """Write the entry; from here on the unit is done. Raises FileError."""
    write_json(run.manifest / f"{entry.unit}.json", asdict(entry))


def read(run: RunDir) -> dict[str, Entry]:
    """All entries by unit, in the order of their names. Raises FileError for a damaged one."""
    return {path.stem: _load(path) for path in sorted(run.manifest.glob("[!.]*.json"))}


@cache
def _adapter() -> TypeAdapter[Entry]:
    return TypeAdapter(Entry)


def _load(path: Path) -> Entry:
    try:
        return _adapter().validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(
            f"cannot read {path}: {error}. Remove it and run the same command again: the unit is "
            "done anew from the log."
        ) from error
