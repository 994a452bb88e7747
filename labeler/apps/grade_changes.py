"""grade_changes.py - two graders' verdicts of one run, and the labels that follow from them.

1. The later of the two is the grader that the run's labels use (of several, the one whose
   verdicts were written last); the earlier is the one written last among the others.
2. Only rollouts (and solutions' own answers) that both have judged are compared; how many
   verdicts one of them has alone is counted. A verdict has changed where outcome or reason has.
3. The labels of either are made in memory by the run's rule, of the solutions that both have
   judged wholly.
4. Reading is all it does, one unit in memory at a time.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from labeler import manifest
from labeler.apps.label import opened
from labeler.config import RunConfig
from labeler.files import RunDir, parts, read_rows
from labeler.labelling import View, labels_of, lacking
from labeler.labels import SolutionLabel
from labeler.model import Outcome, Reason, Task, digest
from labeler.rollout_log import RolloutLog

Place = tuple[str, str, int, str]
"""(completer, prefix key, index, gold key)."""
Said = tuple[Outcome, Reason]


@dataclass(frozen=True, slots=True)
class Versions:
    """Which graders a run has verdicts of."""

    old: str
    new: str
    used: frozenset[str]
    """Those that labels use."""
    others: tuple[str, ...]
    """Not compared."""


@dataclass(frozen=True, slots=True)
class Change:
    """One kind of changed verdict."""

    gold: str
    old_answer: str | None
    new_answer: str | None
    old: Said
    new: Said


@dataclass(slots=True)
class Difference:
    """What two graders say of the same rollouts."""

    matrix: Counter[tuple[Said, Said]] = field(default_factory=Counter)
    changes: Counter[Change] = field(default_factory=Counter)
    only_old: int = 0
    only_new: int = 0
    other_span: int = 0
    """Verdicts that stayed, with another answer span."""
    labels: Counter[str] = field(default_factory=Counter)
    """Of the solutions that both have judged wholly: `solutions`, `steps`, and what differs."""


def graders(run: RunDir) -> list[str]:
    """The graders that a run has verdicts of, those written last at the end."""
    folder = run.verdicts("")
    found = [p for p in folder.iterdir() if parts(p)] if folder.is_dir() else []
    written = {p.name: max(part.stat().st_mtime_ns for part in parts(p)) for p in found}
    return sorted(written, key=lambda name: (written[name], name))


def chosen(run: RunDir, held: Sequence[str]) -> Versions:
    """The two to compare, of at least two."""
    used = frozenset(entry.grader for entry in manifest.read(run).values())
    new = next((name for name in reversed(held) if name in used), held[-1])
    *others, old = (name for name in held if name != new)
    return Versions(old, new, used, tuple(others))


def compare(run: RunDir, versions: Versions) -> Difference:
    """Every verdict of both graders, side by side."""
    difference = Difference()
    for unit in (path.stem for path in parts(run.problems)):
        golds = {
            digest(row["gold"], size=8): row["gold"]
            for row in read_rows([run.problems / f"{unit}.parquet"], ["gold"])
        }
        old = _verdicts(parts(run.verdicts(versions.old), unit))
        new = _verdicts(parts(run.verdicts(versions.new), unit))
        difference.only_old += len(old.keys() - new.keys())
        difference.only_new += len(new.keys() - old.keys())
        for place in old.keys() & new.keys():
            (was, answer), (now, answer_now) = old[place], new[place]
            difference.matrix[was, now] += 1
            if was != now:
                gold = golds.get(place[-1], "?")
                difference.changes[Change(gold, answer, answer_now, was, now)] += 1
            else:
                difference.other_span += answer != answer_now
    return difference


def compare_labels(
    config: RunConfig, run: RunDir, entry: manifest.Entry, versions: Versions
) -> Counter[str]:
    """How many labels of a unit differ between the two."""
    units = [opened(config, run, entry, g) for g in (versions.old, versions.new)]
    judged = frozenset.intersection(*(_wholly_judged(*unit) for unit in units))
    old, new = (_labels(*unit, judged) for unit in units)
    counts: Counter[str] = Counter()
    for key, was in old.items():
        now = new[key]
        counts["solutions"] += 1
        counts["own answer"] += was.is_correct != now.is_correct
        counts["first error"] += was.first_error != now.first_error
        for step, step_now in zip(was.labels, now.labels, strict=True):
            counts["steps"] += 1
            counts["hard"] += step.hard != step_now.hard
            counts["target"] += step.target != step_now.target
    return counts


def _wholly_judged(log: RolloutLog, view: View, tasks: Sequence[Task]) -> frozenset[str]:
    """Ids of the solutions all of whose verdicts the log's grader has given."""
    alone = [replace(task, solutions=(s,)) for task in tasks for s in task.solutions]
    return frozenset(t.solutions[0].id for t in alone if not lacking(log, [t], view, 1))


def _labels(
    log: RolloutLog, view: View, tasks: Sequence[Task], solutions: Collection[str]
) -> dict[str, SolutionLabel]:
    """The labels of these solutions, which are all that their siblings' posteriors know of."""
    kept = (replace(t, solutions=tuple(s for s in t.solutions if s.id in solutions)) for t in tasks)
    return {row.solution_id: row for task in kept for row in labels_of(log, task, view)}


def _verdicts(paths: Sequence[Path]) -> dict[Place, tuple[Said, str | None]]:
    """By place; of doubles the first part by name counts, as in the log."""
    found: dict[Place, tuple[Said, str | None]] = {}
    for row in read_rows(paths):
        place = row["completer"], row["prefix_key"], row["index"], row["gold_key"]
        said = Outcome(row["verdict"]), Reason(row["reason"])
        found.setdefault(place, (said, row["answer"]))
    return found
