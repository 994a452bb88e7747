"""splits.py - which split a question goes to, and which solutions balance leaves out.

Both follow from content and seed alone, never from a clock or a state: the same labels and
options give the same files.
"""

from typing import Literal

from labeler.exporting.overlap import words
from labeler.model import digest

Split = Literal["train", "test"]
SPLITS: tuple[Split, ...] = ("train", "test")


def split_of(question: str, test_share: float, seed: int) -> Split:
    """The split of all solutions of a question, however it is spelled (see overlap.words).

    A question stays where it is when others come, and in `test` when the share grows.
    """
    spelled = " ".join(words(question)) or question
    return "test" if _luck("split", str(seed), spelled) < test_share else "train"


def _luck(*parts: str) -> float:
    """A number in [0, 1) that follows from the parts."""
    return (int(digest(*parts, size=8), 16) >> 11) / 2**53


class Quota:
    """Takes exactly `wanted` of the `offered` rows to come, each with the same probability.

    Selection sampling (Knuth, The Art of Computer Programming 2, section 3.4.2, algorithm S), so
    nothing is held but two counts. The luck of a row follows from its id.
    """

    def __init__(self, wanted: int, offered: int, seed: int) -> None:
        """Raises ValueError where more are wanted than offered."""
        if not 0 <= wanted <= offered:
            raise ValueError(f"{wanted} of {offered} rows cannot be taken")
        self._wanted, self._offered, self._seed = wanted, offered, str(seed)

    def takes(self, row_id: str) -> bool:
        """Whether the next row is taken."""
        taken = _luck("balance", self._seed, row_id) * self._offered < self._wanted
        self._offered -= 1
        self._wanted -= taken
        return taken
