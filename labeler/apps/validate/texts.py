"""texts.py - the texts of a raw row, with the tag that ends steps and how often it may stand there.

What is not as a format has it gives no text: of that the reader speaks.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labeler.formats import Format, Row
from labeler.formats.scan import BLANK_LINE


@dataclass(frozen=True, slots=True)
class Tagged:
    """A text of a row."""

    field: str
    text: str
    tag: str
    wanted: int
    """How often the tag ends a step in it."""


def tagged(to: Format, row: Row) -> Iterator[Tagged]:
    """The texts of the row in which a tag would be taken for a step's end."""
    if (texts := _TEXTS.get(to.name)) is not None:
        yield from (one for one in texts(to, row) if isinstance(one.text, str))


def _trl(to: Any, row: Row) -> Iterator[Tagged]:  # noqa: ANN401 - the format, with its options
    for i, step in enumerate(_list(row.get("completions"))):
        yield Tagged(f"completions[{i}]", step, to.separator, 0)


def _scan(_: object, row: Row) -> Iterator[Tagged]:
    yield Tagged("question", row.get("question", ""), BLANK_LINE, 0)
    for i, step in enumerate(_list(row.get("steps"))):
        yield Tagged(f"steps[{i}]", step, BLANK_LINE, 0)


def _openrlhf(to: Any, row: Row) -> Iterator[Tagged]:  # noqa: ANN401 - the format, with its options
    labels = len(_list(row.get(to.label_column)))
    yield Tagged(to.input_column, row.get(to.input_column, ""), to.placeholder, labels)


def _math_shepherd(to: Any, row: Row) -> Iterator[Tagged]:  # noqa: ANN401 - as above
    text, signed = row.get("input"), row.get("label")
    shorter = len(to.tag) - 1  # for each tag that has become a sign
    if isinstance(text, str) and isinstance(signed, str) and shorter:
        yield Tagged("input", text, to.tag, max(0, len(text) - len(signed)) // shorter)


def _mm_prm(to: Any, row: Row) -> Iterator[Tagged]:  # noqa: ANN401 - as above
    turns = [turn for turn in _list(row.get("conversations")) if isinstance(turn, Mapping)]
    if len(turns) == 2:
        scores = len(_list(turns[1].get("value")))
        yield Tagged("conversations[0]", turns[0].get("value", ""), to.tag, scores)


def _qwen(to: Any, row: Row) -> Iterator[Tagged]:  # noqa: ANN401 - the format, with its options
    labels = len(_list(row.get("labels")))
    for i, turn in enumerate(_list(row.get("messages"))):
        if isinstance(turn, Mapping):
            wanted = labels if turn.get("role") == "assistant" else 0
            yield Tagged(f"messages[{i}]", turn.get("content", ""), to.tag, wanted)


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else ()


_TEXTS: Mapping[str, Callable[[Any, Row], Iterator[Tagged]]] = {
    "trl": _trl,
    "scan": _scan,
    "openrlhf": _openrlhf,
    "math-shepherd": _math_shepherd,
    "qwen": _qwen,
    "mm-prm": _mm_prm,
}
