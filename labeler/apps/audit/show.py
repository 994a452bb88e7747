"""show.py - an audit as a person reads it: one table, the finding in three sentences, cautions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from labeler.audit.findings import Contrast, Findings, Row

if TYPE_CHECKING:
    from rich.console import Console

_COLUMNS = {
    "hard\nwrong": ("hard_wrong", "", "of all hard labels"),
    "false\ngood": ("hard_false_good", "", "of wrong steps"),
    "false\nbad": ("hard_false_bad", "", "of correct steps"),
    "soft\nrmse": ("soft_rmse", "", "error of soft labels"),
    "rank\ninverted": ("rank_inversion", "", "correct steps below a wrong one"),
    "found:\nzero": ("located_exact", "first_zero", "first errors, by the first zero"),
    "found:\nbisect": ("located_exact", "bisection", "by bisection"),
    "found:\npost.": ("located_exact", "posterior", "by the posterior"),
}
"""What the table shows of each N: measure, rule and what it is."""
_SIDES = ("first", "second")
_AGAINST = {"truth": "against the truth", "pool": "against all rollouts of the log"}
_WIDE = 90
"""Columns of a terminal with room for gaps between those of the table."""
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
    _print(_heading(found.run), console)
    _print_table(found.rows, console)
    for sentence in found.sentences:
        _print(sentence, console)
    for caution in found.cautions:
        _print(f"- {caution}", console, "yellow")


def show_two(found: Sequence[Findings], contrasts: Sequence[Contrast], console: "Console") -> None:
    """Print two runs side by side, with the difference of each number."""
    for side, one in zip(_SIDES, found, strict=True):
        _print(f"{side} is {one.run['path']}", console)
        _print(_heading(one.run), console)
    console.print(_contrasts(contrasts))
    _print("The second less the first, with its 95% interval, paired over problems.", console)
    both = [caution for caution in found[0].cautions if caution in found[1].cautions]
    for caution in both:
        _print(f"- {caution}", console, "yellow")
    for side, one in zip(_SIDES, found, strict=True):
        for caution in one.cautions:
            if caution not in both:
                _print(f"- {side}: {caution}", console, "yellow")


def _print(line: str, console: "Console", style: str = "") -> None:
    """Wrapped at words for a person; a line for each sentence where it goes elsewhere."""
    console.print(Text(line, style), soft_wrap=not console.is_terminal)


def _heading(run: Mapping[str, Any]) -> str:
    facts = [_counted(run[f"{name}s"], name) for name in ("problem", "solution", "rollout")]
    whose = f", completer {run['prover']}" if run["prover"] else ""
    pool = _counted(run["pool"], "rollout")
    return f"{run['name']}{whose}: {', '.join(facts)}; pool: {pool} a prefix"


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"


def _print_table(rows: Sequence[Row], console: "Console") -> None:
    """One line for each N; against the truth where it is known, else against the pool.

    Nothing where there is no number for any N.
    """
    whole = [row for row in rows if not row.group and row.value is not None]
    has_truth = any(row.reference == "truth" and row.measure == "hard_wrong" for row in whole)
    reference = "truth" if has_truth else "pool"
    held = {(r.measure, r.rule, r.n): r for r in whole if r.reference == reference}
    sizes = sorted({n for measure, _, n in held if measure == "hard_wrong" and n is not None})
    shown = {
        name: place
        for name, place in _COLUMNS.items()
        if any((*place[:2], n) in held for n in sizes)
    }
    if not shown:
        return
    gap = 1 if console.width >= _WIDE else 0
    table = Table(box=SIMPLE, pad_edge=False, show_edge=False, padding=(0, gap, 0, 0))
    for name in ("N", *shown):
        table.add_column(name, justify="right", overflow="fold")
    for n in sizes:
        cells = ((held.get((*place[:2], n)), place[0]) for place in shown.values())
        table.add_row(str(n), *(_cell(row, measure) for row, measure in cells))
    console.print(table)
    names = (name.replace(":", "").replace("\n", " ") for name in shown)
    what = "; ".join(f"{name}: {of}" for name, (*_, of) in zip(names, shown.values(), strict=True))
    _print(f"In percent, {_AGAINST[reference]}; ±: half a 95% interval. {what}.", console)


def _cell(row: Row | None, measure: str) -> str:
    """A number, and half the width of its interval; both in percent."""
    if row is None or row.value is None:
        return ""
    digits = 0 if measure.startswith("located") else 1
    value = f"{100 * row.value:.{digits}f}"
    if row.low is None or row.high is None:
        return value
    return f"{value} ±{50 * (row.high - row.low):.{digits}f}"


def _contrasts(contrasts: Sequence[Contrast]) -> Table:
    table = Table(box=SIMPLE, pad_edge=False, show_edge=False)
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
    ends = (one.difference, one.low, one.high)
    numbers = (f"{round(end, digits) + 0.0:+.{digits}f}" for end in ends)  # no minus zero
    return "{} [{}, {}]".format(*numbers)


def _worth_showing(contrasts: Sequence[Contrast]) -> Iterator[Contrast]:
    """Over all solutions, each measure that has a name here at one N: the largest up to USUAL."""
    best: dict[tuple[str, str, str], Contrast] = {}
    for one in contrasts:
        row = one.first
        if row.measure not in _SAID or row.group or row.value is None or one.difference is None:
            continue
        if (row.measure, row.reference) == ("zero_share", "value"):
            continue  # a model's, beyond the pool
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
