r"""openrlhf.py - rows of OpenRLHF's PRM trainer: a text with placeholders, and a list of signs.

{"input": "What is 2+2? Step 1: 2+2 = 5. ки\nStep 2: So 5. ки", "label": ["-", "-"]}

The trainer looks for the placeholder's token and puts a reward token's id in its place as label;
placeholder and reward tokens must be one token each in its tokenizer, which only the tokenizer can
say. It fails on soft labels, which therefore go into a column of their own, `soft`.
"""

from dataclasses import dataclass
from typing import Any

from labeler.formats import fields
from labeler.formats.numbered import cut, joined
from labeler.formats.record import BadRowError, FileKind, Record, Row


@dataclass(frozen=True, slots=True)
class OpenRlhf:
    """OpenRLHF. Carries question, steps (without own numbers), hard labels, soft ones beside."""

    placeholder: str = "ки"
    """What stands after each step (`--placeholder_token`)."""
    good: str = "+"
    """The label of a good step: the first of the trainer's `--reward_tokens`."""
    bad: str = "-"
    """That of a wrong step: the second of them."""
    input_column: str = "input"
    label_column: str = "label"
    name: str = "openrlhf"
    file: FileKind = "jsonl"
    carries_soft: bool = False

    def read(self, row: Row) -> list[Record]:
        """One solution. Raises BadRowError."""
        question, steps = cut(
            self.input_column, fields.text(row, self.input_column), self.placeholder
        )
        signs = fields.many(row, self.label_column)
        fields.as_long(self.label_column, signs, len(steps))
        hard = tuple(self._good(f"{self.label_column}[{i}]", s) for i, s in enumerate(signs))
        return [
            Record(
                question=question,
                steps=steps,
                first_error=fields.first_error(hard),
                hard=hard,
                soft=fields.soft_column(row, len(steps)),
                extra=fields.rest(row, self.input_column, self.label_column, fields.SOFT),
            )
        ]

    def write(self, record: Record) -> dict[str, Any]:
        """One row. Raises BadRowError for soft labels alone, or a text with the placeholder."""
        labels = fields.hard(record, self.label_column)
        own = {
            self.input_column: joined(record, self.placeholder),
            self.label_column: [self.good if label else self.bad for label in labels],
        }
        return fields.beside(own | fields.as_column(record), record.extra)

    def _good(self, name: str, sign: object) -> bool:
        if sign not in (self.good, self.bad):
            raise BadRowError(
                name,
                f"{sign!r} is neither {self.good!r} nor {self.bad!r}",
                "Write one of the two, or state the reward tokens.",
            )
        return sign == self.good
