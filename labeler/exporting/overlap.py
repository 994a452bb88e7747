"""overlap.py - which problems are also in a benchmark: the same words, or 13 of them in a row.

Words are runs of letters and digits, case and width folded (NFKC), each Chinese or Japanese
character one word; punctuation, LaTeX's backslashes and white space do not count. So operators do
not count either, and two problems that differ in a sign alone overlap: a problem too many is
dropped rather than one too few. The 13-gram rule is that of Brown et al. 2020 (GPT-3), appendix C.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

GRAM = 13
"""Words in a row that make an overlap."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def words(text: str) -> list[str]:
    """The words of a text, folded."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def grams(found: Sequence[str]) -> Iterator[str]:
    """Every run of 13 words, joined by spaces; none of a shorter text."""
    for i in range(len(found) - GRAM + 1):
        yield " ".join(found[i : i + GRAM])


@dataclass(frozen=True, slots=True)
class Hit:
    """How a question overlaps a benchmark."""

    rule: str
    """`exact`: the same words. `13-gram`: 13 of them in a row."""
    benchmark: str
    """The benchmark's file."""
    position: str
    """Its first row that overlaps."""
    text: str
    """The words that both have."""


class Benchmarks:
    """The questions of benchmarks. Memory grows with these, not with what is compared."""

    def __init__(self) -> None:
        self._places: list[tuple[str, str]] = []
        self._exact: dict[str, int] = {}
        self._grams: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    def add(self, benchmark: str, position: str, question: str) -> bool:
        """Add a question; False where it holds no word, so that nothing can overlap it."""
        found = words(question)
        if not found:
            return False
        place = len(self._places)
        self._places.append((benchmark, position))
        self._exact.setdefault(" ".join(found), place)
        for gram in grams(found):
            self._grams.setdefault(gram, place)
        return True

    def hit(self, question: str) -> Hit | None:
        """The first overlap, the exact one before others; None where there is none."""
        found = words(question)
        spelled = " ".join(found)
        if (place := self._exact.get(spelled)) is not None:
            return Hit("exact", *self._places[place], spelled)
        for gram in grams(found):
            if (place := self._grams.get(gram)) is not None:
                return Hit(f"{GRAM}-gram", *self._places[place], gram)
        return None
