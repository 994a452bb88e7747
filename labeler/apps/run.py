"""run.py - `labeler run`: read the input, work on the units that are not done, publish labels.

The same command starts, resumes and extends a run. What it finds done it leaves; a run
directory belongs to one identity (config.py), and another is refused with the difference shown.
"""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from labeler import lock, manifest, runners
from labeler.apps import label
from labeler.config import ConfigError, RunConfig
from labeler.files import RunDir, sweep, write_json
from labeler.fulfil import Counters
from labeler.grading import AnswerGrader
from labeler.ingest import Ingested, add_quarantine, ingest
from labeler.model import LabelerError
from labeler.policies import Omega
from labeler.samplers import RecordedConfig
from labeler.shards import Facts, recover
from labeler.units import UnitReport


class Watcher:
    """Hears how a run goes on. This one keeps quiet; the command line's shows it."""

    def start(self, ingested: Ingested, todo: int) -> None:
        """The input is read, and `todo` units are to be worked on."""

    def watch(self, counters: Counters) -> None:
        """What has been done so far; called about once a second."""

    def committed(self, report: UnitReport) -> None:
        """A unit is done."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What one `labeler run` did."""

    ingested: Ingested
    counters: Counters
    failed: Mapping[str, str]
    """Units given up, with the cause."""
    given_up: Mapping[str, str]
    """Prefixes given up, by key, with the cause; the same command tries them again."""
    facts: Facts
    """What the published label set holds."""
    seconds: float


def run(config: RunConfig, watcher: Watcher | None = None) -> Summary:
    """Do the run, or what is left of it.

    Raises LabelerError for what a user can mend. Before KeyboardInterrupt leaves, what was
    sampled is flushed and the labels of committed units are published.
    """
    _refuse_textless(config)
    where = RunDir(config.root)
    began = time.monotonic()
    with lock.alone(where.root):
        claim(where, config)
        sweep(where.root)
        recover(where)
        ingested = ingest(config.problems, config.steps, where, config.hash, config.unit_size)
        if not ingested.units:
            raise LabelerError(
                f"problems: no row of {config.problems.path} can be used: {ingested.rows_in} read, "
                f"{ingested.quarantined} of them quarantined, with the reason, in "
                f"{where.quarantine}."
            )
        work = _Work(config, where, ingested, watcher or Watcher())
        try:
            failed = work.all()
        finally:
            facts = label.refresh(config, where)
        given_up = {k: v for e in manifest.read(where).values() for k, v in e.failures.items()}
    seconds = time.monotonic() - began
    return Summary(ingested, work.counters, failed, given_up, facts, seconds)


