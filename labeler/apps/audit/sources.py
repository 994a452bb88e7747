"""sources.py - what of a run is audited: one completer, one grader, and the units that are theirs.

A run can hold the rollouts of several completers (further ones, a generator, a judge), and verdicts
of several graders. Values are those of one completer by one grader: the run's own completer, or a
further one that is asked for by its name. What is of others is left out, and a caution says so.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from labeler import manifest
from labeler.apps.grade_changes import graders
from labeler.apps.label import read_config
from labeler.apps.pilot import completers
from labeler.config import ConfigError, RunConfig
from labeler.files import RunDir, parts
from labeler.grading import AnswerGrader
from labeler.labels import LabelConfig
from labeler.model import LabelerError
from labeler.posterior import ValueModel
from labeler.provers import ProverConfig


class AuditError(LabelerError):
    """There is nothing to audit."""


@dataclass(frozen=True, slots=True)
class Source:
    """Whose rollouts are audited, by whose verdicts."""

    run: RunDir
    config: RunConfig
    completer: str
    grader: str
    units: tuple[str, ...]
    """Those that rest on this completer and grader, and those that are not done."""
    entries: Mapping[str, manifest.Entry]
    """Of the done ones."""
    graders: tuple[str, ...]
    """All that the run has verdicts of."""
    cautions: tuple[str, ...]
    prover: ProverConfig | None = None
    """The further completer whose values these are; None: the run's own."""

    @property
    def labels(self) -> LabelConfig:
        """The rule that the labels rest on: that of `labeler label`, where it was run."""
        for entry in self.entries.values():  # all have one
            rule = {key: value for key, value in entry.rule.items() if key != "consensus"}
            return LabelConfig.model_validate(rule)
        return self.config.labels

    @property
    def value_model(self) -> ValueModel:
        """What is assumed of the completer's values."""
        own = self.prover is None or self.completer in {e.completer for e in self.entries.values()}
        given = None if self.prover is None else self.prover.value_model
        return given or (self.labels.value_model if own else ValueModel())

    @property
    def sampled(self) -> bool:
        """Whether a model sampled these rollouts."""
        completer = self.config.completer
        if self.prover is not None and self.prover.completer is not None:
            completer = self.prover.completer
        return completer.kind not in ("recorded", "planted")

    @property
    def engines(self) -> int:
        """How many engines sampled at once."""
        return int(min(getattr(self.config.runner, "actors", 1), max(len(self.units), 1)))


def open_source(root: Path, prover: str | None = None) -> Source:
    """What of a run directory is audited; `prover` names one of its further completers.

    Raises ConfigError where it is no run or has no such completer, AuditError where it holds no
    problems, rollouts or verdicts, FileError where a table is damaged.
    """
    run = RunDir(root)
    config = read_config(run)
    further = None if prover is None else _further(root, config, prover)
    names = [path.stem for path in parts(run.problems)] if run.problems.is_dir() else []
    if not names:
        raise AuditError(f"{root} holds no problems yet: `labeler run` reads them")
    entries = {u: e for u, e in manifest.read(run).items() if u in set(names)}
    whose = {u: _completer(e, further) for u, e in entries.items()}
    completer = _most(filter(None, whose.values()))
    if completer is None and further is None:
        completer = completers(run)[0]
    if completer is None:
        of = f" of {prover}" if prover else ""
        raise AuditError(f"{root} holds no rollouts{of} yet: there is nothing to audit")
    held = graders(run)
    grader = _most(e.grader for e in entries.values()) or _latest(config, held)
    if grader is None:
        raise AuditError(f"{root} has no verdicts yet: `labeler run` gives them")
    alien = [u for u, e in entries.items() if (whose[u], e.grader) != (completer, grader)]
    kept = tuple(u for u in names if u not in set(alien))
    mine = {u: entries[u] for u in kept if u in entries}
    cautions = tuple(_cautions(root, entries, whose, (completer, grader), len(names)))
    return Source(run, config, completer, grader, kept, mine, tuple(held), cautions, further)


def _further(root: Path, config: RunConfig, name: str) -> ProverConfig:
    for prover in config.completers:
        if prover.name == name:
            return prover
    known = ", ".join(prover.name for prover in config.completers)
    raise ConfigError(
        f"--completer: {root} has no further completer {name!r}"
        + (f", but {known}" if known else "; `completers:` in its configuration names such")
    )


def _completer(entry: manifest.Entry, prover: ProverConfig | None) -> str | None:
    """The fingerprint of whom a unit was rolled out under; None where it was not."""
    if prover is None:
        return entry.completer
    return next((p.completer for p in entry.provers if p.name == prover.name), None)


def _most(names: Iterable[str]) -> str | None:
    """The most frequent; of equals the first by name."""
    found = Counter(names)
    return min(found, key=lambda name: (-found[name], name), default=None)


def _latest(config: RunConfig, held: Sequence[str]) -> str | None:
    """The grader of a run none of whose units is done: this installation's, or the last one."""
    here = AnswerGrader(config.grading).version
    return here if here in held else held[-1] if held else None


def _cautions(
    root: Path,
    entries: Mapping[str, manifest.Entry],
    whose: Mapping[str, str | None],
    mine: tuple[str, str],
    units: int,
) -> Iterator[str]:
    """What is left out, and what is not done."""
    completer, grader = mine
    others = sum(one != completer for one in whose.values())
    if others:
        yield (
            f"{others} of {units} units rest on another completer than {completer}, and are left "
            "out: values are one completer's."
        )
    graded = sum(e.grader != grader and whose[u] == completer for u, e in entries.items())
    if graded:
        yield (
            f"{graded} of {units} units rest on another grader than {grader}, and are left out: "
            f"`labeler label {root} --grader` grades all by one."
        )
    if undone := units - len(entries):
        yield f"{undone} of {units} units are not done; what their logs hold by now counts."
    if branches := sum(e.branches for e in entries.values()):
        yield (
            f"{branches:,} branches of search trees are left out: each was chosen since it is "
            "wrong, and is no fair sample."
        )
