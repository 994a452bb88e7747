"""turns.py - RLHFlow's format, whose labels are the assistant's turns."""

from collections.abc import Iterator

from labeler.apps.validate.faults import Kind
from labeler.apps.validate.reading import Reading
from labeler.apps.validate.rows import Found
from labeler.formats import Record, Row

_SIGNS = "+-"


class RlhFlowTokens:
    """RLHFlow: the conversation through the chat template; each sign is one token of its turn."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def whole(self) -> Iterator[Found]:
        """The signs are one token each, and there is a chat template."""
        for sign in _SIGNS:
            yield from self._reading.one_token(
                "conversations", sign, "Add it to the tokenizer as a token."
            )
        yield from self._reading.has_chat()

    def row(self, row: Row, _: Record) -> Found | None:
        """Each assistant's turn holds its sign's token, before the cut."""
        turns = row["conversations"]
        kept, length = 0, 0
        for i in range(1, len(turns), 2):
            before = len(self._reading.ids(self._reading.chat(turns[:i])))
            ids = self._reading.ids(self._reading.chat(turns[: i + 1]))
            [sign] = self._reading.ids(turns[i]["content"])
            if sign not in ids[before:]:
                return Found(
                    Kind.TOKENS,
                    f"conversations[{i}]",
                    f"{turns[i]['content']!r} is another token where the chat template puts it",
                    "Use another tokenizer or chat template.",
                )
            length = len(ids)
            kept += self._reading.within(before + ids[before:].index(sign))
        return self._reading.lost("conversations", kept, len(turns) // 2, length)
