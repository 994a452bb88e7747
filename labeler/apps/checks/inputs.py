"""inputs.py - can the problems be read, their golds be graded, and the run be written?

The first rows go through the code that a run uses, into a scratch directory.
"""

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile

from labeler.apps.checks import Check, fail, ok, warn
from labeler.config import RunConfig
from labeler.files import RunDir
from labeler.grading import AnswerGrader
from labeler.ingest import Ingested, ingest
from labeler.labelling import tasks_of
from labeler.model import Outcome, Reason, Task
from labeler.policies import needs_solutions
from labeler.problems import Rejected, read

FIRST_ROWS = 1000
GOLD_ROWS = 20_000
SHOWN_GOLDS = 20
LITTLE_DISK_GIB = 1.0


@dataclass(frozen=True, slots=True)
class FirstRows:
    """The first rows of the input."""

    ingested: Ingested
    tasks: tuple[Task, ...]
    reasons: Counter[str]
    """Of the entries that were refused."""


def first_rows(config: RunConfig, scratch: RunDir) -> FirstRows:
    """Read the first rows into a scratch directory. Raises LabelerError as a run would."""
    limit = min(config.problems.limit or FIRST_ROWS, FIRST_ROWS)
    few = config.problems.model_copy(update={"limit": limit})
    found = ingest(few, config.steps, scratch, config.hash, config.unit_size)
    tasks = tuple(t for unit in found.units for t in tasks_of(config, scratch, unit.unit))
    return FirstRows(found, tasks, _reasons(scratch.quarantine))


def _reasons(quarantine: Path) -> Counter[str]:
    if not quarantine.exists():
        return Counter()
    with quarantine.open("rb") as lines:
        return Counter(str(json.loads(line)["reason"]) for line in lines)


def problem_checks(config: RunConfig, found: FirstRows) -> Iterator[Check]:
    """What was read of the first rows, and what was refused."""
    read = found.ingested
    shown = f"{read.problems} problems with {read.solutions} given solutions"
    if read.rows_in == FIRST_ROWS:
        shown += f" in the first {FIRST_ROWS} rows"
    why = ", ".join(f"{n} {reason}" for reason, n in found.reasons.most_common())
    if not read.problems:
        yield fail("problems", f"none could be used: {why or 'no rows'}", _columns())
        return
    if read.quarantined:
        yield warn("problems", f"{shown}; {read.quarantined} refused ({why})", _columns())
    else:
        yield ok("problems", shown)
    bare = sum(not task.solutions for task in found.tasks)
    if bare and config.generator is None and needs_solutions(config.policy):
        say = fail if bare == len(found.tasks) else warn
        mend = "set `generator` to have solutions written, or map their column in problems.columns"
        yield say("solutions", f"{bare} of {len(found.tasks)} problems have none to label", mend)


def _columns() -> str:
    return "map the columns in problems.columns; a run writes each refused row to quarantine.jsonl"


async def gold_checks(config: RunConfig, tasks: Sequence[Task]) -> list[Check]:
    """Whether each gold answer of the first GOLD_ROWS rows, graded against itself, is correct.

    More rows than are read in earnest, since a gold costs little. No check where those rows hold
    no problem.
    """
    if not tasks:
        return []
    rows = islice(read(config.problems), GOLD_ROWS)
    golds = Counter(row.problem.gold for row in rows if not isinstance(row, Rejected))
    async with AnswerGrader(config.grading) as grader:
        verdicts = {gold: await grader.check_gold(gold) for gold in golds}
    bad = {g: v.reason for g, v in verdicts.items() if v.outcome is not Outcome.CORRECT}
    if not bad:
        return [ok("golds", f"all {golds.total():,} grade correct against themselves")]
    mend = "their problems are quarantined; `labeler grade GOLD GOLD --explain` shows why"
    count = sum(golds[gold] for gold in bad)
    say = fail if count == golds.total() else warn
    return [say("golds", f"{count:,} of {golds.total():,} cannot be graded: {_listed(bad)}", mend)]


def _listed(bad: Mapping[str, Reason]) -> str:
    """The golds with their reasons; of many the first, and how many more of which reason."""
    shown = "; ".join(f"{g[:40]} ({reason})" for g, reason in islice(bad.items(), SHOWN_GOLDS))
    rest = Counter(islice(bad.values(), SHOWN_GOLDS, None))
    more = ", ".join(f"{n:,} {reason}" for reason, n in rest.most_common())
    return f"{shown}; and {rest.total():,} more ({more})" if rest else shown


def directory_checks(config: RunConfig) -> Iterator[Check]:
    """Whether the run directory can be written, has room, and is this configuration's."""
    root = config.root
    there = next(p for p in (root, *root.parents) if p.exists())
    if not there.is_dir():
        yield fail("run directory", f"{there} is a file", "choose another `name` or `run_dir`")
        return
    try:
        with TemporaryFile(dir=there):
            pass
    except OSError as error:
        mend = "choose another `run_dir`, or mend the directory's permissions"
        yield fail(
            "run directory", f"{there} cannot be written: {os.strerror(error.errno or 0)}", mend
        )
        return
    free = shutil.disk_usage(there).free / 2**30
    if _is_anothers(RunDir(root), config):
        yield fail("run directory", f"{root} holds another run", "give this one its own `name`")
    elif free < LITTLE_DISK_GIB:
        yield warn("run directory", f"{free:.1f} GiB are free at {there}", "make room")
    else:
        yield ok("run directory", f"{root} can be written, {free:,.0f} GiB free")


def _is_anothers(where: RunDir, config: RunConfig) -> bool:
    if not where.config.exists():
        return False
    return bool(json.loads(where.config.read_text(encoding="utf-8")).get("hash") != config.hash)
