"""scan.py - rows of SCAN: a solution with a soft score for each step, the simplest soft target.

{"question": "What is 2+2?", "steps": ["2+2 = 5.", "So 5."], "scores": [0.125, 0.0]}

The trainer's text is the question, a blank line, and the steps with a blank line after each; a
score sits on the last token of its blank line, so no text may hold one itself.
"""

from dataclasses import dataclass
from typing import Any

from labeler.formats import fields
from labeler.formats.record import FileKind, Record, Row

BLANK_LINE = "\n\n"
_OWN = ("question", "steps", "scores")


@dataclass(frozen=True, slots=True)
class Scan:
    """SCAN. Carries question, steps and soft labels."""

    name: str = "scan"
    file: FileKind = "jsonl"
    carries_soft: bool = True

    def read(self, row: Row) -> list[Record]:
        """One solution. Raises BadRowError."""
        steps = fields.texts(row, "steps")
        scores = fields.many(row, "scores")
        fields.as_long("scores", scores, len(steps))
        return [
            Record(
                question=fields.text(row, "question"),
                steps=steps,
                soft=tuple(fields.number(f"scores[{i}]", s) for i, s in enumerate(scores)),
                extra=fields.rest(row, *_OWN),
            )
        ]

    def write(self, record: Record) -> dict[str, Any]:
        """One row. Raises BadRowError without soft labels, or for a text with a blank line."""
        scores = fields.soft(record, "scores")
        fields.without(BLANK_LINE, record)
        own = {
            "question": record.question,
            "steps": list(record.steps),
            "scores": list(scores),
        }
        return fields.beside(own, record.extra)
