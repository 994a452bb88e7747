"""consensus.py - `labeler consensus`: how rollouts and judge agree in a run, and what is kept."""

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labeler.consensus import COLUMNS, ROWS, Agreement, Pair, agreement
from labeler.files import RunDir, parts, read_rows
from labeler.model import LabelerError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_COLUMNS = ["source", "steps", "first_error", "first_error_confidence", "judge_first_error", "keep"]
_COLUMNS += ["drop_reason"]
_LENGTHS = (3, 5, 8, 12, 20)
_CONFIDENCES = (0.5, 0.7, 0.9, 0.95)


def consensus(root: Path, console: "Console", *, as_json: bool = False) -> Agreement:
    """Count the run's labels and print.

    Raises LabelerError where there are no labels, or where no judge was asked.
    """
    files = parts(RunDir(root).labels)
    if not files:
        raise LabelerError(f"{root} has no labels: `labeler run` writes them.")
    found = agreement(_pairs(files))
    if not found.solutions:
        raise LabelerError(
            f"no judge was asked in {root}: give its configuration a `judge:` and run it again; "
            "only the judge is asked then."
        )
    if as_json:
        told = json.dumps(_plain(found), indent=2)
        console.print(told, markup=False, highlight=False, soft_wrap=True)
    else:
        _show(found, root, console)
    return found


def _pairs(files: list[Path]) -> Iterator[Pair]:
    """The solutions that consensus filtering has looked at."""
    for row in read_rows(files, _COLUMNS):
        if row["keep"] is not None:
            yield Pair(
                row["first_error"], row["judge_first_error"], row["drop_reason"], _groups(row)
            )


def _groups(row: Mapping[str, Any]) -> dict[str, str]:
    sure = row["first_error_confidence"]
    return {
        "source": row["source"] or "(none)",
        "steps": _band(len(row["steps"]), _LENGTHS),
        "confidence": "none" if sure is None else _band(sure, _CONFIDENCES),
    }


def _bands(ends: tuple[float, ...]) -> list[str]:
    """The names of the bands that these ends make, in order; each end begins one."""
    between = [f"{a:g} to below {b:g}" for a, b in pairwise(ends)]
    return [f"below {ends[0]:g}", *between, f"{ends[-1]:g} and above"]


def _band(value: float, ends: tuple[float, ...]) -> str:
    """The band that a number lies in."""
    return _bands(ends)[sum(value >= end for end in ends)]


_ORDER = {name: at for at, name in enumerate([*_bands(_LENGTHS), *_bands(_CONFIDENCES), "none"], 1)}
"""Where bands stand in their table; sources, in the order of their names, come before."""


def _plain(found: Agreement) -> dict[str, Any]:
    return {
        "solutions": found.solutions,
        "kept": found.kept,
        "dropped": dict(found.reasons),
        "kappa": found.kappa,
        "matrix": {row: {c: found.matrix.get((row, c), 0) for c in COLUMNS} for row in ROWS},
        "keep_rates": {
            kind: {group: {"kept": kept, "solutions": n} for group, (kept, n) in groups.items()}
            for kind, groups in found.keep_rates.items()
        },
    }


def _show(found: Agreement, root: Path, console: "Console") -> None:
    console.print(_matrix(found))
    chance = "not defined" if found.kappa is None else f"{found.kappa:.2f}"
    dropped = ", ".join(f"{why} {n:,}" for why, n in sorted(found.reasons.items()))
    lines = [
        f"kept {found.kept:,} of {found.solutions:,} solutions "
        f"({found.kept / found.solutions:.0%}); Cohen's kappa of the first errors: {chance}",
        *([f"dropped: {dropped}"] if dropped else []),
    ]
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    for kind, groups in found.keep_rates.items():
        console.print(_rates(kind, groups))
    again = f"labeler label {root} consensus.tolerance=1"
    console.print(f"Another rule costs no model: {again}", markup=False, soft_wrap=True)


def _matrix(found: Agreement) -> "Table":
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(title="first errors: rollouts (rows), judge (columns)", box=SIMPLE)
    table.add_column("")
    for name in COLUMNS:
        table.add_column(name, justify="right")
    for row in ROWS:
        table.add_row(row, *(f"{found.matrix.get((row, name), 0):,}" for name in COLUMNS))
    return table


def _rates(kind: str, groups: Mapping[str, tuple[int, int]]) -> "Table":
    from rich.box import SIMPLE
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=SIMPLE)
    table.add_column(f"kept, by {kind}")
    for name in ("kept", "of", "share"):
        table.add_column(name, justify="right")
    for group, (kept, n) in sorted(groups.items(), key=lambda g: (_ORDER.get(g[0], 0), g[0])):
        table.add_row(escape(group), f"{kept:,}", f"{n:,}", f"{kept / n:.0%}")
    return table
