"""show.py - an audit as a person reads it: one table, the finding in three sentences, cautions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from labeler.audit.findings import Contrast, Findings, Row

if TYPE_CHECKING:
    from rich.console import Console

_COLUMNS = {
    "hard wrong": ("hard_wrong", ""),
    "false good": ("hard_false_good", ""),
    "false bad": ("hard_false_bad", ""),
    "soft rmse": ("soft_rmse", ""),
    "rank inverted": ("rank_inversion", ""),
    "found: zero": ("located_exact", "first_zero"),
    "found: bisect": ("located_exact", "bisection"),
    "found: post.": ("located_exact", "posterior"),
}
"""What the table shows of each N: measure and rule."""
_SIDES = ("first", "second")
_AGAINST = {"truth": "Against the truth", "pool": "Against all rollouts of the log"}
USUAL = 8
"""The N that two runs are compared at, where both pools are larger (Math-Shepherd's)."""
_SAID = {
    "label_exact": "first errors in the labels",
    "label_decided": "labels that are decided",
    "label_rollouts": "rollouts a solution",
    "label_tokens": "tokens a solution",
    "hard_wrong": "hard labels wrong",
    "hard_false_good": "wrong steps called good",
    "hard_false_bad": "correct steps called bad",
    "soft_rmse": "error of soft labels",
    "soft_reliability": "reliability of soft labels",
    "zero_share": "prefixes that look dead",
    "rank_inversion": "correct steps below a wrong one",
    "located_exact": "first errors found",
    "progress_sign": "progress with the wrong sign",
    "trace_error": "right answers with an error",
    "rises": "values that rise again",
}


def show(found: Findings, console: "Console") -> None:
    """Print the table, the sentences and the cautions."""
    console.print(_heading(found.run), soft_wrap=True)
    console.print(_table(found.rows))
    for sentence in found.sentences:
        _print(sentence, console)
    for caution in found.cautions:
        _print(f"- {caution}", console, "yellow")


def show_two(found: Sequence[Findings], contrasts: Sequence[Contrast], console: "Console") -> None:
    """Print two runs side by side, with the difference of each number."""
    for side, one in zip(_SIDES, found, strict=True):
        console.print(Text(f"{side} is {one.run['path']}"), soft_wrap=True)
        console.print(_heading(one.run), soft_wrap=True)
    console.print(_contrasts(contrasts))
    for side, one in zip(_SIDES, found, strict=True):
        for caution in one.cautions:
            _print(f"- {side}: {caution}", console, "yellow")


def _print(line: str, console: "Console", style: str = "") -> None:
    console.print(Text(line, style), soft_wrap=True)


def _heading(run: Mapping[str, object]) -> Text:
    facts = [f"{run[key]:,} {key}" for key in ("problems", "solutions", "rollouts")]
    pool = f"{run['pool']} rollouts of a prefix taken for many"
    return Text(f"{run['name']}: {', '.join(facts)}; {pool}")


def _table(rows: Sequence[Row]) -> Table:
    """One line for each N; against the truth where it is known, else against the pool."""
    whole = [row for row in rows if not row.group and row.value is not None]
    has_truth = any(row.reference == "truth" and row.measure == "hard_wrong" for row in whole)
    reference = "truth" if has_truth else "pool"
    held = {(r.measure, r.rule, r.n): r for r in whole if r.reference == reference}
    sizes = sorted({n for measure, _, n in held if measure == "hard_wrong" and n is not None})
    told = f"{_AGAINST[reference]}; found: share of first errors; ± half a 95% interval."
    table = Table(box=SIMPLE, pad_edge=False, caption=told, caption_justify="left")
    table.add_column("N", justify="right")
    shown = [name for name, place in _COLUMNS.items() if any((*place, n) in held for n in sizes)]
    for name in shown:
        table.add_column(name, justify="right", overflow="fold")
    for n in sizes:
        table.add_row(str(n), *(_cell(held.get((*_COLUMNS[name], n))) for name in shown))
    return table


def _cell(row: Row | None) -> str:
    """A number, and half the width of its interval."""
    if row is None or row.value is None:
        return ""
    if row.low is None or row.high is None:
        return _short(row.value)
    return f"{_short(row.value)} ±{_short((row.high - row.low) / 2)}"


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _contrasts(contrasts: Sequence[Contrast]) -> Table:
    told = "The second less the first, with its 95% interval, paired over problems."
    table = Table(box=SIMPLE, pad_edge=False, caption=told, caption_justify="left")
    table.add_column("", overflow="fold")
    for name in ("N", *_SIDES, "difference"):
        table.add_column(name, justify="right", overflow="fold")
    for one in _worth_showing(contrasts):
        row = one.first
        against = ", ".join(filter(None, (row.rule, row.reference)))
        said = f"{_SAID[row.measure]} ({against})" if against else _SAID[row.measure]
        values = (_number(side.value) for side in (one.first, one.second))
        table.add_row(said, "" if row.n is None else str(row.n), *values, _apart(one))
    return table


def _apart(one: Contrast) -> str:
    if one.difference is None or one.low is None or one.high is None:
        return _number(one.difference)
    digits = 1 if abs(one.difference) >= 10 else 3
    numbers = (f"{value:+.{digits}f}" for value in (one.difference, one.low, one.high))
    return "{} [{}, {}]".format(*numbers)


def _worth_showing(contrasts: Sequence[Contrast]) -> Iterator[Contrast]:
    """Over all solutions, each measure that has a name here at one N: the largest up to USUAL."""
    best: dict[tuple[str, str, str], Contrast] = {}
    for one in contrasts:
        row = one.first
        if row.measure not in _SAID or row.group or row.value is None or one.difference is None:
            continue
        key = row.measure, row.reference, row.rule
        n = row.n or 0
        held = best[key].first.n or 0 if key in best else 0
        if key not in best or held < n <= USUAL:
            best[key] = one
    order = list(_SAID)
    yield from sorted(best.values(), key=lambda one: order.index(one.first.measure))


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3f}"
