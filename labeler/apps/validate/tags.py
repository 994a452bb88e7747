"""tags.py - formats whose labels stand on a tag: OpenRLHF, Math-Shepherd, Qwen, MM-PRM."""

from collections.abc import Iterator

from labeler.apps.validate.faults import Kind
from labeler.apps.validate.reading import Reading
from labeler.apps.validate.rows import Found
from labeler.formats import Record, Row

_ADD = "Add it to the tokenizer as a token, or choose another."


class _Tags:
    """A text with a tag after each step: the trainer looks for the tag's id in it."""

    def __init__(self, reading: Reading, tag: str, column: str, labels: str) -> None:
        self._reading, self._tag, self._column, self._labels = reading, tag, column, labels

    def whole(self) -> Iterator[Found]:
        """The tag is one token."""
        yield from self._reading.one_token(self._column, self._tag, _ADD)

    def text(self, row: Row) -> str:
        """What the trainer tokenizes of a row."""
        text: str = row[self._column]
        return text

    def row(self, row: Row, record: Record) -> Found | None:
        """As many tags among the tokens as labels, all of them before the cut."""
        ids, [tag] = self._reading.ids(self.text(row)), self._reading.ids(self._tag)
        places = [place for place, found in enumerate(ids) if found == tag]
        if len(places) != len(record.steps):
            return Found(
                Kind.TOKENS,
                self._column,
                f"{self._tag!r} is found {len(places)} times among the tokens, and there are "
                f"{len(record.steps)} labels: where it stands it is another token",
                "Use another tokenizer, or another tag.",
            )
        kept = sum(map(self._reading.within, places))
        return self._reading.lost(self._labels, kept, len(places), len(ids))


class OpenRlhfTokens(_Tags):
    """OpenRLHF: the text as it is; labels are reward tokens, each one token."""

    def __init__(self, reading: Reading) -> None:
        to = reading.format
        super().__init__(reading, to.placeholder, to.input_column, to.label_column)

    def whole(self) -> Iterator[Found]:
        """Placeholder and reward tokens are one token each."""
        yield from super().whole()
        for sign in (self._reading.format.good, self._reading.format.bad):
            yield from self._reading.one_token(self._labels, sign, _ADD)


class MathShepherdTokens(_Tags):
    """Math-Shepherd: the same with its own tag and signs."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading, reading.format.tag, "input", "label")

    def whole(self) -> Iterator[Found]:
        """Tag and signs are one token each."""
        yield from super().whole()
        for sign in "+-":
            yield from self._reading.one_token(self._labels, sign, _ADD)


class MmPrmTokens(_Tags):
    """MM-PRM: the first turn; its trainer's chat template around it is not looked at."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading, reading.format.tag, "conversations[0]", "conversations[1]")

    def text(self, row: Row) -> str:
        """The first turn."""
        text: str = row["conversations"][0]["value"]
        return text


class QwenTokens(_Tags):
    """Qwen2.5-Math-PRM: the turns through the chat template."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading, reading.format.tag, "messages", "labels")

    def whole(self) -> Iterator[Found]:
        """The tag is one token, and there is a chat template."""
        yield from super().whole()
        yield from self._reading.has_chat()

    def text(self, row: Row) -> str:
        """The rendered turns."""
        return self._reading.chat(row["messages"])
