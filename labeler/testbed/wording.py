"""wording.py - the lines of a solution, both ways, and the words problems are made of.

1. A line is written by `write` and read back by `read`, which knows the grammar and nothing
   else: whether a line is right, or even about this problem, is `truth`'s business.
2. `read(write(line, style))` gives the line back for every line and style, but for the owner
   of a move in the two styles that do not name it.

The grammar of a solution, in its three styles (any line may begin with "Correction: "):

    Nina starts with 14 shells.  |  Nina at first: 14.  |  To begin, Nina has 14 shells.
    Omar has 14 + 9 = 23 shells. |  Omar: 14 + 9 = 23.  |  So Omar has 14 + 9 = 23 shells.
    After the fair Nina has 14 + 23 = 37 shells.  |  Fair: 14 + 23 = 37.  |  (third style below)
    The answer is 37.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

STYLES = 3
SEPARATOR = "\n"

# fmt: off
NAMES = (
    "Ada", "Ben", "Cleo", "Dan", "Elif", "Finn", "Gita", "Hugo", "Ines", "Joel", "Kira", "Leo",
    "Mona", "Nina", "Omar", "Pia", "Quin", "Rosa", "Sami", "Tess", "Uma", "Vera", "Wim", "Yara",
)
ITEMS = (
    "shells", "beads", "stamps", "coins", "cards", "marbles", "buttons", "stickers", "pencils",
    "apples", "plums", "candles", "ribbons", "tiles", "seeds", "stones",
)
OCCASIONS = (
    "fair", "market", "beach", "party", "picnic", "harbour", "garden", "school", "museum",
    "station", "castle", "library", "bakery", "circus", "farm", "lake", "parade", "bazaar",
    "concert", "tower",
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Equation:
    """`left op right = result`, as written: nothing says that it holds."""

    left: int
    op: str
    right: int
    result: int

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right} = {self.result}"


@dataclass(frozen=True, slots=True)
class Start:
    """States a person's number before the moves."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Define:
    """Works out a person's number before the moves."""

    name: str
    equation: Equation


@dataclass(frozen=True, slots=True)
class Happen:
    """Works out the owner's number after a move."""

    occasion: str
    owner: str | None
    """None in the style that does not name the owner."""
    equation: Equation


@dataclass(frozen=True, slots=True)
class Final:
    """States the answer."""

    number: int


Line = Start | Define | Happen | Final

CORRECTION = "Correction: "


def write(line: Line, items: str, style: int) -> str:
    """The line in one of the styles, without the newline."""
    match line:
        case Start(name, n):
            return (
                f"{name} starts with {n} {items}.",
                f"{name} at first: {n}.",
                f"To begin, {name} has {n} {items}.",
            )[style]
        case Define(name, equation):
            return (
                f"{name} has {equation} {items}.",
                f"{name}: {equation}.",
                f"So {name} has {equation} {items}.",
            )[style]
        case Happen(occasion, owner, equation):
            return (
                f"After the {occasion} {owner} has {equation} {items}.",
                f"{occasion.capitalize()}: {equation}.",
                f"The {occasion} makes it {equation} {items}.",
            )[style]
        case Final(n):
            return f"The answer is {n}."


_N = r"(-?\d{1,9})"
_EQUATION = rf"{_N} ([-+*/]) {_N} = {_N}"
_WORD = r"([^\W\d_]+)"
_CAPITALISED = {occasion.capitalize() for occasion in OCCASIONS}


def read(text: str) -> Line | None:
    """The line that a step's text states; None when the grammar does not know it."""
    text = text.strip().removeprefix(CORRECTION)
    for pattern, make in _GRAMMAR:
        if found := pattern.fullmatch(text):
            return make(found)
    return None


def _equation(found: re.Match[str], at: int) -> Equation:
    return Equation(int(found[at]), found[at + 1], int(found[at + 2]), int(found[at + 3]))


def _bare(found: re.Match[str]) -> Line:
    word, equation = found[1], _equation(found, 2)
    return Happen(word.lower(), None, equation) if word in _CAPITALISED else Define(word, equation)


_GRAMMAR: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Line]], ...] = (
    (re.compile(rf"The answer is {_N}\."), lambda m: Final(int(m[1]))),
    (re.compile(rf"{_WORD} starts with {_N} {_WORD}\."), lambda m: Start(m[1], int(m[2]))),
    (re.compile(rf"{_WORD} at first: {_N}\."), lambda m: Start(m[1], int(m[2]))),
    (re.compile(rf"To begin, {_WORD} has {_N} {_WORD}\."), lambda m: Start(m[1], int(m[2]))),
    (
        re.compile(rf"After the {_WORD} {_WORD} has {_EQUATION} {_WORD}\."),
        lambda m: Happen(m[1], m[2], _equation(m, 3)),
    ),
    (
        re.compile(rf"The {_WORD} makes it {_EQUATION} {_WORD}\."),
        lambda m: Happen(m[1], None, _equation(m, 2)),
    ),
    (re.compile(rf"{_WORD}: {_EQUATION}\."), _bare),
    (
        re.compile(rf"(?:So )?{_WORD} has {_EQUATION} {_WORD}\."),
        lambda m: Define(m[1], _equation(m, 2)),
    ),
)
