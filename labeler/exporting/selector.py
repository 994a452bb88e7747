"""selector.py - what becomes of each row of labels: a row of the format in a split, or a Drop.

Pure, one row at a time. What it holds does not grow with the rows: a problem's rows stand together
in a run's labels, so that one that overlaps a benchmark is listed once, and only the last is held.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from labeler.exporting.options import ExportOptions
from labeler.exporting.overlap import Benchmarks, Hit
from labeler.exporting.records import Drop, LabelRow, record_of
from labeler.exporting.splits import Quota, Split, split_of
from labeler.formats.record import BadRowError, Format, Record


@dataclass(frozen=True, slots=True)
class Chosen:
    """A solution that is exported."""

    split: Split
    record: Record
    row: Mapping[str, Any]
    """As the format writes it."""

    @property
    def kind(self) -> tuple[Split, bool]:
        """What `balance` counts: the split, and whether there is an error."""
        return self.split, bool(self.record.first_error)


@dataclass(frozen=True, slots=True)
class Left:
    """A solution that is not exported."""

    drop: Drop
    listed: Mapping[str, Any] | None = None
    """What the list of such drops says of it; None where it is only counted, or listed already."""


class Selector:
    """Decides row by row."""

    def __init__(self, to: Format, options: ExportOptions, benchmarks: Benchmarks) -> None:
        self._to, self._options, self._benchmarks = to, options, benchmarks
        self._quotas: dict[tuple[Split, bool], Quota] = {}
        self._listed = ("", "")
        self._hit = lru_cache(maxsize=1024)(benchmarks.hit)

    def balance(self, rows: Iterable[LabelRow]) -> None:
        """Look at all rows once, so that those chosen afterwards are balanced in each split."""
        counts = Counter(found.kind for row in rows if isinstance(found := self._one(row), Chosen))
        self._quotas = {
            kind: Quota(min(n, counts[kind[0], not kind[1]]), n, self._options.seed)
            for kind, n in counts.items()
        }
        self._listed = ("", "")

    def choose(self, row: LabelRow) -> Chosen | Left:
        """What becomes of the next row."""
        found = self._one(row)
        if isinstance(found, Chosen) and self._quotas:
            quota = self._quotas.get(found.kind)
            taken = quota is not None and quota.takes(found.record.id)
            return found if taken else Left(Drop.BALANCE)
        return found

    def _one(self, row: LabelRow) -> Chosen | Left:
        question = row["question"]
        if (hit := self._hit(question)) is not None:
            return Left(Drop.CONTAMINATED, self._overlap(row, hit))
        record = record_of(row, self._options, self._to)
        if isinstance(record, Drop):
            return Left(record)
        try:
            written = self._to.write(record)
        except BadRowError as error:
            return Left(
                Drop.REFUSED,
                {
                    "solution_id": record.id,
                    "field": error.field_name,
                    "problem": error.problem,
                    "fix": error.fix,
                },
            )
        split = split_of(question, self._options.test_share, self._options.seed)
        return Chosen(split, record, written)

    def _overlap(self, row: LabelRow, hit: Hit) -> Mapping[str, Any] | None:
        """What decontaminated.jsonl says of a problem, the first time it is met."""
        problem = row["problem_id"], row["question"]
        if problem == self._listed:
            return None
        self._listed = problem
        return {
            "problem_id": row["problem_id"],
            "question": row["question"],
            "rule": hit.rule,
            "benchmark": hit.benchmark,
            "position": hit.position,
            "text": hit.text,
        }
