"""sections.py - what each section of the page shows, as the template takes it. Pure.

A section without data says in one sentence why, and what would fill it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labeler.apps.report.advised import Found
from labeler.apps.report.words import clock, count, large, part, ratio
from labeler.consensus import COLUMNS, ROWS, Agreement

if TYPE_CHECKING:
    from labeler.apps.report.holding import Wanted
    from labeler.apps.report.logged import Logged
    from labeler.shards import Facts

SECTIONS = (
    ("finding", "Finding"), ("run", "Run"), ("noise", "Noise"), ("labels", "Labels"),
    ("calibration", "Calibration"), ("savings", "Savings"), ("advice", "More rollouts"),
    ("causes", "Causes"), ("consensus", "Consensus"), ("quarantine", "Quarantine"),
    ("solutions", "Solutions"),
)  # fmt: skip

WHY = {
    "finding": "The audit found nothing to state: the cautions say why.",
    "noise": "The log does not say what fewer rollouts would have given (see the cautions): a "
    "pilot with more rollouts a prefix (policy.n=64) fills this section.",
    "labels": "No step was rolled out, so there are no soft labels to show.",
    "calibration": "Calibration needs labels that state a probability, and the truth or many "
    "rollouts a prefix to hold against it: give the truth (--truth FILE), or a pilot.",
    "savings": "There are no labelled solutions to count rollouts of.",
    "advice": "The log does not say what more rollouts would buy: the cautions say why.",
    "causes": "The audit looked for causes of wrong labels and could tell none apart in this log.",
    "quarantine": "No input row was refused: all are labelled.",
}


@dataclass(frozen=True, slots=True)
class Tile:
    """One number of the summary."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table of counts, with its share of the whole if it has one."""

    name: str
    value: str
    part: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Counts under a title."""

    title: str
    rows: tuple[Line, ...]


def tiles(facts: "Facts", found: Found, log: "Logged") -> list[Tile]:
    """The run in numbers, and what it cost."""
    run, counts = found["run"], facts.counts
    speed, tokens = run.get("tokens_per_second"), run.get("tokens")
    hours = tokens / speed / 3600 if speed and tokens else None
    audited = f"{large(run.get('rollouts'))} audited, labels use {facts.n} a prefix"
    undecided = counts.targets.get("undecided", 0)
    shown = [
        Tile("solutions labelled", f"{counts.solutions:,}", f"of {facts.rows_in:,} rows in"),
        Tile("steps", f"{counts.steps:,}", f"{part(undecided, counts.steps)} undecided"),
        Tile("rollouts in the log", large(log.rollouts), audited),
        Tile("tokens generated", large(log.tokens), f"{ratio(log.tokens, log.rollouts)} a rollout"),
        Tile(
            "engine time",
            clock(hours),
            f"of the audited, at {count(speed)} tokens/s" if speed else "speed not known",
        ),
        Tile("truncated", f"{counts.share(counts.truncated):.1%}", "of rollouts of steps"),
        Tile("ungradable", f"{counts.share(counts.ungradable):.1%}", "of rollouts of steps"),
    ]
    if trees := facts.trees:
        pairs = f"with values, and {trees.pairs:,} pairs of next steps"
        shown.append(Tile("tree states", f"{trees.states:,}", pairs))
    if run.get("truth"):
        shown.append(Tile("with known truth", count(run["truth"]), "solutions"))
    return shown


def made_from(facts: "Facts") -> list[tuple[str, str]]:
    """What the labels rest on."""
    sampling = ", ".join(f"{key} {value}" for key, value in facts.sampling.items())
    rows = [
        ("policy", f"{facts.policy}, at most {facts.n} rollouts a prefix"),
        ("first error by", facts.rule.replace("_", " ")),
        ("completer", facts.completer),
        ("sampling", sampling or "the completer's defaults"),
        ("grader", facts.grader),
    ]
    return [
        *rows,
        *((f"prover {name}", what.replace("`", "")) for name, what in facts.provers.items()),
    ]


def label_tables(facts: "Facts") -> list[Table]:
    """How labels are distributed."""
    counts = facts.counts
    ungraded = counts.solutions - counts.right - counts.wrong
    own = {"right": counts.right, "wrong": counts.wrong, "ungradable": ungraded}
    places = sorted(counts.first_errors.items(), key=lambda item: (item[0] is None, item[0]))
    names = {0: "none", None: "undecided"}
    errors = {names.get(at, f"step {at}"): n for at, n in places}
    targets = {name: counts.targets.get(key, 0) for name, key in _TARGETS.items()}
    ratings = {name: counts.ratings.get(key, 0) for name, key in _RATINGS.items()}
    return [
        _counted("Own answers of solutions", own, counts.solutions),
        _counted("Targets of steps", targets, counts.steps),
        _counted("What targets rest on", counts.bases, counts.steps),
        *([_counted("Ratings of steps", ratings, counts.steps)] if counts.ratings else []),
        _counted("First errors", errors, counts.solutions),
    ]


_RATINGS = {"good (1)": "1", "neutral (0)": "0", "wrong (-1)": "-1", "undecided": "undecided"}
_TARGETS = {"good": "true", "wrong": "false", "undecided": "undecided"}


def quarantine(facts: "Facts") -> Table:
    """Rows that are not labelled, by reason."""
    reasons = dict(facts.quarantined) | ({"failed": facts.failed} if facts.failed else {})
    named = {reason.replace("_", " "): n for reason, n in sorted(reasons.items())}
    return _counted(f"Of {facts.rows_in:,} rows in", named, facts.rows_in)


def _counted(title: str, counts: Mapping[str, int], whole: int) -> Table:
    shown = ((name, n, n / whole if whole else None) for name, n in counts.items())
    return Table(title, tuple(Line(name, f"{n:,}", part) for name, n, part in shown))


def consensus(found: Agreement) -> dict[str, Any]:
    """How rollouts and judge agree, and what is kept."""
    chance = "not defined" if found.kappa is None else f"{found.kappa:.2f}"
    most = max(found.matrix.values())
    matrix = [
        {"name": row, "cells": [_cell(found.matrix.get((row, c), 0), most) for c in COLUMNS]}
        for row in ROWS
    ]
    rates = [
        Table(
            f"Kept, by {kind}",
            tuple(_kept(name, *groups[name]) for name in sorted(groups, key=_place)),
        )
        for kind, groups in found.keep_rates.items()
    ]
    says = (
        f"Kept {found.kept:,} of {found.solutions:,} solutions "
        f"({found.kept / found.solutions:.0%}). Cohen's kappa of the first errors, over solutions "
        f"that both decide: {chance}."
    )
    return {"says": says, "columns": COLUMNS, "matrix": matrix, "rates": rates}


def _place(group: str) -> tuple[float, str]:
    """Bands of numbers by their beginning, other groups by name."""
    began = re.match(r"[\d.]+", group)
    return (float(began[0]) if began else -1.0, group)


def _cell(count: int, most: int) -> dict[str, int]:
    return {"count": count, "heat": -(-4 * count // most)}


def _kept(name: str, kept: int, of: int) -> Line:
    return Line(name, f"{kept:,} of {of:,}", kept / of)


def sampled(shown: int, of: int, wanted: "Wanted") -> str:
    """What the browser holds, of all."""
    if shown == of:
        return f"All {of:,} solutions are in this page."
    first = f", after the {len(wanted.first):,} that are named above" if wanted.first else ""
    return (
        f"{shown:,} of {of:,} solutions, sampled: as many as fit into {wanted.max_mb:g} MB, drawn "
        f"by lot{first}. --max-mb embeds more, and `labeler inspect` shows any."
    )
