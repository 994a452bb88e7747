"""reading.py - what checks of tokens share: the tokenizer, the cut, and the faults they find."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from labeler.apps.validate.faults import Kind
from labeler.apps.validate.rows import Found
from labeler.formats import Record, Row


class TokenCheck(Protocol):
    """How one format's rows become tokens, and where the trainer puts their labels."""

    def whole(self) -> Iterator[Found]:
        """What is wrong with the tokenizer, whatever the rows."""

    def row(self, row: Row, record: Record) -> Found | None:
        """What is wrong with this row; asked only where `whole` found nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a check needs."""

    format: Any
    """The Format, with its separator or placeholder."""
    tokenizer: Any
    max_length: int | None
    """Tokens that the trainer keeps; None: all."""

    def ids(self, text: str) -> list[int]:
        """The text alone, without special tokens around it."""
        found: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return found

    def within(self, place: int) -> bool:
        """Whether the token at this place (0-based) is kept."""
        return self.max_length is None or place < self.max_length

    def one_token(self, name: str, text: str, fix: str) -> Iterator[Found]:
        """The fault of a text that is not one token, or not one that stands for it alone."""
        ids = self.ids(text)
        if len(ids) != 1:
            pieces = self.tokenizer.convert_ids_to_tokens(ids)
            yield Found(Kind.TOKENS, name, f"{text!r} is {len(ids)} tokens: {pieces}", fix)
        elif ids[0] == self.tokenizer.unk_token_id:
            yield Found(Kind.TOKENS, name, f"{text!r} is the unknown token, as others are", fix)

    def special(self, record: Record) -> Found | None:
        """The fault of a text that spells a special token: the trainer reads it as that token."""
        texts = {"question": record.question}
        texts |= {f"steps[{i}]": step for i, step in enumerate(record.steps)}
        for name, text in texts.items():
            for token in self.tokenizer.all_special_tokens:
                if token in text:
                    return Found(
                        Kind.TAG,
                        name,
                        f"it spells {token!r}, a special token of this tokenizer",
                        "Replace it in the text, or leave the solution out.",
                    )
        return None

    def chat(self, turns: Sequence[Mapping[str, str]]) -> str:
        """The turns through the tokenizer's chat template."""
        text: str = self.tokenizer.apply_chat_template(list(turns), tokenize=False)
        return text

    def has_chat(self) -> Iterator[Found]:
        """The fault of a tokenizer that has no chat template."""
        if not self.tokenizer.chat_template:
            yield Found(
                Kind.TOKENS,
                "chat_template",
                "the tokenizer has none",
                "Give the tokenizer of the model that is trained, a chat model.",
            )

    def lost(self, name: str, kept: int, labels: int, length: int) -> Found | None:
        """The fault of labels that lie beyond the cut."""
        if kept == labels:
            return None
        return Found(
            Kind.LOST,
            name,
            f"{length} tokens: of {labels} labels {kept} are left within {self.max_length}",
            "Raise the trainer's maximum length, or leave the solution out.",
        )
