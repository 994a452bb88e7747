"""trl.py - rows of TRL's stepwise supervision: `prompt`, `completions`, `labels` (booleans).

{"prompt": "What is 2+2?", "completions": ["2+2 = 5.", "So 5."], "labels": [false, false]}

The trainer (`PRMTrainer`, which TRL carries up to 1.13.0) tokenizes each step alone, puts the
separator after it, and the label on the separator's last token; it casts labels by int(), so a
soft label becomes 0. Soft labels therefore go into a column of their own, `soft`, which the
trainer does not read.
"""

from dataclasses import dataclass
from typing import Any

from labeler.formats import fields
from labeler.formats.record import FileKind, Record, Row

_OWN = ("prompt", "completions", "labels")


@dataclass(frozen=True, slots=True)
class Trl:
    """TRL stepwise supervision. Carries question, steps and hard labels, and soft ones beside."""

    separator: str = "\n"
    """The trainer's `step_separator`: no step may hold it."""
    name: str = "trl"
    file: FileKind = "parquet"
    carries_soft: bool = False

    def read(self, row: Row) -> list[Record]:
        """One solution. Raises BadRowError."""
        steps = fields.texts(row, "completions")
        given = fields.many(row, "labels")
        fields.as_long("labels", given, len(steps))
        hard = tuple(fields.flag(f"labels[{i}]", label) for i, label in enumerate(given))
        return [
            Record(
                question=fields.text(row, "prompt"),
                steps=steps,
                first_error=fields.first_error(hard),
                hard=hard,
                soft=fields.soft_column(row, len(steps)),
                extra=fields.rest(row, *_OWN, fields.SOFT),
            )
        ]

    def write(self, record: Record) -> dict[str, Any]:
        """One row. Raises BadRowError for soft labels alone, or a step with the separator."""
        labels = fields.hard(record, "labels")
        fields.without(self.separator, record, steps_alone=True)
        own = {
            "prompt": record.question,
            "completions": list(record.steps),
            "labels": list(labels),
        }
        return fields.beside(own | fields.as_column(record), record.extra)
