r"""orm.py - rows for an outcome reward model or a value model: the outcome, and a value a step end.

{"question": "What is 2+2?", "solution": "2+2 = 5.\nSo 5.", "is_correct": false,
 "step_ends": [8, 14], "values": [0.125, 0.0]}

`step_ends` are offsets in characters of `solution`, each just behind a step's text; `values` are
the completer's there, null where nothing is known. A trainer makes its token targets of these: with
is_correct at every token it is the token-level verifier of Cobbe et al. 2021, with
values at the tokens that hold a step's last character a value model, with is_correct at the last
one an outcome model.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

from labeler.formats import fields
from labeler.formats.record import BadRowError, FileKind, Record, Row

_OWN = ("question", "solution", "is_correct", "step_ends", "values")


@dataclass(frozen=True, slots=True)
class Orm:
    """Outcome and values. Carries question, steps, the own answer's verdict, and soft labels."""

    separator: str = "\n"
    """What stands between two steps in `solution`; the offsets say where, so steps may hold it."""
    name: str = "orm"
    file: FileKind = "jsonl"
    carries_soft: bool = True

    def read(self, row: Row) -> list[Record]:
        """One solution. Raises BadRowError."""
        steps = self._steps(fields.text(row, "solution"), fields.many(row, "step_ends"))
        values = fields.many(row, "values")
        fields.as_long("values", values, len(steps))
        return [
            Record(
                question=fields.text(row, "question"),
                steps=steps,
                is_correct=fields.flag("is_correct", fields.get(row, "is_correct")),
                soft=_values(values),
                extra=fields.rest(row, *_OWN),
            )
        ]

    def write(self, record: Record) -> dict[str, Any]:
        """One row. Raises BadRowError without values, or where the own answer was not graded."""
        fields.wanted(record)
        if record.is_correct is None:
            raise BadRowError(
                "is_correct", "the own answer was not graded", "Leave the solution out."
            )
        if record.soft is None:
            raise BadRowError("values", "no values of steps", "Export values of steps.")
        fields.as_long("values", record.soft, len(record.steps))
        lengths = (len(step) for step in record.steps)
        ends = accumulate(lengths, lambda end, length: end + len(self.separator) + length)
        own = {
            "question": record.question,
            "solution": self.separator.join(record.steps),
            "is_correct": record.is_correct,
            "step_ends": list(ends),
            "values": list(_values(record.soft)),
        }
        return fields.beside(own, record.extra)

    def _steps(self, solution: str, ends: Iterable[Any]) -> tuple[str, ...]:
        """The texts of the steps. Raises BadRowError for ends that fit no solution."""
        steps: list[str] = []
        start = 0
        for i, end in enumerate(ends):
            is_place = isinstance(end, int) and not isinstance(end, bool)
            if not is_place or not start <= end <= len(solution):
                raise BadRowError(f"step_ends[{i}]", f"{end!r} is no end of a step", "Mend it.")
            steps.append(solution[start:end])
            start = end + len(self.separator)
        whole = self.separator.join(steps)
        if not steps or whole != solution:
            raise BadRowError(
                "step_ends",
                f"steps that end there, {self.separator!r} between them, are not the solution",
                "Let each end stand behind its step, the last one at the solution's end.",
            )
        return tuple(steps)


def _values(values: Iterable[Any]) -> tuple[float | None, ...]:
    return tuple(
        None if v is None else fields.number(f"values[{i}]", v) for i, v in enumerate(values)
    )


def orm_rows(
    labels: Iterable[Mapping[str, Any]],
    values: Literal["soft", "soft_posterior"] = "soft_posterior",
    to: Orm | None = None,
) -> Iterator[dict[str, Any]]:
    """Rows of labels/*.parquet as rows of this format, `values` being the column they come from.

    One without a graded own answer has no outcome to learn from, and gives no row.
    """
    to = to or Orm()
    for row in labels:
        if row["is_correct"] is not None:
            record = Record(
                question=row["question"],
                steps=tuple(row["steps"]),
                is_correct=row["is_correct"],
                soft=tuple(step[values] for step in row["labels"]),
            )
            yield to.write(record)
