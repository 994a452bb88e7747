"""plots.py - what a picture is before it is drawn: points, names, words. Pure.

A plot without a number is none: its place on the page says why.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Row = Mapping[str, Any]
"""One of Findings.as_dict()["rows"]."""


@dataclass(frozen=True, slots=True)
class Point:
    """A number with its interval, which can be missing."""

    x: float
    value: float
    low: float | None = None
    high: float | None = None
    over: int | None = None
    """What it rests on: solutions, steps or prefixes; None where that says nothing."""


@dataclass(frozen=True, slots=True)
class Series:
    """Points that belong together."""

    name: str
    points: tuple[Point, ...]
    look: int | None = None
    """Which of the colours and markers, where several plots are to use the same; else by place."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture, and everything that is said of it."""

    key: str
    """Its name in files and ids."""
    title: str
    says: str
    """How to read it, in a sentence or two."""
    x: str
    """Label of the axis, with its unit."""
    y: str
    series: tuple[Series, ...]
    kind: Literal["rollouts", "cost", "line", "calibration", "bars"] = "line"
    """Against rollouts a prefix or costs the axis is logarithmic; calibration has a diagonal; bars
    stand beside their names."""
    ticks: tuple[str, ...] = ()
    """Names of x = 0, 1, ...; none where x is a number."""
    shares: bool = True
    """Whether y is a share, 0 to 1."""


OF = {"truth": "against the truth", "pool": "against the whole pool", "value": "against the value"}
"""What a reference is, in words."""


def point(x: float, row: Row) -> Point:
    """A row of the long table at a place."""
    return Point(x, row["value"], row["low"], row["high"], row["over"])


def points(rows: Iterable[Row]) -> tuple[Point, ...]:
    """Rows by their rollouts a prefix; those without a number left out."""
    held = (r for r in rows if r["value"] is not None and r["n"] is not None)
    return tuple(sorted((point(r["n"], r) for r in held), key=lambda p: p.x))


def numbers(plot: Plot) -> list[tuple[str, ...]]:
    """A plot's numbers as a table, its head first, for those who cannot see the picture."""
    several = len(plot.series) > 1
    bounds = any(p.low is not None for s in plot.series for p in s.points)
    over = any(p.over is not None for s in plot.series for p in s.points)
    head = ["series"] * several + [plot.x, plot.y] + ["95% interval"] * bounds + ["over"] * over
    rows = []
    for series in plot.series:
        for p in series.points:
            at = plot.ticks[round(p.x)] if plot.ticks else f"{p.x:.3g}"
            row = [series.name] * several + [at, _told(p.value, plot)]
            row += [_interval(p, plot)] * bounds + [f"{p.over or 0:,}"] * over
            rows.append(tuple(row))
    return [tuple(head), *rows]


def _interval(p: Point, plot: Plot) -> str:
    if p.low is None or p.high is None:
        return "not known"
    return f"{_told(p.low, plot)} to {_told(p.high, plot)}"


def _told(value: float, plot: Plot) -> str:
    if plot.shares:
        return f"{value:.1%}"
    return f"{value:,.0f}" if plot.kind == "bars" else f"{value:.3f}"
