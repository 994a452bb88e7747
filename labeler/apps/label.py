"""label.py - `labeler label`: labels anew from the log, with another rule, N or threshold.

No model is loaded and nothing is sampled. Verdicts that the grader's version has not given yet
are given now, beside the older ones.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from labeler import lock, manifest
from labeler.config import ConfigError, RunConfig, apply_overrides, parse
from labeler.files import FileError, RunDir, count_rows, parts, read_rows
from labeler.grading import AnswerGrader
from labeler.ingest import add_quarantine, count_quarantine, read_unit
from labeler.labelling import (
    View,
    grade_own_answers,
    grade_rollouts,
    sound,
    stage,
    stored,
    tasks_of,
)
from labeler.model import Task
from labeler.rollout_log import RolloutLog
from labeler.samplers import GENERATOR
from labeler.shards import Facts, LabelCounts, count_labels, publish, write_card


def label(root: Path, overrides: Sequence[str]) -> Facts:
    """Label a run again, with `labels.*` or `grading.*` changed.

    Raises ConfigError for another key, or where the directory is no run.
    """
    where = RunDir(root)
    config = read_config(where, overrides)
    with lock.alone(root):
        return refresh(config, where)


def read_config(where: RunDir, overrides: Sequence[str] = ()) -> RunConfig:
    """The resolved configuration of a run directory, with overrides that sample nothing."""
    held = held_config(where, "config")
    for override in overrides:
        if not override.startswith(("labels.", "grading.")):
            raise ConfigError(
                f"{override!r}: `label` changes labels.* and grading.* only; the rest needs a run"
            )
    data = {**held["config"], "run_dir": str(where.root)}
    apply_overrides(data, overrides)
    return parse(data, str(where.config))


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


def refresh(config: RunConfig, where: RunDir) -> Facts:
    """Bring every committed unit's labels up to the configuration, and publish the set."""
    entries = manifest.read(where)
    rule = config.labels.model_dump(mode="json")
    version = AnswerGrader(config.grading).version
    stale = [
        e
        for e in entries.values()
        if e.rule != rule or e.grader != version or not (where.staged / e.labels).exists()
    ]
    if stale:
        asyncio.run(_relabel(config, where, stale))
        entries = manifest.read(where)
    staged = [where.staged / e.labels for e in entries.values()]
    facts = _facts(config, where, entries, count_labels(staged))
    publish(where, staged)
    for part in {*parts(where.staged)} - {*staged}:
        part.unlink()
    write_card(where, facts)
    return facts


def _facts(
    config: RunConfig,
    where: RunDir,
    entries: Mapping[str, manifest.Entry],
    counts: LabelCounts,
) -> Facts:
    quarantined = count_quarantine(where)
    units = [path.stem for path in parts(where.problems)]
    failed = sum(_unlabelled(where, unit, entries.get(unit)) for unit in units)
    return Facts(
        name=config.name,
        counts=counts,
        rows_in=counts.solutions + sum(quarantined.values()) + failed,
        policy=config.policy.kind,
        n=config.labels.n or config.policy.n,
        completer=", ".join(sorted({e.completer for e in entries.values()})),
        grader=", ".join(sorted({e.grader for e in entries.values()})),
        sampling=config.completer.sampling.model_dump(mode="json"),
        rule=config.labels.rule,
        quarantined=quarantined,
        failed=failed,
    )


def _unlabelled(where: RunDir, unit: str, entry: manifest.Entry | None) -> int:
    """Solutions of a unit (and problems without any) that are neither labelled nor quarantined."""
    if entry is None:
        return sum(len(solutions) or 1 for _, solutions in read_unit(where, unit))
    rows = count_rows(parts(where.solutions, unit))
    unwritten = sum(key.startswith(GENERATOR) for key in entry.failures)
    return max(0, rows - entry.solutions - entry.rejected) + unwritten


def _labelled(where: RunDir, entry: manifest.Entry, tasks: Sequence[Task]) -> list[Task]:
    """The tasks with the solutions that the unit's label part holds.

    A run that was interrupted while it was extended leaves others, which nothing was rolled out
    for yet. Where the part is gone, all of them.
    """
    part = where.staged / entry.labels
    if not part.exists():
        return list(tasks)
    known = {row["solution_id"] for row in read_rows([part], ["solution_id"])}
    kept = [(task, tuple(s for s in task.solutions if s.id in known)) for task in tasks]
    return [replace(task, solutions=solutions) for task, solutions in kept if solutions]


async def _relabel(config: RunConfig, where: RunDir, entries: Sequence[manifest.Entry]) -> None:
    async with AnswerGrader(config.grading) as grader:
        for entry in entries:
            log = RolloutLog(where, entry.unit, grader.version, config.hash)
            view = View(config, entry.completer, entry.failures)
            held = _labelled(where, entry, tasks_of(config, where, entry.unit))
            tasks, bad = await sound(held, grader)
            add_quarantine(where, bad)
            for task in tasks:
                await grade_own_answers(log, grader, task)
                await grade_rollouts(log, grader, task, view)
            part, rows = await stage(log, tasks, where, view)
            await log.compact()
            rule = config.labels.model_dump(mode="json")
            manifest.commit(
                where,
                replace(
                    entry,
                    rule=rule,
                    grader=grader.version,
                    labels=part,
                    solutions=rows,
                    rejected=entry.rejected + stored(held) - stored(tasks),
                ),
            )
