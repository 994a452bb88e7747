"""inspect.py - `labeler inspect`: labelled solutions, step by step, for a person to read.

Reading (labels and, where wanted, rollouts) comes first, formatting is pure. A value's colour
runs from orange (0) to blue (1), which colour-blind readers tell apart, and its number stands
beside it, so that nothing depends on colours. Text from the data is shown as text: neither
markup nor terminal codes in it do anything.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from labeler.model import LabelerError, Prefix, digest

if TYPE_CHECKING:
    from labeler.files import RunDir

Row = Mapping[str, Any]

_SCALE = ("#d55e00", "#e69f00", "#999999", "#56b4e9", "#0072b2")
"""Okabe and Ito's colours, from orange to blue."""
_LONG = 2000
"""Characters of one rollout shown at most; a looping completion would fill the screen."""


class InspectError(LabelerError):
    """There is nothing to show."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A rollout with its verdict, as it is shown."""

    index: int
    text: str
    outcome: str
    reason: str
    answer: str | None


def inspect(
    run_dir: Path, solution: str | None, count: int, rollouts: int, console: Console
) -> None:
    """Show one solution by its id, or `count` (those with an error first), with some rollouts.

    Raises InspectError where the run, its labels or the solution does not exist.
    """
    from labeler.files import RunDir

    run = RunDir(run_dir)
    for row in _labels(run, solution, count):
        seen = _rollouts(run, row, rollouts) if rollouts else {}
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
    yield from _rollout_lines(seen.get(0, ()))
    for k, (text, step) in enumerate(zip(row["steps"], row["labels"], strict=True), 1):
        yield step_text(k, text, step, row["first_error"])
        yield _indented(step_numbers(step, whole=k == len(row["steps"])))
        yield from _rollout_lines(seen.get(k, ()))
    for failure in row["failures"] or ():
        yield Text(f"prefix {failure['step']} failed: {_plain(failure['cause'])}", "bold")
    yield Text()


def header(row: Row) -> Text:
    """The gold, the solution's own answer, and where its first error is."""
    own = {True: "right", False: "wrong", None: "ungradable"}[row["is_correct"]]
    answer = "none" if row["answer"] is None else _plain(row["answer"])
    error = {None: "undecided", 0: "none"}.get(row["first_error"], f"step {row['first_error']}")
    facts = {
        "gold": _plain(row["gold"]),
        "own answer": f"{answer} ({own})",
        "first error": error,
        "rollouts": f"{row['n_rollouts']:,}",
    }
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
    return line


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


def _rollouts(run: "RunDir", row: Row, count: int) -> dict[int, list[Seen]]:
    """The first `count` rollouts of each prefix of a solution that have a verdict, by prefix."""
    from labeler import manifest
    from labeler.files import ROLLOUTS, VERDICTS, parts

    entries = manifest.read(run).values()
    completers = sorted({e.completer for e in entries})
    steps = {key: k for k, key in enumerate(_prefix_keys(run, row))}
    wanted = {"prefix_key": list(steps), "completer": completers}
    verdict_parts = [p for e in entries for p in parts(run.verdicts(e.grader), e.unit)]
    of_gold = {**wanted, "gold_key": [digest(row["gold"], size=8)]}
    verdicts = {_at(v): v for v in _matching(verdict_parts, VERDICTS.names, of_gold)}
    found: dict[int, dict[int, Seen]] = {}
    for r in _matching(parts(run.rollouts), ROLLOUTS.names, wanted):
        if v := verdicts.get(_at(r)):
            seen = Seen(r["index"], r["text"], v["verdict"], v["reason"], v["answer"])
            found.setdefault(steps[r["prefix_key"]], {}).setdefault(seen.index, seen)
    return {k: [by[i] for i in sorted(by)[:count]] for k, by in found.items()}


def _at(row: Row) -> tuple[str, str, int]:
    return row["completer"], row["prefix_key"], row["index"]


def _prefix_keys(run: "RunDir", row: Row) -> list[str]:
    """The log's keys of prefixes 0..K-1, from the solution as it was stored."""
    from labeler.apps.label import read_config
    from labeler.files import parts

    template = read_config(run).prompt.digest
    columns = ["solution_id", "steps", "separators"]
    found = _matching(parts(run.solutions), columns, {"solution_id": [row["solution_id"]]})
    for stored in found:
        pieces = ["".join(p) for p in zip(stored["steps"], stored["separators"], strict=True)]
        texts = ("".join(pieces[:k]) for k in range(len(pieces)))
        return [Prefix(row["question"], t, k, template).key for k, t in enumerate(texts)]
    raise InspectError(
        f"solution {row['solution_id']!r} is in {run.labels}, not in {run.solutions}"
    )


def _matching(
    paths: Sequence[Path], columns: Sequence[str], wanted: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, Any]]:
    """Rows whose columns have one of the wanted values, a file in memory at a time."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from labeler.files import read_table

    for path in paths:
        table = read_table(path, columns)
        for name, values in wanted.items():
            table = table.filter(pc.is_in(table[name], pa.array(values, pa.string())))
        yield from table.to_pylist()
