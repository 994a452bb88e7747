"""grade_diff.py - `labeler grade --diff RUN`: what changed between two graders' verdicts of a run.

Prints which two are compared (grade_changes.py says how they are chosen), a matrix of verdicts,
how many labels differ, and the changed verdicts, the most frequent kinds first.
"""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from labeler import manifest
from labeler.apps.grade_changes import (
    Change,
    Difference,
    Said,
    Versions,
    chosen,
    compare,
    compare_labels,
    graders,
)
from labeler.apps.label import read_config
from labeler.files import RunDir
from labeler.grading import AnswerGrader
from labeler.model import Reason

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 30
"""Kinds of change listed; the rest is counted."""
_WIDEST = 60


def grade_diff(root: Path, console: "Console") -> Difference | None:
    """Print what changed; None where the run has the verdicts of one grader, or of none.

    Raises ConfigError where the directory is no run, FileError where a table is damaged.
    """
    run = RunDir(root)
    config = read_config(run)
    held = graders(run)
    if len(held) < 2:
        _print(console, _alone(root, held, AnswerGrader(config.grading).version))
        return None
    versions = chosen(run, held)
    difference = compare(run, versions)
    for entry in manifest.read(run).values():
        difference.labels += compare_labels(config, run, entry, versions)
    _print(console, report(difference, versions))
    return difference


def report(difference: Difference, versions: Versions) -> Iterator[str]:
    """The difference in lines."""
    for name, version in (("old", versions.old), ("new", versions.new)):
        yield f"{name}  {version}{' (used by the labels)' if version in versions.used else ''}"
    if versions.others:
        yield f"not compared: {', '.join(versions.others)}"
    changed = difference.changes.total()
    both = difference.matrix.total()
    yield f"{both:,} verdicts of both, {changed:,} changed ({changed / max(both, 1):.2%})"
    for count, version in ((difference.only_old, "old"), (difference.only_new, "new")):
        if count:
            yield f"{count:,} more by the {version} grader alone"
    if difference.other_span:
        yield f"{difference.other_span:,} verdicts stayed, of another answer span"
    if labels := difference.labels:
        yield (
            f"labels that differ: own answer {labels['own answer']:,} and first error "
            f"{labels['first error']:,} of {labels['solutions']:,} solutions, target "
            f"{labels['target']:,} and hard {labels['hard']:,} of {labels['steps']:,} steps"
        )
    if both:
        yield ""
        yield from _matrix(difference.matrix)
    if changed:
        yield ""
        yield from _changes(difference.changes)


def _matrix(matrix: Counter[tuple[Said, Said]]) -> Iterator[str]:
    """Old verdicts down, new ones across; those that never occur are left out."""
    order = list(Reason)
    rows = sorted({was for was, _ in matrix}, key=lambda said: order.index(said[1]))
    columns = sorted({now for _, now in matrix}, key=lambda said: order.index(said[1]))
    table = [
        ["old \\ new", *(now[0] for now in columns)],
        ["", *(now[1] for now in columns)],
        *(
            [_said(was), *(f"{n:,}" if (n := matrix[was, now]) else "." for now in columns)]
            for was in rows
        ),
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, *cells in table:
        shown = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        yield "  ".join([f"{name:<{widths[0]}}", *shown])


def _changes(changes: Counter[Change]) -> Iterator[str]:
    """The most frequent changes; equal counts in a fixed order."""
    ranked = sorted(changes.items(), key=lambda item: (-item[1], repr(item[0])))
    for change, count in ranked[:SHOWN]:
        spans = [_span(change.old_answer)]
        if change.old_answer != change.new_answer:
            spans.append(_span(change.new_answer))
        yield (
            f"{count:>6,} x  gold {_span(change.gold)}  answer {' then '.join(spans)}  "
            f"{_said(change.old)} -> {_said(change.new)}"
        )
    if rest := ranked[SHOWN:]:
        rows = sum(count for _, count in rest)
        yield f"and {len(rest):,} more kinds of change, of {rows:,} verdicts"


def _said(said: Said) -> str:
    return f"{said[0]}/{said[1]}"


def _span(text: str | None) -> str:
    """One line without terminal codes, cut where it is long."""
    if text is None:
        return "none"
    shown = "".join(c for c in " ".join(text.split()) if c.isprintable())
    return shown if len(shown) <= _WIDEST else f"{shown[:_WIDEST]}..."


def _alone(root: Path, held: Sequence[str], here: str) -> Iterator[str]:
    """What to do where there is nothing to compare."""
    if not held:
        yield f"{root} has no verdicts yet: `labeler run` gives them"
        return
    yield f"{root} has the verdicts of one grader: {held[0]}"
    again = shlex.join(["labeler", "label", str(root), "--grader"])
    if held[0] == here:
        yield (
            "This installation's grader is the same. With another version of labeler, or with "
            f"grading.* settings that change verdicts, a second set comes from: {again}"
        )
    else:
        yield f"This installation's is {here}. To have its verdicts, too: {again}"


def _print(console: "Console", lines: Iterator[str]) -> None:
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
