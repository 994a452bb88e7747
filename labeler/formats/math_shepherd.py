r"""math_shepherd.py - rows of Math-Shepherd (Wang et al. 2024): a text twice, tagged and labelled.

{"input": "What is 2+2? Step 1: 2+2 = 5. ки\nStep 2: So 5. The answer is: 5 ки",
 "label": "What is 2+2? Step 1: 2+2 = 5. -\nStep 2: So 5. The answer is: 5 -", "task": "GSM8K"}

`label` is `input` with each tag replaced by + or -. The tag has two characters and the sign one,
so offsets agree only after the replacement: the two texts are walked together here.
"""

from dataclasses import dataclass
from typing import Any, Literal

from labeler.formats import fields
from labeler.formats.numbered import bare, cut, joined
from labeler.formats.record import BadRowError, FileKind, Record, Row

TAG = "ки"
_OWN = ("input", "label", "task")
_ANSWER = "The answer is: "


@dataclass(frozen=True, slots=True)
class MathShepherd:
    """Math-Shepherd. Carries question, steps (without own numbers), answer and hard labels.

    The last step ends with `The answer is: X`: where the answer is known and the step does not say
    it so, the sentence is added.
    """

    task: Literal["GSM8K", "MATH"] = "GSM8K"
    """What a row calls its task where the record's source is neither."""
    tag: str = TAG
    """What stands after each step in `input`."""
    name: str = "math-shepherd"
    file: FileKind = "jsonl"
    carries_soft: bool = False

    def read(self, row: Row) -> list[Record]:
        """One solution. Raises BadRowError."""
        tagged = fields.text(row, "input")
        question, steps = cut("input", tagged, self.tag)
        hard = _signs(tagged, fields.text(row, "label"), self.tag)
        task = fields.text(row, "task")
        if task not in ("GSM8K", "MATH"):
            raise BadRowError("task", f"{task!r} is none", "Write GSM8K or MATH.")
        _, said, answer = steps[-1].rpartition(_ANSWER)
        return [
            Record(
                question=question,
                steps=steps,
                answer=answer if said else None,
                first_error=fields.first_error(hard),
                hard=hard,
                source=task,
                extra=fields.rest(row, *_OWN),
            )
        ]

    def write(self, record: Record) -> dict[str, Any]:
        """One row. Raises BadRowError for soft labels alone, or a text that holds the tag."""
        labels = fields.hard(record, "label")
        tagged = joined(_answered(record), self.tag)
        pieces = tagged.split(self.tag)
        signed = "".join(
            p + ("+" if good else "-") for p, good in zip(pieces, labels, strict=False)
        )
        own = {"input": tagged, "label": signed, "task": self._task(record.source)}
        return fields.beside(own, record.extra)

    def _task(self, source: str) -> str:
        lowered = source.lower()
        if "gsm8k" in lowered:
            return "GSM8K"
        return "MATH" if "math" in lowered else self.task


def _answered(record: Record) -> Record:
    """The record whose last step says the answer, where that is known."""
    if record.answer is None or not record.steps or _ANSWER in record.steps[-1]:
        return record
    *others, last = record.steps
    last = bare(last, len(record.steps))
    return Record(record.question, (*others, f"{last} {_ANSWER}{record.answer}"))


def _signs(tagged: str, signed: str, tag: str) -> tuple[bool, ...]:
    """(K,): the signs that stand in `signed` where `tagged` has its tag."""
    signs: list[bool] = []
    at = 0
    *pieces, end = tagged.split(tag)
    for piece in pieces:
        at += len(piece)
        sign = signed[at : at + 1]
        if not signed.startswith(piece, at - len(piece)) or sign not in ("+", "-"):
            raise BadRowError(
                "label",
                f"it parts from `input` before label {len(signs) + 1}",
                f"Write the text of `input` with + or - in the place of each {tag!r}.",
            )
        signs.append(sign == "+")
        at += 1
    if signed[at:] != end:
        raise BadRowError("label", "it goes on after the last label", "End it as `input` ends.")
    return tuple(signs)
