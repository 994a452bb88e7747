"""pieces.py - formats whose labels stand on a separator: TRL and SCAN."""

from collections.abc import Iterator

from labeler.apps.validate.faults import Kind
from labeler.apps.validate.reading import Reading
from labeler.apps.validate.rows import Found
from labeler.formats import Record, Row

_BLANK_LINE = "\n\n"


class TrlTokens:
    """TRL: BOS, prompt, then each step and the separator after it, each tokenized alone.

    A label stands on its separator's last token; what is beyond max_length is cut with it.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._separator = len(reading.ids(reading.format.separator))

    def whole(self) -> Iterator[Found]:
        """A separator of no token would leave labels nowhere to stand."""
        if not self._separator:
            yield Found(
                Kind.TOKENS,
                "step_separator",
                f"{self._reading.format.separator!r} is no token at all: labels have no place",
                "Use another tokenizer, or another separator.",
            )

    def row(self, _: Row, record: Record) -> Found | None:
        """Labels beyond the cut."""
        reading = self._reading
        end = len(reading.ids(record.question)) + (reading.tokenizer.bos_token_id is not None)
        kept = 0
        for step in record.steps:
            end += len(reading.ids(step)) + self._separator
            kept += reading.within(end - 1)
        return reading.lost("labels", kept, len(record.steps), end)


class ScanTokens:
    """SCAN: one text, a blank line after the question and each step; a score on its last token.

    A blank line may be a token together with what stands before it, but not with what follows.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def whole(self) -> Iterator[Found]:
        """Only fast tokenizers say which characters a token covers."""
        if not self._reading.tokenizer.is_fast:
            yield Found(
                Kind.TOKENS,
                "tokenizer",
                "it does not say where tokens begin and end",
                "Give one with a tokenizer.json.",
            )

    def row(self, _: Row, record: Record) -> Found | None:
        """Scores without a token of their own, and scores beyond the cut."""
        text = record.question + _BLANK_LINE
        ends = []
        for step in record.steps:
            text += step + _BLANK_LINE
            ends.append(len(text))
        spans = self._reading.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True
        )["offset_mapping"]
        last = {end: place for place, (_, end) in enumerate(spans)}
        places = [last.get(end) for end in ends]
        if None in places:
            return Found(
                Kind.TOKENS,
                f"steps[{places.index(None)}]",
                "no token ends where the blank line after it does: its score has no place",
                "Begin the next step with a letter or digit, or use another tokenizer.",
            )
        kept = sum(self._reading.within(place) for place in places if place is not None)
        return self._reading.lost("scores", kept, len(places), len(spans))
