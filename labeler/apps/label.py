"""label.py - `labeler label`: labels anew from the log, with another rule, N or threshold.

No model is loaded and nothing is sampled. Each unit keeps the grader that its manifest entry
names, so that a newer labeler changes no verdict unasked:
1. Verdicts that this very grader has not given yet (a larger N) are given now.
2. Where labels need verdicts that an older grader did not give, nothing is changed and the error
   says so: it is not there to give them, and two graders never mix in one unit.
3. On request (`--grader`, and always in `labeler run`) every unit is graded anew with this
   installation's grader, beside the older verdicts, and labels use those.
"""

import asyncio
import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from labeler import lock, manifest
from labeler.apps.facts import facts_of
from labeler.config import ConfigError, RunConfig, apply_overrides, parse
from labeler.consensus import ConsensusConfig
from labeler.files import FileError, RunDir, parts, read_rows
from labeler.grading import AnswerGrader
from labeler.ingest import add_quarantine
from labeler.labelling import (
    View,
    grade_own_answers,
    grade_rollouts,
    knowing,
    lacking,
    sound,
    stage,
    stored,
    tasks_of,
)
from labeler.labels import LabelConfig
from labeler.model import Task
from labeler.params import Params
from labeler.policies import Policy
from labeler.rollout_log import RolloutLog
from labeler.shards import TABLES, Facts, publish, write_card

if TYPE_CHECKING:
    from rich.console import Console


def label(root: Path, overrides: Sequence[str], *, regrade: bool = False) -> Facts:
    """Label a run again, with `labels.*`, `grading.*` or `consensus.*` changed.

    With `regrade`, the verdicts are this installation's grader's. Raises ConfigError for another
    key, where the directory is no run, or where verdicts of another grader are wanted.
    """
    where = RunDir(root)
    config = read_config(where, overrides)
    with lock.alone(root):
        if not regrade:
            _refuse_another_grader(config, where)
        return refresh(config, where, regrade=regrade)


def show(facts: Facts, root: Path, console: "Console") -> None:
    """What the label set holds, and whose verdicts it rests on."""
    from labeler.apps import progress

    progress.show_facts(facts, root, console)
    graders = facts.grader.split(", ")
    named = ", ".join(graders) or "none: no unit is done"
    console.print(f"graded by {named}", markup=False, highlight=False, soft_wrap=True)
    if len(graders) > 1:
        again = shlex.join(["labeler", "label", str(root), "--grader"])
        console.print(
            f"The units rest on {len(graders)} graders. To have one for all: {again}",
            style="yellow",
            markup=False,
            soft_wrap=True,
        )


def read_config(where: RunDir, overrides: Sequence[str] = ()) -> RunConfig:
    """The resolved configuration of a run directory, with overrides that sample nothing."""
    held = held_config(where, "config")
    for override in overrides:
        if not override.startswith(("labels.", "grading.", "consensus.")):
            raise ConfigError(
                f"{override!r}: `label` changes labels.*, grading.* and consensus.* only; the rest "
                "needs a run"
            )
    if held["config"].get("judge") is None and any(o.startswith("consensus.") for o in overrides):
        raise ConfigError(
            f"consensus.* says what is kept of what a judge saw, and {where.root} has no judge: "
            "give its configuration a `judge:` and run it again"
        )
    data = {**held["config"], "run_dir": str(where.root)}
    apply_overrides(data, overrides)
    return parse(data, str(where.config))


def as_labelled(config: RunConfig, entries: Iterable[manifest.Entry]) -> RunConfig:
    """The configuration with the rule that the labels rest on, which `label` may have changed."""
    for entry in entries:  # all have one
        rule = {key: value for key, value in entry.rule.items() if key != "consensus"}
        kept: dict[str, Params] = {"labels": LabelConfig.model_validate(rule)}
        if "consensus" in entry.rule:
            kept["consensus"] = ConsensusConfig.model_validate(entry.rule["consensus"])
        return config.model_copy(update=kept)
    return config


def held_config(where: RunDir, *keys: str) -> dict[str, Any]:
    """These keys of a run's config.json: of `config`, its `identity`, and that one's `hash`.

    Raises ConfigError where the directory is no run, FileError where the file is damaged.
    """
    try:
        held = json.loads(where.config.read_text(encoding="utf-8"))
        if not isinstance(held["config"], dict):
            raise TypeError("config is no object")
        return {key: held[key] for key in keys}
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ConfigError(f"{where.root} is not a run directory: it has no config.json") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(
            f"{where.config} is damaged, or not labeler's: {error!r}. It says what the run's "
            "rollouts were sampled with: put it back from a copy, or use another run_dir."
        ) from error


