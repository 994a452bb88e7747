"""arrays.py - a file that is one JSON array -> its elements, streaming.

It holds a window of the file that is at most a few times the largest row. An element that is
no object is rejected and the next one is read; after text that is no JSON there is no telling
where the next one begins, so the rest of the file is rejected as one row. So is what follows the
array, such as another one.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from labeler.problems.nouns import Rejected, Rejection, as_json

_CHUNK = 65536


class _Window:
    """The part of the file that is being parsed."""

    def __init__(self, stream: BinaryIO, most: int) -> None:
        self._stream = stream
        self._most = most
        self._decoder = json.JSONDecoder()
        self.text = ""
        self.at = 0
        self._bytes = b""
        self.ended = False

    def more(self) -> bool:
        """Read on, as much again as the window holds; False at the end, or beyond a row's size."""
        if self.ended or len(self.text) - self.at > self._most:
            return False
        data = self._stream.read(max(_CHUNK, len(self.text) - self.at))
        self.ended = not data
        whole, self._bytes = _whole_characters(self._bytes + data, last=self.ended)
        self.text = self.text[self.at :] + whole.decode("utf-8", "surrogateescape")
        self.at = 0
        return not self.ended

    def peek(self) -> str:
        """The next character that is no white space; "" at the end of the file."""
        while True:
            rest = self.text[self.at : self.at + _CHUNK]
            self.at += len(rest) - len(rest.lstrip())
            if rest.strip():
                return self.text[self.at]
            if not rest and not self.more():
                return ""

    def element(self) -> Any:  # noqa: ANN401 - any JSON value
        """The element that begins here; ValueError or RecursionError where there is none."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self.text, self.at)
            except ValueError:
                if not self.more():
                    raise
                continue
            if not self.text[end : end + _CHUNK].strip() and self.more():
                continue
            self.at = end
            return value


def _whole_characters(data: bytes, *, last: bool) -> tuple[bytes, bytes]:
    """Cut before a UTF-8 character that may go on in the next chunk."""
    if last:
        return data, b""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            return data[:-back], data[-back:]
        if byte < 0x80:
            break
    return data, b""


def array_rows(
    stream: BinaryIO, name: str, most: int
) -> Iterator[tuple[str, Mapping[str, Any]] | Rejected]:
    """The elements of the array, positions counted from 1. `most` bytes a row at most."""
    window = _Window(stream, most)
    window.more()
    window.text = window.text.removeprefix("\ufeff")
    window.peek()
    window.at += 1
    number = 0
    while window.peek() not in ("", "]"):
        number += 1
        position = f"{name}:{number}"
        try:
            value = window.element()
        except (ValueError, RecursionError):
            yield _rest(window, position, most)
            return
        yield (
            (position, value)
            if isinstance(value, dict)
            else Rejected(position, Rejection.MALFORMED, as_json(value))
        )
        if window.peek() == ",":
            window.at += 1
        elif window.peek() != "]":
            yield _rest(window, f"{name}:{number + 1}", most)
            return
    closed = window.peek() == "]"
    window.at += closed
    if window.peek() or not closed:
        yield _rest(window, f"{name}:{number + 1}", most)


def _rest(window: _Window, position: str, most: int) -> Rejected:
    shown = window.text[window.at : window.at + 100_000]
    too_long = len(window.text) - window.at > most
    return Rejected(position, Rejection.TOO_LONG if too_long else Rejection.MALFORMED, shown)
