r"""mm_prm.py - rows of MM-PRM (Du et al. 2025): a question with tagged steps, and a score a tag.

{"conversations": [{"from": "human",
                    "value": "Question: What is 2+2?\nProcess: 2+2 = 5.<prm>\n\nSo 5.<prm>"},
                   {"from": "gpt", "value": [0.125, 0.0]}]}

The second turn is a list where others have a text: the file is for readers of JSON lines, as its
trainer is. Arrow's reader refuses it; `datasets` 5 reads the scores to ten digits. What a row has
besides (`id`, `image`) is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labeler.formats import fields
from labeler.formats.record import BadRowError, FileKind, Record, Row

_QUESTION, _PROCESS, _BLANK_LINE = "Question: ", "\nProcess: ", "\n\n"
_TURNS = ("human", "gpt")


@dataclass(frozen=True, slots=True)
class MmPrm:
    """MM-PRM. Carries question, steps and soft labels."""

    tag: str = "<prm>"
    """What stands after each step."""
    name: str = "mm-prm"
    file: FileKind = "jsonl"
    carries_soft: bool = True

    def read(self, row: Row) -> list[Record]:
        """One solution. Raises BadRowError."""
        turns = fields.many(row, "conversations")
        speakers = tuple(t.get("from") if isinstance(t, Mapping) else None for t in turns)
        if speakers != _TURNS:
            raise BadRowError(
                "conversations", f"turns of {speakers}", "Give one of human and one of gpt."
            )
        question, steps = self._parted(fields.text(turns[0], "value"))
        scores = fields.many(turns[1], "value")
        fields.as_long("conversations[1]", scores, len(steps))
        return [
            Record(
                question=question,
                steps=steps,
                soft=tuple(
                    fields.number(f"conversations[1].value[{i}]", s) for i, s in enumerate(scores)
                ),
                extra=fields.rest(row, "conversations"),
            )
        ]

    def write(self, record: Record) -> dict[str, Any]:
        """One row. Raises BadRowError without soft labels, or for a text that holds the tag."""
        scores = fields.soft(record, "conversations[1]")
        fields.without(self.tag, record)
        process = _BLANK_LINE.join(step + self.tag for step in record.steps)
        said = f"{_QUESTION}{record.question}{_PROCESS}{process}"
        if self._parted(said) != (record.question, record.steps):
            raise BadRowError(
                "question",
                f"where it ends cannot be told: it holds {_PROCESS!r}, or the tag does",
                "Reword it, or leave the problem out.",
            )
        values = (said, list(scores))
        turns = [{"from": who, "value": v} for who, v in zip(_TURNS, values, strict=True)]
        return fields.beside({"conversations": turns}, record.extra)

    def _parted(self, said: str) -> tuple[str, tuple[str, ...]]:
        """Question and steps of the first turn."""
        question, found, process = said.removeprefix(_QUESTION).partition(_PROCESS)
        *steps, end = process.split(self.tag)
        if not said.startswith(_QUESTION) or not found or end or not steps:
            raise BadRowError(
                "conversations[0]",
                f"it is not {_QUESTION!r}, {_PROCESS!r} and steps that end with {self.tag!r}",
                "Write it so, and end it with the last step's tag.",
            )
        first, *others = steps
        return question, (first, *(step.removeprefix(_BLANK_LINE) for step in others))
