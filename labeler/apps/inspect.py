"""inspect.py - `labeler inspect`: labelled solutions, step by step, for a person to read.

Reading (labels and, where wanted, rollouts) comes first, formatting is pure. A value's colour
runs from orange (0) to blue (1), which colour-blind readers tell apart, and its number stands
beside it, so that nothing depends on colours. Text from the data is shown as text: neither
markup nor terminal codes in it do anything.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from labeler.apps.seen import InspectError, Row, Seen, rollouts_of

if TYPE_CHECKING:
    from labeler.files import RunDir

_SCALE = ("#d55e00", "#e69f00", "#999999", "#56b4e9", "#0072b2")
"""Okabe and Ito's colours, from orange to blue."""
_LONG = 2000
"""Characters of one rollout shown at most; a looping completion would fill the screen."""


def inspect(
    run_dir: Path, solution: str | None, count: int, rollouts: int, console: Console
) -> None:
    """Show one solution by its id, or `count` (those with an error first), with some rollouts.

    Raises InspectError where the run, its labels or the solution does not exist.
    """
    from labeler.files import RunDir

    run = RunDir(run_dir)
    for row in _labels(run, solution, count):
        seen = rollouts_of(run, row, rollouts) if rollouts else {}
        for line in lines(row, seen):
            console.print(line)


def lines(row: Row, seen: Mapping[int, Sequence[Seen]]) -> Iterator[Text | Padding]:
    """One solution: the question, what its own answer is, then each step.

    `row` is a row of labels/*.parquet; `seen` holds rollouts by prefix.
    """
    yield Text(f"solution {_plain(row['solution_id'])}", "bold underline")
    yield Text(_plain(row["question"]))
    yield header(row)
    yield _indented(Text("prefix 0  ").append(value_text(row["value_0"])))
    yield from map(_indented, prover_texts(row.get("provers_0")))
    yield from _rollout_lines(seen.get(0, ()))
    for k, (text, step) in enumerate(zip(row["steps"], row["labels"], strict=True), 1):
        yield step_text(k, text, step, row["first_error"])
        yield _indented(step_numbers(step, whole=k == len(row["steps"])))
        yield from map(_indented, prover_texts(step["provers"]))
        yield from _rollout_lines(seen.get(k, ()))
    for failure in row["failures"] or ():
        yield Text(f"prefix {failure['step']} failed: {_plain(failure['cause'])}", "bold")
    yield Text()


def header(row: Row) -> Text:
    """The gold, the solution's own answer, and where its first error is."""
    own = {True: "right", False: "wrong", None: "ungradable"}[row["is_correct"]]
    answer = "none" if row["answer"] is None else _plain(row["answer"])
    error = {None: "undecided", 0: "none"}.get(row["first_error"], f"step {row['first_error']}")
    if row["first_error_confidence"] is not None:
        error += f" ({row['first_error_confidence']:.2f})"
    facts = {
        "gold": _plain(row["gold"]),
        "own answer": f"{answer} ({own})",
        "first error": error,
        "rollouts": f"{row['n_rollouts']:,}",
    }
    if row.get("keep") is not None:  # a judge was asked
        facts["judge"] = {None: "names nothing", 0: "none"}.get(
            row["judge_first_error"], f"step {row['judge_first_error']}"
        )
        facts["kept"] = "yes" if row["keep"] else f"no ({_plain(row['drop_reason'])})"
    return Text("  ").join(Text.assemble((f"{k} ", "dim"), (v, "bold")) for k, v in facts.items())


def step_text(k: int, text: str, step: Row, first_error: int | None) -> Text:
    """A step's own text, numbered, coloured by its value, the first error marked."""
    value = step["soft"] if step["soft"] is not None else step["soft_posterior"]
    line = Text.assemble((f"{k:>3} ", "dim"), (_plain(text).rstrip("\n"), colour(value)))
    if k == first_error:
        line.append("  ")
        line.append("<- first error", "bold reverse")
    return line


