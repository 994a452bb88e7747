"""rows.py - what can be said of a row without a tokenizer: labels, shape, tags, round trip.

The round trip is exact where a row is one solution's that the format writes; else each solution is
written as a row of its own and read again, and the row is counted among those that were not
themselves (see Partly).

The first fault of a row ends the look at it, since those that would follow follow from it.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labeler.apps.validate.faults import Kind, Partly
from labeler.apps.validate.texts import tagged
from labeler.exporting import only_read
from labeler.formats import BadRowError, Format, Prm800k, Record, Row
from labeler.formats.prm800k import plain

LABELS: Mapping[str, str] = {
    "trl": "labels",
    "openrlhf": "label",
    "scan": "scores",
    "qwen": "labels",
}
"""The column with a list of labels, of formats that have one."""


_SOFT = "soft labels"


@dataclass(frozen=True, slots=True)
class Found:
    """A fault of a row whose place is known."""

    kind: Kind
    field: str
    problem: str
    fix: str


class RowCheck:
    """Looks at rows one by one; it remembers what kind of labels the first one has, and ids."""

    def __init__(self, fmt: Format) -> None:
        self._format = fmt
        self._only_read = bool(only_read(fmt))
        self._sort: str | None = None
        self._ids: set[int] = set()
        """Hashes, 8 bytes each, of the ids of solutions, in formats that have them."""
        self.partly: Counter[Partly] = Counter()
        """Rows whose round trip could not be that of the row itself."""

    def look(self, row: Row) -> tuple[list[Record], Found | None]:
        """The row's solutions, and the first fault that there is."""
        if (found := _unwritable(row) or self._labels(row) or self._tags(row)) is not None:
            return [], found
        try:
            records = self._format.read(row)
        except BadRowError as error:
            return [], Found(Kind.SHAPE, error.field_name, error.problem, error.fix)
        return records, self._doubled(records) or self._round_trip(row, records)

    def _doubled(self, records: Sequence[Record]) -> Found | None:
        """An id that another row has."""
        for key, name in ((hash(record.id), record.id) for record in records if record.id):
            if key in self._ids:
                return Found(
                    Kind.DOUBLED,
                    "id",
                    f"an earlier row has {_short(repr(name))}, too",
                    "Give every solution an id of its own: predictions are joined by it.",
                )
            self._ids.add(key)
        return None

    def _labels(self, row: Row) -> Found | None:
        """Soft labels where none may be, and labels of several kinds, in a row or between rows."""
        name = LABELS.get(self._format.name, "")
        labels = row.get(name)
        if not isinstance(labels, Sequence) or isinstance(labels, str) or not labels:
            return None  # what it is instead, the reader says
        soft = self._format.carries_soft
        sorts = sorted({_sort(label, soft=soft) for label in labels})
        if _SOFT in sorts:
            value = next(label for label in labels if _sort(label, soft=soft) == _SOFT)
            return Found(
                Kind.SOFT,
                name,
                f"{value} is a soft label, and the trainer rounds it down or refuses it",
                "Export hard labels, or write soft ones in a format that keeps them.",
            )
        if len(sorts) > 1:
            return Found(
                Kind.MIXED, name, f"labels of several kinds: {', '.join(sorts)}", "Write one kind."
            )
        self._sort = self._sort or sorts[0]
        if sorts[0] != self._sort:
            return Found(
                Kind.MIXED, name, f"{sorts[0]}, where the first row has {self._sort}",
                "Write one kind in all rows.",
            )  # fmt: skip
        return None

    def _tags(self, row: Row) -> Found | None:
        """The tag or separator of the format inside a text."""
        for one in tagged(self._format, row):
            if (there := one.text.count(one.tag)) > one.wanted:
                return Found(
                    Kind.TAG,
                    one.field,
                    f"{one.tag!r}, which ends a step for the trainer, stands in it {there} times, "
                    f"not {one.wanted}: labels shift",
                    "Replace it in the text, or leave the solution out.",
                )
        return None

    def _round_trip(self, row: Row, records: Sequence[Record]) -> Found | None:
        """Whether our reader and writer give the row back, or else its solutions."""
        if (why := self._not_itself(row, records)) is not None:
            self.partly[why] += 1
            return None if why is Partly.ONLY_READ else self._one_by_one(records)
        try:
            written = self._format.write(records[0])
        except BadRowError as error:
            return Found(Kind.ROUND_TRIP, error.field_name, error.problem, error.fix)
        names = [*row, *(name for name in written if name not in row)]
        for name in names:
            was, now = _shown(row, name), _shown(written, name)
            if was != now:
                return Found(
                    Kind.ROUND_TRIP,
                    name,
                    f"it is {_short(was)}, and read and written again {_short(now)}",
                    "Write it as the second.",
                )
        return None

    def _not_itself(self, row: Row, records: Sequence[Record]) -> Partly | None:
        """Why the row itself cannot be written; None where it can."""
        if self._only_read:
            return Partly.ONLY_READ
        if not any(map(_says_something, records)):
            return Partly.NONE
        if len(records) > 1:
            return Partly.SEVERAL
        rated = isinstance(self._format, Prm800k)
        return Partly.UNEVEN if rated and not plain(row) else None

    def _one_by_one(self, records: Sequence[Record]) -> Found | None:
        """Whether each solution, written as a row of its own, is read as itself."""
        for record in filter(_says_something, records):
            try:
                [again] = self._format.read(self._format.write(record))
            except BadRowError as error:
                return Found(Kind.ROUND_TRIP, error.field_name, error.problem, error.fix)
            same = (again.question, again.steps, again.gold, again.hard, again.soft)
            if same != (record.question, record.steps, record.gold, record.hard, record.soft):
                return Found(
                    Kind.ROUND_TRIP,
                    "row",
                    f"a solution of {len(record.steps)} steps is another one when it is written "
                    "and read again",
                    "Write it as a row of its own.",
                )
        return None


def _unwritable(row: Row) -> Found | None:
    """The column that no UTF-8 file can hold: JSON can spell half of a surrogate pair."""
    for name in row:
        try:
            f"{name}{_shown(row, name)}".encode()
        except UnicodeEncodeError:
            return Found(
                Kind.SHAPE,
                str(name).encode("utf-8", "backslashreplace").decode(),
                "it holds half of a surrogate pair, which no tokenizer takes",
                "Mend the text, or leave the row out.",
            )
        except RecursionError:
            return Found(Kind.SHAPE, name, "it is nested too deep", "Leave the row out.")
    return None


def _says_something(record: Record) -> bool:
    """Whether there is a label: not so of PRM800K's completions without a rating."""
    labels = (*(record.hard or ()), *(record.soft or ()), record.first_error, record.is_correct)
    return any(label is not None for label in labels)


def _sort(label: object, *, soft: bool) -> str:
    """What kind of label it is; where soft labels may be, every number is one."""
    if isinstance(label, bool):
        return "true or false"
    if isinstance(label, int | float):
        return "numbers" if soft else "0 or 1" if label in (0, 1) else _SOFT
    return "nothing" if label is None else "texts" if isinstance(label, str) else "objects"


def _shown(row: Mapping[str, Any], name: str) -> str:
    if name not in row:
        return "not there"
    return json.dumps(row[name], ensure_ascii=False, sort_keys=True, default=repr)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80]}..."