def refresh(config: RunConfig, where: RunDir, *, regrade: bool = True) -> Facts:
    """Bring every committed unit's labels up to the configuration, and publish the set.

    Without `regrade` each unit keeps its grader; ConfigError where that lacks verdicts.
    """
    entries = manifest.read(where)
    rule = config.rule
    version = AnswerGrader(config.grading).version
    stale = [
        e
        for e in entries.values()
        if e.rule != rule
        or (regrade and e.grader != version)
        or not all((where.staged / name).exists() for name in e.parts.values())
    ]
    kept = [] if regrade else [e for e in stale if e.grader != version]
    for entry in kept:
        _refuse_lacking(config, where, entry, version)
    if stale:
        asyncio.run(_relabel(config, where, kept, [e for e in stale if e not in kept]))
        entries = manifest.read(where)
    named = [(t, where.staged / name) for e in entries.values() for t, name in e.parts.items()]
    staged = {table: [part for t, part in named if t == table] for table in TABLES}
    facts = facts_of(config, where, entries)
    publish(where, staged)
    for part in {*parts(where.staged)} - {part for _, part in named}:
        part.unlink()
    write_card(where, facts)
    return facts


def _refuse_another_grader(config: RunConfig, where: RunDir) -> None:
    """ConfigError where overrides make another grader than the run's own, and than its units'."""
    version = AnswerGrader(config.grading).version
    graders = {entry.grader for entry in manifest.read(where).values()}
    if graders - {version} and version != AnswerGrader(read_config(where).grading).version:
        raise ConfigError(
            f"these grading.* settings make another grader ({version}) than the verdicts are of "
            f"({', '.join(sorted(graders))}): {_ADD_GRADER}"
        )


def _refuse_lacking(config: RunConfig, where: RunDir, entry: manifest.Entry, version: str) -> None:
    """ConfigError where a unit's labels need verdicts that its grader did not give."""
    log, view, tasks = opened(config, where, entry, entry.grader)
    if missing := lacking(log, tasks, view, entry.solutions):
        raise ConfigError(
            f"unit {entry.unit} was graded by {entry.grader}, which has not given {missing} of the "
            f"verdicts that these labels need, and here is {version}: {_ADD_GRADER}"
        )


_ADD_GRADER = (
    "add --grader to grade the whole log anew, beside the verdicts that are there, and to have "
    "the labels use that."
)


def _labelled(where: RunDir, entry: manifest.Entry, tasks: Sequence[Task]) -> list[Task]:
    """The tasks with the solutions that the unit's label part holds, and those without any.

    A run that was interrupted while it was extended leaves others, which nothing was rolled out
    for yet. Where the part is gone, all of them.
    """
    part = where.staged / entry.labels
    if not part.exists():
        return list(tasks)
    known = {row["solution_id"] for row in read_rows([part], ["solution_id"])}
    kept = [replace(t, solutions=tuple(s for s in t.solutions if s.id in known)) for t in tasks]
    return [
        now for task, now in zip(tasks, kept, strict=True) if now.solutions or not task.solutions
    ]


def opened(
    config: RunConfig, where: RunDir, entry: manifest.Entry, grader: str
) -> tuple[RolloutLog, View, list[Task]]:
    """A unit's log with this grader's verdicts, how it is looked at, and what is labelled.

    It is looked at under the policy that filled it: a tree is that policy's search.
    """
    config = config.model_copy(update={"policy": TypeAdapter(Policy).validate_python(entry.policy)})
    log = RolloutLog(where, entry.unit, grader, config.hash)
    view = View(config, entry.completer, entry.failures, entry.provers, entry.judge)
    tasks = _labelled(where, entry, tasks_of(config, where, entry.unit))
    return log, view, [knowing(log, task) for task in tasks]


async def _relabel(
    config: RunConfig,
    where: RunDir,
    kept: Sequence[manifest.Entry],
    graded: Sequence[manifest.Entry],
) -> None:
    """Label units anew: `kept` from the verdicts they have, `graded` with what this grader says."""
    for entry in kept:
        log, view, tasks = opened(config, where, entry, entry.grader)
        await _commit(where, entry, log, tasks, view)
    async with AnswerGrader(config.grading) as grader:
        for entry in graded:
            log, view, held = opened(config, where, entry, grader.version)
            good, bad = await sound(held, grader)
            add_quarantine(where, bad)
            tasks = [await grade_own_answers(log, grader, task) for task in good]
            for task in tasks:
                await grade_rollouts(log, grader, task, view)
            refused = stored(held) - stored(tasks)
            now = replace(entry, grader=grader.version, rejected=entry.rejected + refused)
            await _commit(where, now, log, tasks, view)


async def _commit(
    where: RunDir, entry: manifest.Entry, log: RolloutLog, tasks: Sequence[Task], view: View
) -> None:
    staged = await stage(log, tasks, where, view)
    await log.compact()
    manifest.commit(where, replace(entry, rule=view.config.rule, **asdict(staged)))
