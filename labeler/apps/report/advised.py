"""advised.py - what the audit advises, and what it found wrong, as the template takes it. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labeler.apps.report.words import clock, count, gain, percent

Found = Mapping[str, Any]
"""Findings.as_dict(), or a part of it."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of several columns, every cell as it is shown."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def unaudited(why: str) -> Found:
    """What stands for the findings of a run that has nothing to audit."""
    run = {"rollouts": None, "tokens": None, "seed": 0}
    said = why[0].upper() + why[1:]
    return {
        "run": run, "rows": (), "causes": (), "advice": None, "sentences": (),
        "cautions": (f"{said}.",),
    }  # fmt: skip


def causes(found: Found) -> list[dict[str, Any]]:
    """Causes of wrong labels, the most frequent first."""
    rows = [
        {
            "name": cause["name"].replace("_", " "),
            "what": cause["what"],
            "count": cause["count"],
            "of": cause["of"],
            "part": cause["count"] / cause["of"] if cause["of"] else None,
            "examples": [{"id": e["solution_id"], "step": e["step"]} for e in cause["examples"]],
        }
        for cause in found["causes"]
    ]
    return sorted(rows, key=lambda cause: -(cause["part"] or 0.0))


def advice(found: Found) -> list[Grid]:
    """What the stated error needs, what a doubling buys, which policies were weighed."""
    held = found["advice"]
    if held is None:
        return []
    grids = [
        Grid(
            f"To flip at most {held['max_flip']:.0%} of hard labels",
            ("what", "how much"),
            tuple(_needed(held)),
        )
    ]
    if held["doublings"]:
        head = (
            "from N to 2N",
            "labels flipped",
            "reliability",
            "first errors found",
            "rollouts",
            "tokens",
        )
        grids.append(
            Grid("What each doubling buys", head, tuple(map(_doubling, held["doublings"])))
        )
    if best := _frontier(held["options"]):
        columns = ("policy", "N", "first errors missed", "rollouts a solution", "tokens a solution")
        rows = tuple(map(_option, best))
        grids.append(Grid("The best policy at each cost", columns, rows))
    return grids


def _frontier(options: Sequence[Found]) -> list[Found]:
    """Those that miss fewer first errors than every cheaper one."""
    best: list[Found] = []
    for option in sorted(options, key=lambda o: (o["tokens"], o["error"])):
        if not best or option["error"] < best[-1]["error"]:
            best.append(option)
    return best


def _needed(held: Found) -> Iterator[tuple[str, str]]:
    modelled = " (by the model)" if held["is_modelled"] else ""
    yield (
        "rollouts a prefix, N",
        "no N that was tried" if held["n"] is None else f"{held['n']}{modelled}",
    )
    yield "labels flipped there", percent(held["flip"])
    yield "rollouts", count(held["rollouts"])
    yield "tokens", count(held["tokens"])
    yield "engine time", clock(held["engine_hours"])
    most = f"{held['max_flip']:.0%}"
    yield f"cheapest policy that misses at most {most} of first errors", _chosen(held["choice"])


def _chosen(choice: Found | None) -> str:
    return "none that was weighed" if choice is None else f"{_policy(choice)}, N = {choice['n']}"


def _doubling(row: Found) -> tuple[str, ...]:
    modelled = " (model)" if row["is_modelled"] else ""
    gains = (percent(row["flips"]), gain(row["reliability"]), gain(row["located"]))
    return (
        f"{row['n']} to {2 * row['n']}{modelled}",
        *gains,
        f"+{count(row['rollouts'])}",
        f"+{count(row['tokens'])}",
    )


def _option(row: Found) -> tuple[str, ...]:
    costs = f"{row['rollouts']:,.1f}", f"{row['tokens']:,.0f}"
    return _policy(row), str(row["n"]), _ranged(row["error"], row), *costs


def _policy(row: Found) -> str:
    """A policy by name; scan and bisection have a rule of their own."""
    sure = "" if row["confidence"] is None else f", confidence {row['confidence']:g}"
    has_own = row["policy"] in ("scan", "bisection")
    rule = "" if has_own else f", rule {row['rule'].replace('_', ' ')}"
    return f"{row['policy']}{sure}{rule}"


def _ranged(value: float | None, row: Found) -> str:
    """A share with its interval."""
    if row["low"] is None or row["high"] is None:
        return percent(value)
    interval = f"({row['low']:.1%} to {row['high']:.1%})".replace(" ", "\N{NO-BREAK SPACE}")
    return f"{percent(value)} {interval}"


_CHECKS = {
    "trace_error": "right answers with a first error: the answer alone would call every step good",
    "rises": "chains whose value rises again after the first error: binary search assumes none",
}
_MOST = 16
_BY = {"truth": "the truth", "located": "the labels"}


def checks(found: Found) -> Grid | None:
    """Shares that tell whether what labels assume holds: over all, then for large groups."""
    of = [r for r in found["rows"] if r["measure"] in _CHECKS and r["value"] is not None]
    of.sort(key=lambda r: (bool(r["group"]), -r["over"]))
    rows = tuple(
        (
            _CHECKS[row["measure"]],
            _BY.get(row["reference"], row["reference"]),
            row["group"].replace("=", " ") or "all",
            _ranged(row["value"], row),
            f"{row['over']:,}",
        )
        for row in of[:_MOST]
    )
    head = ("share of", "first error by", "which", "share (95% interval)", "of")
    return Grid("What labels assume", head, rows) if rows else None
