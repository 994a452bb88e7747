"""processbench.py - rows of ProcessBench (Zheng et al. 2024): where a solution first goes wrong.

{"id": "gsm8k-0", "generator": "Qwen2-7B-Instruct", "problem": "...", "steps": ["...", "..."],
 "final_answer_correct": false, "label": 1}

`label` is the 0-based index of the earliest wrong step, -1 where there is none; a record's first
error is 1-based, 0 for none.
"""

from dataclasses import dataclass
from typing import Any

from labeler.formats import fields
from labeler.formats.record import BadRowError, FileKind, Record, Row

_OWN = ("id", "generator", "problem", "steps", "final_answer_correct", "label")


@dataclass(frozen=True, slots=True)
class ProcessBench:
    """ProcessBench. Carries everything but labels of single steps, and the gold answer."""

    name: str = "processbench"
    file: FileKind = "json"
    carries_soft: bool = False

    def read(self, row: Row) -> list[Record]:
        """One solution. Raises BadRowError."""
        steps = fields.texts(row, "steps")
        label = fields.get(row, "label")
        if isinstance(label, bool) or not isinstance(label, int) or not -1 <= label < len(steps):
            raise BadRowError(
                "label",
                f"{label!r} is no index of a step",
                f"Give the wrong step's, 0 to {len(steps) - 1}, or -1 for none.",
            )
        return [
            Record(
                question=fields.text(row, "problem"),
                steps=steps,
                id=fields.text(row, "id"),
                is_correct=fields.flag(
                    "final_answer_correct", fields.get(row, "final_answer_correct")
                ),
                first_error=label + 1,
                generator=fields.text(row, "generator"),
                extra=fields.rest(row, *_OWN),
            )
        ]

    def write(self, record: Record) -> dict[str, Any]:
        """One row. Raises BadRowError for a first error or an own answer that is not known."""
        fields.wanted(record)
        if record.first_error is None:
            raise BadRowError("label", "the first error is undecided", "Leave the solution out.")
        if not 0 <= record.first_error <= len(record.steps):
            raise BadRowError(
                "label",
                f"step {record.first_error} of {len(record.steps)}",
                "Name a step of the solution, or none.",
            )
        if record.is_correct is None:
            raise BadRowError(
                "final_answer_correct", "the own answer was not graded", "Leave the solution out."
            )
        own = {
            "id": record.id,
            "generator": record.generator,
            "problem": record.question,
            "steps": list(record.steps),
            "final_answer_correct": record.is_correct,
            "label": record.first_error - 1,
        }
        return fields.beside(own, record.extra)
