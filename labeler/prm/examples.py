"""examples.py - label shards, read through `datasets`, and benchmark files, as solutions to learn.

Streaming, so that nothing is written to a cache. A row that consensus filtering dropped (`keep` is
false) is left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from labeler.apps.row_files import all_rows, data_files
from labeler.formats import BadRowError, ProcessBench, Record
from labeler.model import LabelerError
from labeler.prm.settings import Labels
from labeler.problems import Rejected

_COLUMNS = (
    "problem_id", "question", "steps", "labels", "first_error", "first_error_posterior",
    "is_correct", "keep",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Example:
    """A solution of K steps."""

    problem_id: str
    question: str
    steps: tuple[str, ...]
    targets: tuple[float | None, ...]
    """(K,): the probability that each step is good; None: it says nothing."""
    first_error: int | None = None
    """By the labels; 1-based, 0 is none, None is undecided."""
    is_correct: bool | None = None

    @property
    def cut(self) -> "Example":
        """Without targets after the first error that the labels name."""
        first = self.first_error or len(self.steps)
        kept = (t if k <= first else None for k, t in enumerate(self.targets, 1))
        return replace(self, targets=tuple(kept))

    @property
    def says_something(self) -> bool:
        """Whether any step has a target."""
        return any(target is not None for target in self.targets)


@dataclass(frozen=True, slots=True)
class Found:
    """What a run's labels hold of one kind."""

    examples: tuple[Example, ...]
    """Solutions with at least one label of the kind."""
    dropped: int
    """Solutions that consensus filtering dropped."""
    unlabelled: int
    """Of the others, those without a label of the kind."""


def read_run(run: Path, labels: Labels) -> Found:
    """The solutions of a run with at least one label of this kind.

    Raises LabelerError where the directory has no labels, or none of this kind, and where a file
    among them is of another shape.
    """
    files = sorted((run / "labels").glob("*.parquet"))
    if not files:
        raise LabelerError(f"{run} has no labels/*.parquet: run `labeler run` or `label` first")
    held = [file for file in files if _count(file)]
    rows = _rows(held) if held else ()
    read = [None if row["keep"] is False else _example(row, labels) for row in rows]
    kept = [example for example in read if example is not None]
    examples = tuple(example for example in kept if example.says_something)
    if not read:
        raise LabelerError(f"the labels of {run} hold no solution: give the run problems first")
    if not kept:
        raise LabelerError(
            f"the consensus filter dropped all {len(read)} solutions of {run}: see "
            "`labeler consensus`"
        )
    if not examples:
        raise LabelerError(
            f"none of the {len(kept)} solutions of {run} that are kept has a step with a label of "
            f"kind {labels!r}: choose another kind, or label with more rollouts"
        )
    return Found(examples, len(read) - len(kept), len(kept) - len(examples))


def _count(file: Path) -> int:
    """How many solutions a file of labels has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        about = pq.read_metadata(file)
    except (OSError, pa.ArrowInvalid) as e:
        raise LabelerError(f"{file} cannot be read as Parquet: {e}") from e
    lacking = set(_COLUMNS) - set(about.schema.to_arrow_schema().names)
    if lacking:
        raise LabelerError(
            f"{file} holds no labels of labeler: it has no column {', '.join(sorted(lacking))}"
        )
    return int(about.num_rows)


def read_truth(path: Path) -> list[Record]:
    """Solutions whose first error is known: rows of ProcessBench in JSON, JSONL or Parquet.

    Of a folder, those of its files. Raises LabelerError naming the row where one has another shape.
    """
    found = []
    for read in all_rows(data_files(path)):
        if isinstance(read, Rejected):
            raise LabelerError(f"{read.position} is no row: {read.told}")
        position, row = read
        try:
            found += ProcessBench().read(row)
        except BadRowError as e:
            raise LabelerError(f"{position}: {e}") from e
    if not found:
        raise LabelerError(f"{path} has no rows")
    return found


def _rows(files: Sequence[Path]) -> Iterator[Mapping[str, Any]]:
    import datasets

    try:
        yield from datasets.load_dataset(
            "parquet",
            data_files=[str(f) for f in files],
            split="train",
            streaming=True,
            columns=list(_COLUMNS),
        )
    except (datasets.exceptions.DatasetsError, ValueError) as e:  # Arrow's errors are ValueErrors
        raise LabelerError(f"{files[0]} cannot be read as Parquet: {e}") from e


def _example(row: Mapping[str, Any], labels: Labels) -> Example:
    if labels == "sound":
        targets = sound(row["first_error_posterior"], len(row["steps"]))
    else:
        targets = tuple(_number(step[labels]) for step in row["labels"])
    if len(targets) != len(row["steps"]) or not all(t is None or 0 <= t <= 1 for t in targets):
        raise LabelerError(
            f"a solution of problem {row['problem_id']} has {len(row['steps'])} steps, and the "
            f"labels {targets}: each step needs one from 0 to 1, or none"
        )
    return Example(
        row["problem_id"],
        row["question"],
        tuple(row["steps"]),
        targets,
        row["first_error"],
        row["is_correct"],
    )


def sound(posterior: Sequence[Mapping[str, Any]] | None, steps: int) -> tuple[float | None, ...]:
    """(K,): for each step the probability that the first error, if any, comes after it.

    `posterior` has the likeliest places alone; their probabilities are scaled to sum to one.
    """
    if not posterior:
        return (None,) * steps
    places = {entry["step"] or steps + 1: entry["probability"] for entry in posterior}
    whole = sum(places.values())
    return tuple(
        sum(p for place, p in places.items() if place > k) / whole for k in range(1, steps + 1)
    )


def _number(value: float | bool | None) -> float | None:
    return None if value is None else float(value)
