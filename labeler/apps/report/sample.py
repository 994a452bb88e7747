"""sample.py - which rows a page holds: all of them, or, beyond a size, a sample by lot.

The lot of a row is a digest of the seed and its id, so the sample depends neither on the order of
the rows nor on how files cut them, and a larger size keeps what a smaller one held. Rows that the
page names elsewhere come first. Memory is that of what is kept.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from heapq import heappop, heappush
from typing import Any

from labeler.model import digest

_MB = 1_000_000
_ESCAPES = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}
_TABLE = str.maketrans(_ESCAPES)


def embedded(value: object) -> str:
    """JSON that can stand inside a script element of a page, whatever texts it holds.

    Neither an end tag nor a comment can begin in it, and no line of JavaScript ends in it.
    """
    told = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return told.translate(_TABLE)


class Sample:
    """The rows with the lowest lots whose JSON fits into a size together."""

    def __init__(self, max_mb: float, seed: int, first: Collection[str] = ()) -> None:
        """`max_mb` in millions of bytes; ids in `first` have the lowest lots of all."""
        self.offered = 0
        self.bytes = 0
        self._most = max_mb * _MB
        self._seed = str(seed)
        self._first = frozenset(first)
        self._heap: list[tuple[int, str, str]] = []  # the highest lot on top: negated
        self._bound: int | None = None

    def offer(self, name: str, row: Mapping[Any, Any]) -> None:
        """Keep a row if it is one of the sample, and let go of those that are no more."""
        self.offered += 1
        lot = self._lot(name)
        if self._bound is not None and lot >= self._bound:
            return
        text = embedded(row)
        self.bytes += _size(text)
        heappush(self._heap, (-lot, name, text))
        while self.bytes > self._most and self._heap:
            dropped, _, gone = heappop(self._heap)
            self.bytes -= _size(gone)
            self._bound = -dropped

    def pass_over(self, rows: int) -> None:
        """Count rows as offered whose names were not in the sample."""
        self.offered += rows

    def __len__(self) -> int:
        return len(self._heap)

    def __contains__(self, name: str) -> bool:
        """Whether a row of this name would be kept, as far as is known yet."""
        return self._bound is None or self._lot(name) < self._bound

    def rows(self) -> Iterator[tuple[str, str]]:
        """Name and JSON of each row that is kept, by name."""
        yield from sorted((name, text) for _, name, text in self._heap)

    def as_list(self) -> str:
        """The rows as one JSON list."""
        return "[" + ",".join(text for _, text in self.rows()) + "]"

    def as_object(self) -> str:
        """The rows as one JSON object, by name."""
        return "{" + ",".join(f"{embedded(name)}:{text}" for name, text in self.rows()) + "}"

    def _lot(self, name: str) -> int:
        lot = int(digest(self._seed, name, size=8), 16)
        return lot - (1 << 64) if name in self._first else lot


def _size(text: str) -> int:
    return len(text.encode())