class _Work:
    """The units of one run: which are to do, and what is committed."""

    def __init__(
        self, config: RunConfig, where: RunDir, ingested: Ingested, watcher: Watcher
    ) -> None:
        self.counters = Counters()
        self._config = config
        self._where = where
        self._ingested = ingested
        self._watcher = watcher
        self._inputs = {u.unit: u.inputs for u in ingested.units}
        self._completers: set[str] = set()
        self._provers: dict[str, str] = {}
        """Fingerprints of further completers, by what they were opened with."""

    def all(self) -> Mapping[str, str]:
        """Work on every unit that is not done; returns those that failed, with the cause."""
        entries = manifest.read(self._where)
        self._completers = {entry.completer for entry in entries.values()}
        self._provers = {_opened_with(p): p.completer for e in entries.values() for p in e.provers}
        todo = [u for u in self._inputs if not self._done(entries.get(u))]
        self._watcher.start(self._ingested, len(todo))
        if not todo:
            return {}
        return runners.run(self._config, self._where, todo, self._commit, self._watch)

    def _done(self, entry: manifest.Entry | None) -> bool:
        return (
            entry is not None
            and not entry.failures
            and entry.inputs == self._inputs[entry.unit]
            and entry.policy == self._config.policy.model_dump(mode="json")
            and entry.per_problem == self._per_problem
            and [prover.settings for prover in entry.provers] == self._config.further
            and (entry.judge.settings if entry.judge else None) == self._config.judging
            and (not entry.judge or entry.rule == self._config.rule)
            and entry.grader == AnswerGrader(self._config.grading).version
        )

    @property
    def _per_problem(self) -> int:
        return self._config.generator.per_problem if self._config.generator else 0

    def _watch(self, counters: Counters) -> None:
        self.counters = replace(counters)
        self._watcher.watch(counters)

    def _commit(self, report: UnitReport) -> None:
        if self._completers - {report.completer}:
            raise ConfigError(
                f"{self._where.root} was labelled with another completer "
                f"({', '.join(sorted(self._completers))}, now {report.completer}): the model's "
                "files have changed. Give this run a name of its own (name=...)."
            )
        self._completers.add(report.completer)
        for prover in report.provers:
            before = self._provers.setdefault(_opened_with(prover), prover.completer)
            if before != prover.completer:
                raise ConfigError(
                    f"completers: {prover.name} was another model in this run ({before}, now "
                    f"{prover.completer}): its files have changed. Give it another name."
                )
        add_quarantine(self._where, report.quarantined)
        manifest.commit(
            self._where,
            manifest.Entry(
                unit=report.unit,
                inputs=self._inputs[report.unit],
                policy=self._config.policy.model_dump(mode="json"),
                per_problem=self._per_problem,
                rule=self._config.rule,
                completer=report.completer,
                grader=report.grader,
                problems=report.problems,
                **asdict(report.staged),
                provers=report.provers,
                judge=report.judge,
                rejected=report.rejected,
                failures=report.failures,
                made_with=report.made_with,
            ),
        )
        self._watcher.committed(report)


def _opened_with(prover: manifest.Prover) -> str:
    """Its settings as one text: more rollouts and another value model are no other completer."""
    kept = {k: v for k, v in prover.settings.items() if k not in ("n", "value_model")}
    return json.dumps(kept, sort_keys=True)


def _refuse_textless(config: RunConfig) -> None:
    """ConfigError where a tree search would have to follow rollouts that have no text."""
    pool = config.completer
    reads = isinstance(config.policy, Omega)
    if reads and isinstance(pool, RecordedConfig) and not pool.has_texts():
        raise ConfigError(
            f"policy omega follows what rollouts say, and {pool.path} holds their verdicts only: "
            "use a pool with texts (a run directory), or another policy."
        )


def claim(where: RunDir, config: RunConfig) -> None:
    """Make the run directory this config's. ConfigError where it belongs to another identity."""
    if not where.config.exists():
        _refuse_foreign(where)
    else:
        held = label.held_config(where, "identity", "hash")
        if held["hash"] != config.hash:
            changes = "\n".join(_changes(held["identity"], config.identity))
            raise ConfigError(
                f"{where.root} holds rollouts of another configuration:\n{changes}\n"
                "Give this run a name of its own (name=...), or go back to those values. More "
                "rollouts, more problems, another policy or label rule need no new name."
            )
    write_json(
        where.config,
        {
            "hash": config.hash,
            "identity": config.identity,
            "config": config.model_dump(mode="json"),
        },
    )


def _refuse_foreign(where: RunDir) -> None:
    """ConfigError for a directory that holds something else: a run replaces labels/ and README.md.

    Hidden files do not count: the lock is one, and a run killed at its start leaves others.
    """
    found = next((p.name for p in where.root.iterdir() if not p.name.startswith(".")), None)
    if found is not None:
        raise ConfigError(
            f"{where.root} is no run directory (it holds {found}, and no config.json): set run_dir "
            "to a new or an empty one. If a run's config.json was lost, put it back."
        )


def _changes(old: Any, new: Any, key: str = "") -> Iterator[str]:  # noqa: ANN401 - walks plain JSON
    """One line for each value that differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted({*old, *new}):
            yield from _changes(old.get(name), new.get(name), f"{key}.{name}".lstrip("."))
    elif old != new:
        yield f"  {key}: {json.dumps(old)} there, {json.dumps(new)} here"
