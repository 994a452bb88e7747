"""behind.py - what lies behind the embedded solutions: some rollouts of each prefix, the truth.

A unit's log is read in batches, and of these only the rows of the wanted prefixes are kept.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labeler.model import LabelerError, digest

if TYPE_CHECKING:
    from labeler.apps.truths import Name
    from labeler.config import RunConfig
    from labeler.files import RunDir
    from labeler.manifest import Entry

A_PREFIX = 4
"""Rollouts shown of a prefix: the first by index, which by chance are as good as any."""
_LOOKED_AT = 2 * A_PREFIX
"""Indices that are looked at, as some may lack a verdict."""
CHARS = 800
"""Characters shown of a rollout; a looping one would fill the page."""
_BATCH = 1 << 14
"""Rows of the log in memory at once, texts included."""

Shown = list[Any]
"""[index, outcome, reason, answer, tokens, text, characters of the whole text]."""
Item = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a solution's rollouts are in the log, and what is true of it."""

    gold_key: str
    keys: Mapping[str, int]
    """Which prefix, 0..K-1, each key stands for."""
    truth: int | None = None
    """The first error by the file of truths; None where that does not have it."""


def no_texts(config: "RunConfig") -> str:
    """Why a run's log holds no texts; empty where it does."""
    completer = config.completer
    if completer.kind != "recorded":
        return ""
    try:
        kept = completer.has_texts()
    except LabelerError:  # the pool is not there any more: the log is all there is
        return ""
    if kept:
        return ""
    return (
        "This run replays a recorded pool of verdicts: what the completer wrote is not in its "
        "log, so only counts can be shown."
    )


def places(
    run: "RunDir", config: "RunConfig", items: Mapping[str, Item], truths: "Mapping[Name, int]"
) -> "Iterator[tuple[Entry, dict[str, Place]]]":
    """The places of the embedded solutions, a unit at a time, then those of its search tree.

    Raises ConfigError where a truth names a step that the solution does not have, and FileError.
    """
    from labeler import manifest

    for entry in manifest.read(run).values():
        found = dict(_given(run, config, entry, items, truths))
        if entry.states:
            found |= _branches(run, entry, items)
        if found:
            yield entry, found


def _given(
    run: "RunDir",
    config: "RunConfig",
    entry: "Entry",
    items: Mapping[str, Item],
    truths: "Mapping[Name, int]",
) -> Iterator[tuple[str, Place]]:
    """Of the unit's given or generated solutions."""
    from labeler.apps.truths import known
    from labeler.labelling import tasks_of

    for task in tasks_of(config, run, entry.unit):
        steps: Sequence[int | None] = (
            known(task, truths) if truths else [None] * len(task.solutions)
        )
        for solution, truth in zip(task.solutions, steps, strict=True):
            if solution.id in items:
                keys = {task.prefix(solution, k).key: k for k in range(len(solution.steps))}
                yield solution.id, Place(task.problem.gold_key, keys, truth)


def _branches(run: "RunDir", entry: "Entry", items: Mapping[str, Item]) -> dict[str, Place]:
    """Of branches of search trees: of their prefixes those that the tree rolled out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from labeler.files import read_table

    wanted = [i for i in items.values() if i["generator"] == entry.completer]
    table = read_table(run.staged / entry.states, ["problem_id", "steps", "prefix_key"])
    problems = pa.array({item["problem"] for item in wanted}, pa.string())
    rows = table.filter(pc.is_in(table["problem_id"], problems)).to_pylist()
    states = {(row["problem_id"], *row["steps"]): row["prefix_key"] for row in rows}
    found = {}
    for item in wanted:
        begun = ((k, (item["problem"], *item["steps"][:k])) for k in range(len(item["steps"])))
        if keys := {states[at]: k for k, at in begun if at in states}:
            found[item["id"]] = Place(digest(item["gold"], size=8), keys)
    return found


def rollouts(
    run: "RunDir", entry: "Entry", held: Mapping[str, Place]
) -> Iterator[tuple[str, dict[int, list[Shown]]]]:
    """Of each of a unit's solutions the first rollouts with a verdict, by prefix.

    Raises FileError.
    """
    from labeler.files import parts

    keys = {key for place in held.values() for key in place.keys}
    verdicts = {
        (v["gold_key"], v["prefix_key"], v["index"]): v
        for v in _rows(parts(run.verdicts(entry.grader), entry.unit), _VERDICT, entry, keys)
    }
    texts: dict[str, dict[int, dict[str, Any]]] = {}
    for r in _rows(parts(run.rollouts, entry.unit), _ROLLOUT, entry, keys):
        texts.setdefault(r["prefix_key"], {}).setdefault(r["index"], r)
    for name, place in held.items():
        shown = {
            k: _shown(texts.get(key, {}), key, place, verdicts) for key, k in place.keys.items()
        }
        if shown := {k: rows for k, rows in shown.items() if rows}:
            yield name, shown


_ROLLOUT = ("prefix_key", "completer", "index", "text", "n_tokens")
_VERDICT = ("prefix_key", "completer", "index", "gold_key", "verdict", "reason", "answer")


def _shown(
    texts: Mapping[int, Mapping[str, Any]],
    key: str,
    place: Place,
    verdicts: Mapping[tuple[str, str, int], Mapping[str, Any]],
) -> list[Shown]:
    found = []
    for index in sorted(texts):
        if v := verdicts.get((place.gold_key, key, index)):
            r = texts[index]
            said = v["verdict"], v["reason"], v["answer"]
            found.append([index, *said, r["n_tokens"], r["text"][:CHARS], len(r["text"])])
    return found[:A_PREFIX]


def _rows(
    paths: Sequence[Path], columns: Sequence[str], entry: "Entry", keys: set[str]
) -> Iterator[dict[str, Any]]:
    """Rows of the wanted prefixes with a low index, under the unit's completer, batch by batch."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from labeler.files import FileError

    wanted = pa.array(keys, pa.string())
    for path in paths:
        try:
            for batch in pq.ParquetFile(path).iter_batches(_BATCH, columns=list(columns)):
                low = pc.less(batch["index"], _LOOKED_AT)
                few = batch.filter(pc.and_(low, pc.equal(batch["completer"], entry.completer)))
                yield from few.filter(pc.is_in(few["prefix_key"], wanted)).to_pylist()
        except (pa.ArrowException, OSError) as error:
            raise FileError(f"cannot read {path}: {error}.") from error
