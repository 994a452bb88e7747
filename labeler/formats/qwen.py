r"""qwen.py - rows for Qwen2.5-Math-PRM: a chat with a tag after each step, and classes.

{"messages": [{"role": "system", "content": "Please reason step by step, and put your final answer
               within \\boxed{}."},
              {"role": "user", "content": "What is 2+2?"},
              {"role": "assistant", "content": "2+2 = 5.<extra_0>So 5.<extra_0>"}],
 "labels": [0, 0]}

The reward is the probability of class 1 at each tag. On base Qwen tokenizers the tag falls into
pieces unless it is added as a token.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labeler.formats import fields
from labeler.formats.record import BadRowError, FileKind, Record, Row

SYSTEM = "Please reason step by step, and put your final answer within \\boxed{}."
_ROLES = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class Qwen:
    """Qwen2.5-Math-PRM. Carries question, steps and hard labels; a label is a class, 0 or 1."""

    tag: str = "<extra_0>"
    """What stands after each step."""
    name: str = "qwen"
    file: FileKind = "jsonl"
    carries_soft: bool = False

    def read(self, row: Row) -> list[Record]:
        """One solution. Raises BadRowError."""
        turns = fields.many(row, "messages")
        roles = tuple(t.get("role") if isinstance(t, Mapping) else None for t in turns)
        if roles != _ROLES:
            raise BadRowError(
                "messages", f"turns of {roles}", "Give a turn each of system, user, assistant."
            )
        _, question, tagged = (fields.text(turn, "content") for turn in turns)
        *steps, end = tagged.split(self.tag)
        if end or not steps:
            raise BadRowError(
                "messages[2]", f"it does not end with {self.tag!r}", "Put one after each step."
            )
        classes = fields.many(row, "labels")
        fields.as_long("labels", classes, len(steps))
        hard = tuple(fields.flag(f"labels[{i}]", label) for i, label in enumerate(classes))
        return [
            Record(
                question=question,
                steps=tuple(steps),
                first_error=fields.first_error(hard),
                hard=hard,
                extra=fields.rest(row, "messages", "labels"),
            )
        ]

    def write(self, record: Record) -> dict[str, Any]:
        """One row. Raises BadRowError for soft labels alone, or a text that holds the tag."""
        labels = fields.hard(record, "labels")
        fields.without(self.tag, record)
        said = (SYSTEM, record.question, "".join(step + self.tag for step in record.steps))
        own = {
            "messages": [
                {"role": role, "content": content}
                for role, content in zip(_ROLES, said, strict=True)
            ],
            "labels": [int(label) for label in labels],
        }
        return fields.beside(own, record.extra)
