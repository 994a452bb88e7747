"""seen.py - the rollouts behind one labelled solution, found in a run's tables for `inspect`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labeler.model import LabelerError, Prefix, digest

if TYPE_CHECKING:
    from labeler.files import RunDir

Row = Mapping[str, Any]


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


def rollouts_of(run: "RunDir", row: Row, count: int) -> dict[int, list[Seen]]:
    """The first `count` rollouts of each prefix of a solution that have a verdict, by prefix."""
    from labeler import manifest
    from labeler.files import ROLLOUTS, VERDICTS, parts

    entries = manifest.read(run).values()
    completers = sorted({e.completer for e in entries})
    steps = _prefix_keys(run, row)
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


def _prefix_keys(run: "RunDir", row: Row) -> dict[str, int]:
    """Which prefix of the solution, 0..K-1, each of the log's keys stands for.

    A solution that was given or generated is stored, and so has them all; of a branch of a search
    tree those that were rolled out are among the tree's states.
    """
    from labeler.apps.label import read_config
    from labeler.files import parts

    template = read_config(run).prompt.digest
    columns = ["solution_id", "steps", "separators"]
    found = _matching(parts(run.solutions), columns, {"solution_id": [row["solution_id"]]})
    for stored in found:
        pieces = ["".join(p) for p in zip(stored["steps"], stored["separators"], strict=True)]
        texts = ("".join(pieces[:k]) for k in range(len(pieces)))
        return {Prefix(row["question"], t, k, template).key: k for k, t in enumerate(texts)}
    of_problem = {"problem_id": [row["problem_id"]]}
    states = _matching(parts(run.states), ["problem_id", "steps", "prefix_key"], of_problem)
    begun = {
        state["prefix_key"]: len(state["steps"])
        for state in states
        if state["steps"] == row["steps"][: len(state["steps"])]
    }
    if begun:
        return begun
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
