"""pictures.py - every picture of a report, by its part of the page. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labeler.apps.report.curves import curves
from labeler.apps.report.plots import OF, Plot, Point, Row, Series, point

PARTS = ("noise", "labels", "calibration", "savings")
"""Parts of the page that have pictures."""
_TRIED = (8, 1)
"""Rollouts a prefix at which calibration is shown, the first that there is, and the most."""
_BIN = re.compile(r"bin=[\d.]+-[\d.]+$")


def pictures(
    rows: Sequence[Row], costs: Sequence[tuple[str, int]], options: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, Plot]]:
    """Each picture that there is a number for, with its part of the page.

    `costs` are rollouts by policy (savings.Spent), `options` those of the audit's advice.
    """
    by_part = {
        "noise": [*curves(rows), _profile(rows)],
        "labels": [_soft(rows)],
        "calibration": [_said_of_values(rows), _said_of_errors(rows)],
        "savings": [_spent(costs), _reached(options)],
    }
    for part, found in by_part.items():
        yield from ((part, plot) for plot in found if any(s.points for s in plot.series))


def _profile(rows: Sequence[Row]) -> Plot:
    """Mean value by distance to the first error."""
    names = {"truth": "first error by the truth", "located": "first error by the labels"}
    series = []
    for reference, name in names.items():
        of = [
            point(float(r["group"].removeprefix("offset=")), r)
            for r in rows
            if r["measure"] == "profile" and r["reference"] == reference
            if re.fullmatch(r"offset=-?\d+", r["group"]) and r["value"] is not None
        ]
        if of:
            series.append(Series(name, tuple(sorted(of, key=lambda p: p.x))))
    return Plot(
        "profile",
        "Value around the first error",
        "Mean value of the prefix that ends d steps after the first error; at d = 0 it ends with "
        "the first wrong step. What rises again is luck, or an error that did not matter.",
        "steps after the first error, d",
        "mean value",
        tuple(series),
        shares=False,
    )


def _soft(rows: Sequence[Row]) -> Plot:
    """The distribution of soft labels, by what is true of the step where that is known."""
    of = [r for r in rows if r["measure"] == "label_soft" and r["value"] is not None]
    kinds = {"step=good,": "good steps, by the truth", "step=bad,": "wrong steps, by the truth"}
    known = any(r["group"].startswith("step=") for r in of)
    bins = list(dict.fromkeys(r["group"].rpartition("bin=")[2] for r in of))
    series = []
    for kind, name in (kinds if known else {"": "steps"}).items():
        at = {r["group"]: r for r in of}
        held = ((i, at.get(f"{kind}bin={edge}")) for i, edge in enumerate(bins))
        series.append(Series(name, tuple(point(i, r) for i, r in held if r is not None)))
    return Plot(
        "labels",
        "Soft labels of steps",
        "How the steps that were rolled out spread over values. Hard labels need a pile at zero "
        "and another near one; what lies between is what they lose.",
        "soft label",
        "share of steps",
        tuple(series),
        "bars",
        tuple(bins),
    )


def _said_of_values(rows: Sequence[Row]) -> Plot:
    return Plot(
        "calibration-values",
        "Calibration of values",
        "The posterior mean of a value from N rollouts against the mean of the pool's other "
        "rollouts, in bands of what is said; on the diagonal they are the same.",
        "value, as said",
        "value, as found",
        tuple(_calibrated(rows, "")),
        "calibration",
        shares=False,
    )


def _said_of_errors(rows: Sequence[Row]) -> Plot:
    return Plot(
        "calibration-errors",
        "Calibration of first errors",
        "The probability that labels give the step which they name, against the share of these "
        "steps that is the first error by the truth. Labels speak of a drop in value, which need "
        "not be an error.",
        "probability, as said",
        "share that is right",
        tuple(_calibrated(rows, "posterior")),
        "calibration",
        shares=False,
    )


def _calibrated(rows: Sequence[Row], rule: str) -> Iterator[Series]:
    """What is found by what is said, at a few N; bands with too few problems are left out."""
    measures = ("calibration", "calibration_said")
    of = [r for r in rows if r["measure"] in measures and r["rule"] == rule]
    held = {(r["measure"], r["n"], r["group"]): r for r in of if _BIN.match(r["group"])}
    sizes = sorted({n for _, n, _ in held})
    shown = sorted({next((n for n in _TRIED if n in sizes), sizes[0]), sizes[-1]}) if sizes else []
    for n in shown:
        at = []
        for group in dict.fromkeys(group for _, _, group in held):
            found, said = (held.get((measure, n, group)) for measure in measures)
            if found and said and found["low"] is not None:
                at.append(point(said["value"], found))
        yield Series(f"N = {n}", tuple(sorted(at, key=lambda p: p.x)))


def _spent(costs: Sequence[tuple[str, int]]) -> Plot:
    """Rollouts by policy."""
    at = tuple(Point(i, n) for i, (_, n) in enumerate(costs))
    return Plot(
        "savings",
        "Rollouts by policy",
        "What this run spent, and what others would have spent on the same solutions. Exhaustive "
        "search rolls out every prefix of every solution; scan and bisection look for the first "
        "error of wrong answers alone.",
        "policy",
        "rollouts",
        (Series("rollouts", at),),
        "bars",
        tuple(name for name, _ in costs),
        shares=False,
    )


def _reached(options: Sequence[Mapping[str, Any]]) -> Plot:
    """Error by cost, of each policy with its rule."""
    kinds = dict.fromkeys((o["policy"], o["rule"]) for o in options)
    reference = next((f", {OF[o['reference']]}" for o in options if o["reference"] in OF), "")
    series = []
    for policy, rule in kinds:
        of = [o for o in options if (o["policy"], o["rule"]) == (policy, rule)]
        at = (Point(o["tokens"], o["error"], o["low"], o["high"]) for o in of)
        name = policy if policy in ("scan", "bisection") else f"{policy}, {rule.replace('_', ' ')}"
        series.append(Series(name, tuple(sorted(at, key=lambda p: p.x))))
    return Plot(
        "reached",
        "First errors missed, by cost",
        f"Each policy with more and more rollouts or confidence{reference}; solutions with a wrong "
        "answer. Further down and to the left is better.",
        "tokens a solution",
        "share of first errors missed",
        tuple(series),
        "cost",
    )
