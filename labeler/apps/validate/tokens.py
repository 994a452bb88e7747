"""tokens.py - which check of tokens belongs to which format."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from labeler.apps.validate.pieces import ScanTokens, TrlTokens
from labeler.apps.validate.reading import Reading, TokenCheck
from labeler.apps.validate.rows import Found
from labeler.apps.validate.tags import MathShepherdTokens, MmPrmTokens, OpenRlhfTokens, QwenTokens
from labeler.apps.validate.turns import RlhFlowTokens
from labeler.formats import Format, Record, Row

CHECKS: Mapping[str, Callable[[Reading], TokenCheck]] = {
    "trl": TrlTokens,
    "openrlhf": OpenRlhfTokens,
    "math-shepherd": MathShepherdTokens,
    "rlhflow": RlhFlowTokens,
    "qwen": QwenTokens,
    "scan": ScanTokens,
    "mm-prm": MmPrmTokens,
}
"""Formats whose rows a trainer tokenizes by a rule of its own."""
MAX_LENGTH: Mapping[str, int] = {"trl": 1024}
"""Where a trainer cuts if it is not told otherwise."""


class WithTexts:
    """A format's check, after a look at the texts: they are data, and name no special token."""

    def __init__(self, reading: Reading, check: TokenCheck) -> None:
        self._reading, self._check = reading, check

    def whole(self) -> Iterator[Found]:
        """What is wrong with the tokenizer."""
        yield from self._check.whole()

    def row(self, row: Row, record: Record) -> Found | None:
        """A text that spells a special token, else what the format's check finds."""
        return self._reading.special(record) or self._check.row(row, record)


def token_check(to: Format, tokenizer: Any, max_length: int | None) -> TokenCheck:  # noqa: ANN401
    """The check of a format that has one (see CHECKS)."""
    reading = Reading(to, tokenizer, max_length or MAX_LENGTH.get(to.name))
    return WithTexts(reading, CHECKS[to.name](reading))
