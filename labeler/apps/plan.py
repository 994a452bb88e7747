"""plan.py - `labeler plan`: what a run will cost, before it is paid.

1. The input is read, cut and checked by the code that a run uses, into a scratch directory;
   nothing is written elsewhere, and nothing is sampled.
2. The policy itself is driven (see forecast.py): what the run directory holds is not planned
   again. Where luck decides, the mean over several drawn worlds is given, and a bound.
3. Each number says what it rests on: counted, measured in a pilot, or assumed.

Rollouts that are topped up because they are ungradable are in none of the numbers.
"""

import asyncio
import json
import shutil
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from labeler.apps.costing import Costing, Plan
from labeler.apps.pilot import Pilot, completers, measure, provers
from labeler.apps.plan_table import show
from labeler.config import RunConfig
from labeler.files import RunDir, parts
from labeler.grading import AnswerGrader
from labeler.ingest import Ingested, ingest
from labeler.labelling import grade_own_answers, sound, tasks_of
from labeler.rollout_log import RolloutLog

if TYPE_CHECKING:
    from rich.console import Console

SEARCHES = 2000
"""Solutions, counted once a world, that are simulated at least; fewer worlds for larger inputs."""
SLOW = {"adaptive": 400, "omega": 20}
"""The same (for omega: problems) where a search takes its time; a share of larger inputs then."""
LEAST_WORLDS, MOST_WORLDS = 2, 100


def plan(config: RunConfig, pilot: Path | None, console: "Console") -> Plan:
    """Predict the cost of a run, and print it.

    `pilot` is a run directory to go by; without it the run's own directory serves, once it
    holds rollouts. Raises LabelerError where the input cannot be read or the pilot is no run.
    """
    where = RunDir(config.root)
    ours = _is_ours(where, config)
    measured = asyncio.run(_measure(config, pilot, where if ours else None))
    with TemporaryDirectory(prefix="labeler-plan-") as folder:
        scratch = RunDir(Path(folder))
        if ours:
            _copy(where, scratch)
        held = where if ours else RunDir(Path(folder) / "empty")
        read = ingest(config.problems, config.steps, scratch, config.hash, config.unit_size)
        made = asyncio.run(_cost(config, measured, read, (scratch, held)))
    show(made, config, console, taken=where.config.exists() and not ours)
    return made


def _is_ours(where: RunDir, config: RunConfig) -> bool:
    """Whether the run directory holds a run that this configuration would go on with."""
    if not where.config.exists():
        return False
    return bool(json.loads(where.config.read_text(encoding="utf-8")).get("hash") == config.hash)


def _copy(where: RunDir, scratch: RunDir) -> None:
    """Bring over what the run has read and generated; its problems stay a run's problems."""
    for folder, target in (
        (where.problems, scratch.problems),
        (where.solutions, scratch.solutions),
    ):
        if folder.exists():
            shutil.copytree(folder, target, ignore=shutil.ignore_patterns(".*"))
    units = where.root / "units.json"
    if units.exists():
        shutil.copy(units, scratch.root / units.name)


async def _measure(config: RunConfig, pilot: Path | None, own: RunDir | None) -> Pilot | None:
    if pilot is not None:
        return await measure(pilot, config)
    if own is not None and parts(own.rollouts):
        return await measure(own.root, config)
    return None


def _effort(config: RunConfig, problems: int, solutions: int) -> tuple[int, float]:
    """In how many worlds what share of the problems is simulated."""
    slow = SLOW.get(config.policy.kind)
    searches = max(problems if config.policy.kind == "omega" else solutions, 1)
    worlds = min(max(ceil((slow or SEARCHES) / searches), LEAST_WORLDS), MOST_WORLDS)
    return worlds, min(1.0, slow / (LEAST_WORLDS * searches)) if slow else 1.0


async def _cost(
    config: RunConfig, pilot: Pilot | None, read: Ingested, places: tuple[RunDir, RunDir]
) -> Plan:
    scratch, held = places
    per_problem = config.generator.per_problem if config.generator else 0
    solutions = read.solutions + read.problems * per_problem
    costing = Costing(config, pilot, completers(held), *_effort(config, read.problems, solutions))
    costing.provers = provers(held)
    async with AnswerGrader(config.grading) as grader:
        for unit in read.units:
            log = RolloutLog(held, unit.unit, grader.version, config.hash)
            tasks, bad = await sound(tasks_of(config, scratch, unit.unit), grader)
            costing.rejected += len(bad)
            graded = [await grade_own_answers(log, grader, task) for task in tasks]
            costing.add(graded, log)
    return costing.plan(read.quarantined)
