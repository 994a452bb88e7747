"""encoding.py - a solution as token ids, and where each step ends.

    question (rendered as for the completer), then of each step its text and the separator

Step and separator are tokenized apart, so that the last token of the separator, which carries the
label, is always the same one, whatever the step ends with.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from labeler.model import LabelerError
from labeler.prompts import Renderer


@dataclass(frozen=True, slots=True)
class Encoded:
    """A solution in tokens."""

    ids: tuple[int, ...]
    ends: tuple[int, ...]
    """Position in `ids` of each step's end; fewer than steps where the text was cut."""


class Encoder:
    """Encodes solutions with one tokenizer, prompt and separator."""

    def __init__(self, renderer: Renderer, separator: str, max_length: int) -> None:
        """Raises LabelerError where the tokenizer does not know the separator."""
        self._renderer = renderer
        self._separator = renderer.step_ids(separator)
        self._max_length = max_length
        if not self._separator or renderer.tokenizer.unk_token_id in self._separator:
            raise LabelerError(
                f"the separator {separator!r} has no token in this tokenizer: choose another one"
            )

    def encode(self, question: str, steps: Sequence[str]) -> Encoded:
        """Whole steps, as many as fit into max_length tokens."""
        ids = self._renderer.header_ids(question)
        ends: list[int] = []
        for step in steps:
            more = [*self._renderer.step_ids(step), *self._separator]
            if len(ids) + len(more) > self._max_length:
                break
            ids += more
            ends.append(len(ids) - 1)
        return Encoded(tuple(ids), tuple(ends))
