"""disagreement.py - how often two graders say another thing of the same rollout.

Where the log holds the verdicts of a second grader, all rollouts that both judged are compared,
unit by unit. Where it does not, and this installation's grader is another than the log's, a sample
of rollouts is graded anew: from a few units, chosen by their digests, so that it is a fair one.
Truncated rollouts count as incorrect here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from labeler.apps.audit.counts import INCORRECT, TRUNCATED, Ints, Places, said
from labeler.apps.audit.sources import Source
from labeler.audit.findings import Example
from labeler.files import parts, read_table
from labeler.ingest import read_unit
from labeler.model import Finish, Grader, Outcome, Task, digest

UNITS = 8
"""Units that a sample is drawn from, at most."""


@dataclass(slots=True)
class Disagreement:
    """What two graders said."""

    other: str
    """The grader that the audited one is compared with."""
    both: int = 0
    """Rollouts that both judged."""
    changed: int = 0
    examples: list[Example] = field(default_factory=list)
    """Of the log's own verdicts: some steps of solutions whose rollouts they are."""


def add_unit(
    found: Disagreement, places: Places, completer: str, mine: Sequence[Path], other: Sequence[Path]
) -> frozenset[int]:
    """Compare the verdicts that two graders gave in one unit; the places where they differ."""
    codes, kinds = _rows(places, completer, mine)
    codes_other, kinds_other = _rows(places, completer, other)
    shared, at, at_other = np.intersect1d(
        codes, codes_other, assume_unique=True, return_indices=True
    )
    found.both += len(shared)
    changed = kinds[at] != kinds_other[at_other]
    found.changed += int(changed.sum())
    return frozenset((shared[changed] >> 32).tolist())


def _rows(places: Places, completer: str, paths: Sequence[Path]) -> tuple[Ints, Ints]:
    """Place and index as one number, each once, and the class."""
    codes, kinds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for rows in said(places, completer, paths, indices=True):
        of = (rows.place >= 0) & (rows.side == 0)
        codes.append((rows.place << 32 | rows.index)[of])
        kinds.append(np.where(rows.kind == TRUNCATED, INCORRECT, rows.kind)[of])
    code, first = np.unique(np.concatenate(codes), return_index=True)
    return code, np.concatenate(kinds)[first]


@dataclass(frozen=True, slots=True)
class _Sampled:
    """A rollout to be graded anew."""

    gold: str
    text: str
    """Prefix and completion."""
    finish: Finish
    outcome: Outcome
    """What the log's grader said."""


async def regrade(source: Source, grader: Grader, limit: int, seed: int) -> Disagreement:
    """Grade a sample of at most `limit` rollouts with another grader."""
    found = Disagreement(grader.version)
    ranked = sorted(source.units, key=lambda unit: digest("regrade", str(seed), unit))[:UNITS]
    for unit in ranked:
        for one in _sampled(source, unit, -(-limit // len(ranked)), seed):
            [verdict] = await grader.grade(one.gold, [(one.text, one.finish)])
            found.both += 1
            found.changed += verdict.outcome is not one.outcome
    return found


def _sampled(source: Source, unit: str, count: int, seed: int) -> Iterator[_Sampled]:
    """Rollouts of a unit that have a verdict; a part in memory at a time."""
    known = _prefixes(source, unit)
    columns = ["prefix_key", "index", "completer", "text", "finish"]
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for path in parts(source.run.rollouts, unit):
        luck = np.random.default_rng(int(digest(str(seed), path.name, size=8), 16))
        for row in _drawn(_of(source, path, columns, list(known)), count, luck):
            rows.setdefault((row["prefix_key"], row["index"]), row)
    verdicts = _verdicts(source, unit, known, [key for key, _ in rows])
    judged = [place for place in rows if place in verdicts][:count]
    for key, index in judged:
        gold, before = known[key]
        row = rows[key, index]
        text, finish = before + row["text"], Finish(row["finish"])
        yield _Sampled(gold, text, finish, verdicts[key, index])


def _of(source: Source, path: Path, columns: Sequence[str], keys: Sequence[str]) -> pa.Table:
    """The completer's rows of some prefixes."""
    table = read_table(path, columns)
    mine = pc.equal(table["completer"], source.completer)
    return table.filter(pc.and_(mine, pc.is_in(table["prefix_key"], pa.array(keys, pa.string()))))


def _drawn(table: pa.Table, count: int, luck: np.random.Generator) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.take(luck.permutation(table.num_rows)[:count]).to_pylist()
    return rows


def _prefixes(source: Source, unit: str) -> dict[str, tuple[str, str]]:
    """The gold and the text of each prefix, by key; of two golds the first."""
    found: dict[str, tuple[str, str]] = {}
    for problem, solutions in read_unit(source.run, unit):
        task = Task(problem, solutions, source.config.prompt.digest)
        for solution in solutions:
            for k in range(len(solution.steps)):
                prefix = task.prefix(solution, k)
                found.setdefault(prefix.key, (problem.gold, prefix.text))
    return found


def _verdicts(
    source: Source, unit: str, known: Mapping[str, tuple[str, str]], keys: Sequence[str]
) -> dict[tuple[str, int], Outcome]:
    """What the log's grader said of these prefixes' rollouts, by prefix key and index."""
    columns = ["prefix_key", "index", "completer", "gold_key", "verdict"]
    found: dict[tuple[str, int], Outcome] = {}
    for path in parts(source.run.verdicts(source.grader), unit):
        for row in _of(source, path, columns, keys).to_pylist():
            if digest(known[row["prefix_key"]][0], size=8) == row["gold_key"]:
                place = row["prefix_key"], row["index"]
                found.setdefault(place, Outcome(row["verdict"]))
    return found
