"""calibrate_show.py - a Calibrated as a file for configurations, and as a person reads it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from labeler.apps.calibrate import FEW, Calibrated
from labeler.apps.reliability import Calibration
from labeler.files import write_text
from labeler.posterior import ValueModel

if TYPE_CHECKING:
    from rich.console import Console


def write(made: Calibrated, path: Path) -> None:
    """Write the model, and the map to the truth if there is one. Raises FileError."""
    lines = [
        "# What:  the value model of one completer, fitted without truth by `labeler calibrate`.",
        f"# From:  run {made.run}, completer {made.completer}",
        *(f"# {line}" for line in _said(made)),
        "# Use:   `value_model: <this file>` in a configuration",
        "value_model:",
        *(f"  {name}: {value}" for name, value in made.model.model_dump().items()),
    ]
    if made.truth_map is not None:
        lines += [
            "# From first_error_confidence to the share of first errors that are right; linear",
            "# between these pairs.",
            "truth_map:",
            *(f"- [{said}, {right}]" for said, right in made.truth_map),
        ]
    write_text(path, "\n".join(lines) + "\n")


def show(made: Calibrated, path: Path, console: "Console") -> None:
    """Print the model beside the default one, and how good it is."""
    console.print(f"values of {made.completer}, from {made.run}", markup=False, highlight=False)
    table = Table(box=SIMPLE)
    for name in ("parameter", "fitted", "default"):
        table.add_column(name, justify="left" if name == "parameter" else "right")
    default = ValueModel().model_dump()
    for name, value in made.model.model_dump().items():
        table.add_row(Text(name), f"{value:g}", f"{default[name]:g}")
    console.print(table)
    for line in (*_said(made), f"written to {path}"):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _said(made: Calibrated) -> Iterator[str]:
    """What it rests on and how good it is, a line each."""
    good, seen = made.goodness, made.goodness.check
    yield (
        f"data:  {made.rollouts:,} rollouts of {made.solutions:,} solutions of {made.problems:,} "
        f"problems, of {made.of:,} (the first by the digests of their questions)"
    )
    where = "on problems that it was not fitted to" if good.apart else "on the same problems"
    yield f"fit:   {good.bits:.4f} bits a rollout better than the default model, {where}"
    yield (
        f"check: {seen.zeros:.1%} of {seen.prefixes:,} prefixes had no success, expected "
        f"{seen.zeros_expected:.1%}; values vary {seen.spread:.2f} times as much as expected"
    )
    if made.reference is not None:
        yield (f"confidence from {FEW} rollouts a prefix, against all: {_error(made.reference)}")
    if made.truth is not None:
        yield f"confidence against the truth: {_error(made.truth)}"
    if made.mapped is not None:
        yield f"  mapped, each half by the other's map: {_error(made.mapped)}"


def _error(found: Calibration) -> str:
    return (
        f"calibration error {found.ece:.3f} ({found.low:.3f} to {found.high:.3f}); "
        f"said {found.confidence:.2f}, right {found.right:.2f}, {found.solutions:,} solutions"
    )
