"""rlhflow.py - rows of RLHFlow's PRM data: a conversation in which the assistant judges each step.

{"conversations": [{"role": "user", "content": "What is 2+2? 2+2 = 5."},
                   {"role": "assistant", "content": "-"}], "question": "What is 2+2?"}

The first user turn is the question, a space and step 1, so a reader cannot tell where the question
ends: rows that are written here say it in a column beside, `question`, which trainers leave alone.
Rows without it are read where the first step begins with `Step 1:`, as in RLHFlow's own data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labeler.formats import fields
from labeler.formats.record import BadRowError, FileKind, Record, Row

_SIGNS = {"+": True, "-": False}


@dataclass(frozen=True, slots=True)
class RlhFlow:
    """RLHFlow's conversations. Carries question, steps and hard labels."""

    name: str = "rlhflow"
    file: FileKind = "jsonl"
    carries_soft: bool = False

    def read(self, row: Row) -> list[Record]:
        """One solution. Raises BadRowError."""
        turns = [
            _turn(f"conversations[{i}]", turn, "assistant" if i % 2 else "user")
            for i, turn in enumerate(fields.many(row, "conversations"))
        ]
        if not turns or len(turns) % 2:
            raise BadRowError(
                "conversations",
                f"{len(turns)} turns",
                "Give each step a turn of the user's and one of the assistant's.",
            )
        hard = tuple(_sign(f"conversations[{i}]", turns[i]) for i in range(1, len(turns), 2))
        question, step = _parted(turns[0], row)
        return [
            Record(
                question=question,
                steps=(step, *turns[2::2]),
                first_error=fields.first_error(hard),
                hard=hard,
                extra=fields.rest(row, "conversations", "question"),
            )
        ]

    def write(self, record: Record) -> dict[str, Any]:
        """One row. Raises BadRowError for soft labels alone."""
        labels = fields.hard(record, "conversations")
        turns: list[dict[str, str]] = []
        for k, (step, good) in enumerate(zip(record.steps, labels, strict=True)):
            said = step if k else f"{record.question} {step}"
            turns.append({"role": "user", "content": said})
            turns.append({"role": "assistant", "content": "+" if good else "-"})
        own = {"conversations": turns, "question": record.question}
        return fields.beside(own, record.extra)


def _turn(name: str, turn: object, role: str) -> str:
    if not isinstance(turn, Mapping) or turn.get("role") != role:
        raise BadRowError(name, f"no turn of the {role}", "Let user and assistant alternate.")
    return fields.text(turn, "content")


def _sign(name: str, content: str) -> bool:
    if content not in _SIGNS:
        raise BadRowError(name, f"{content!r} is neither + nor -", "Write one of the two.")
    return _SIGNS[content]


def _parted(content: str, row: Row) -> tuple[str, str]:
    """Question and step 1 of the first turn."""
    if "question" in row:
        question = fields.text(row, "question")
        if content.startswith(f"{question} "):
            return question, content[len(question) + 1 :]
        raise BadRowError("question", "the first turn does not begin with it", "Make them agree.")
    question, found, step = content.partition(" Step 1:")
    if not found:
        raise BadRowError(
            "conversations[0]",
            "there is no telling where the question ends",
            "Begin the first step with 'Step 1:', or give the question in a column `question`.",
        )
    return question, found[1:] + step
