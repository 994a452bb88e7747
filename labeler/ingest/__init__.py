"""Ingest - input rows -> the problems and solutions of a run directory, cumulative.

1. Nothing is dropped silently: entries in = entries kept + entries quarantined.
2. Ingesting the same input again changes no byte; ingesting an input in parts gives the same
   problems, solutions and quarantine as ingesting it whole.
3. An id names one problem: the first to claim it. All rows with one question are in one unit.
4. Memory does not grow with the input: it streams into a temporary database, then unit by unit
   into the tables.

It does not grade golds (a later stage quarantines what it finds with `add_quarantine`), and it
has no lock: one process at a time owns a run directory.
"""

from dataclasses import dataclass

from labeler import files
from labeler.files import RunDir
from labeler.ingest.quarantine import add_quarantine, count_quarantine, flush, stage
from labeler.ingest.staging import Staging, staging
from labeler.ingest.units import (
    grow,
    read_unit,
    read_unit_count,
    unit_name,
    write_unit_count,
)
from labeler.model import Problem, Solution, Step, digest
from labeler.problems import ProblemsConfig, RawSolution, Rejected, Rejection, Row, read
from labeler.steps import StepsConfig, from_list, split

__all__ = [
    "Ingested",
    "UnitInput",
    "add_quarantine",
    "count_quarantine",
    "ingest",
    "read_unit",
    "solution_of",
]


@dataclass(frozen=True, slots=True)
class UnitInput:
    """A unit that has problems."""

    unit: str
    """Its name, which its tables bear."""
    inputs: str
    """Digest of all its problems and given solutions, order-blind: another one, other input."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What one call read, and what the run directory holds after it.

    An entry is what is accounted for: each solution of a row that holds a problem, or the row
    itself where it gives no solutions; a row that holds no problem is one entry. Always
    rows_in == kept + quarantined.
    """

    rows_in: int
    """Entries read by this call."""
    kept: int
    """Entries of this call that the directory now holds, repeats included."""
    quarantined: int
    """Entries of this call that could not be used; quarantine.jsonl has each of them once."""
    problems: int
    """Problems in the directory, earlier calls' included."""
    solutions: int
    """Given solutions in the directory, earlier calls' included."""
    units: tuple[UnitInput, ...]
    """Every unit that holds problems, by name."""


def ingest(
    problems: ProblemsConfig, steps: StepsConfig, run: RunDir, config_hash: str, unit_size: int
) -> Ingested:
    """Read the problems into the run directory; see the laws above.

    `unit_size` is the wished number of problems a unit; it counts only for the first problems
    of a directory. Raises LabelerError where the source cannot be read, FileError where the
    directory cannot be written or is damaged. Interrupted, it is simply called again.
    """
    units = read_unit_count(run)
    with staging(run) as staged:
        staged.load(run)
        rows_in, kept = _stage_rows(problems, steps, staged)
        flush(staged.db, run.quarantine)
        if units is None and staged.count("problems"):
            units = -(-staged.count("problems") // unit_size)
            write_unit_count(run, units)
        staged.assign(units or 1)
        for unit in staged.units():
            name = f"{unit_name(unit)}.parquet"
            grow(run.problems / name, files.PROBLEMS, staged.new_problems(unit), config_hash)
            grow(run.solutions / name, files.SOLUTIONS, staged.new_solutions(unit), config_hash)
        made = tuple(
            UnitInput(unit_name(u), digest(*sorted(staged.contents(u)))) for u in staged.units()
        )
        held = staged.count("problems"), staged.count("solutions")
    return Ingested(rows_in, kept, rows_in - kept, *held, made)


def _stage_rows(problems: ProblemsConfig, steps: StepsConfig, staged: Staging) -> tuple[int, int]:
    """Stage every entry, and return how many there were and how many are kept."""
    entries = kept = 0
    for row in read(problems):
        if isinstance(row, Rejected):
            stage(staged.db, row)
            entries += 1
        else:
            kept += _stage_row(row, steps, staged, entries)
            entries += len(row.solutions) or 1
    return entries, kept


def _stage_row(row: Row, steps: StepsConfig, staged: Staging, first: int) -> int:
    """Stage a row whose first entry is number `first`; return how many entries are kept.

    A faulty solution is quarantined for its own fault whoever has the id, and a row without a
    usable one claims no id, so that the order of calls does not matter.
    """
    usable: list[tuple[int, Solution]] = []
    for i, raw in enumerate(row.solutions):
        solution = solution_of(row.problem, raw, steps)
        if isinstance(solution, Rejection):
            stage(staged.db, _rejected(row, i, solution))
        else:
            usable.append((i, solution))
    if row.solutions and not usable:
        return 0
    if not staged.claim(row.problem, first):
        for i in [i for i, _ in usable] or [0]:
            stage(staged.db, _rejected(row, i, Rejection.DUPLICATE_ID))
        return 0
    for i, solution in usable:
        staged.add(solution, first + i)
    return len(usable) or 1


def solution_of(problem: Problem, raw: RawSolution, config: StepsConfig) -> Solution | Rejection:
    """The solution cut into steps, without white space around it, or why it is unusable."""
    if raw.fault is not None:
        return raw.fault
    size = len(raw.content) if isinstance(raw.content, str) else sum(map(len, raw.content))
    if size > config.max_chars:
        return Rejection.TOO_LONG
    steps = _cut(raw, config)
    if not steps:
        return Rejection.NO_STEPS
    if len(steps) > config.max_steps:
        return Rejection.TOO_MANY_STEPS
    text = "".join(s.text + s.separator for s in steps)
    return Solution(digest(problem.id, text, size=8), problem.id, steps, raw.generator)


def _cut(raw: RawSolution, config: StepsConfig) -> tuple[Step, ...]:
    if isinstance(raw.content, str):
        return split(raw.content.strip(), config)
    steps = from_list(raw.content, config.joiner)
    if not steps:
        return ()
    head = Step(steps[0].text.lstrip(), steps[0].separator)
    whole = (head, *steps[1:])
    return (*whole[:-1], Step(whole[-1].text, ""))


def _rejected(row: Row, i: int, reason: Rejection) -> Rejected:
    """Entry `i` of a row, which cannot be used. Several solutions are told apart as `#1`, `#2`."""
    shown = {"id": row.problem.id, "question": row.problem.question, "gold": row.problem.gold}
    if not row.solutions:
        return Rejected(row.position, reason, shown)
    raw = row.solutions[i]
    position = f"{row.position}#{i + 1}" if len(row.solutions) > 1 else row.position
    return Rejected(position, reason, shown | {"solution": raw.content, "generator": raw.generator})