def step_numbers(step: Row, *, whole: bool = False) -> Text:
    """A step's value with interval, progress, and target; what is not measured says so.

    The value of a `whole` solution is its own answer's verdict, not a share of rollouts.
    """
    line = own_text(step) if whole and step["soft"] is not None else value_text(step)
    if step["soft"] is None and step["soft_posterior"] is not None:
        ends = f"[{step['credible_low']:.2f}, {step['credible_high']:.2f}]"
        line.append(f", posterior {step['soft_posterior']:.2f} {ends}")
    if step["progress"] is not None:
        line.append(f"  progress {step['progress']:+.2f}")
    line.append({True: "  target true", False: "  target false", None: "  target "}[step["target"]])
    if step["basis"] != "measured":
        line.append(step["basis"] if step["target"] is None else f" ({step['basis']})", "italic")
    if step.get("rating") is not None:  # columns that older label sets lack
        line.append(f"  rating {step['rating']:+d}" if step["rating"] else "  rating 0")
    if step.get("weighted") is not None:
        line.append(f"  weighted {step['weighted']:.2f}")
    return line


def prover_texts(provers: Sequence[Row] | None) -> Iterator[Text]:
    """A line for each further prover: the value under it, and progress."""
    for prover in provers or ():
        line = Text.assemble((f"{_plain(prover['prover'])}  ", "dim"), value_text(prover))
        if prover["progress"] is not None:
            line.append(f"  progress {prover['progress']:+.2f}")
        yield line


def value_text(value: Row) -> Text:
    """A measured value with its interval and counts."""
    if value["soft"] is None:
        return Text("not measured", "dim")
    line = Text(f"{value['soft']:.2f}", f"bold {colour(value['soft'])}")
    return (
        Text()
        .append(line)
        .append(f" [{value['low']:.2f}, {value['high']:.2f}] {value['correct']}/{value['n']}")
    )


def own_text(step: Row) -> Text:
    """The value of a whole solution."""
    value = Text(f"{step['soft']:.2f}", f"bold {colour(step['soft'])}")
    return Text().append(value).append(" its own answer")


def colour(value: float | None) -> str:
    """A style for a value in [0, 1]; dim where there is none."""
    if value is None:
        return "dim"
    return _SCALE[min(int(value * len(_SCALE)), len(_SCALE) - 1)]


def rollout_text(seen: Seen) -> Text:
    """A rollout: its verdict, then its text, cut where it is very long."""
    reason = "" if seen.reason in ("match", "wrong") else f" ({seen.reason})"
    answer = "" if seen.answer is None else f", answer {_plain(seen.answer)}"
    text = _plain(seen.text).strip("\n")
    shown = text if len(text) <= _LONG else f"{text[:_LONG]} ... ({len(text):,} characters)"
    head = f"#{seen.index} {seen.outcome}{reason}{answer}: "
    return Text.assemble((head, "bold"), (shown, "dim"))


def _rollout_lines(seen: Sequence[Seen]) -> Iterator[Padding]:
    return (_indented(rollout_text(s), 6) for s in seen)


def _indented(text: Text, by: int = 4) -> Padding:
    return Padding(text, (0, 0, 0, by))


def _plain(text: str) -> str:
    """The text with control characters (other than newline and tab) made visible."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def _labels(run: "RunDir", solution: str | None, count: int) -> Iterator[Row]:
    """Label rows, a file in memory at a time."""
    from labeler.files import parts, read_rows

    if not run.root.is_dir():
        raise InspectError(f"there is no run at {run.root}")
    paths = parts(run.labels) if run.labels.is_dir() else []
    if not paths:
        raise InspectError(f"{run.root} has no labels yet: `labeler run` publishes them")
    shown = 0
    for row in (row for path in paths for row in _errors_first(read_rows([path]))):
        if solution not in (None, row["solution_id"]):
            continue
        yield row
        shown += 1
        if shown >= (count if solution is None else 1):
            return
    if not shown:
        which = "" if solution is None else f" {solution!r}"
        raise InspectError(f"{run.root} has no labelled solution{which}")


def _errors_first(rows: Iterable[Row]) -> list[Row]:
    """Solutions with a located first error before the others: there is more to see."""
    return sorted(rows, key=lambda row: not row["first_error"])
