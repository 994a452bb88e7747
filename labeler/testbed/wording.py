"""wording.py - programs in words: questions, and the lines of a solution both ways.

1. A question line says one fact; each kind of fact has several surface forms.
2. A solution line is written by `write` and read back by `read`, which knows the grammar and
   nothing else: whether a line is right, or even about this problem, is `truth`'s business.
3. `read(write(line, style))` gives the line back for every line and style.

The grammar of a solution, in its three styles (any line may begin with "Correction: "):

    Nina starts with 14 shells.  |  Nina at first: 14.  |  To begin, Nina has 14 shells.
    Omar has 14 + 9 = 23 shells. |  Omar: 14 + 9 = 23.  |  So Omar has 14 + 9 = 23 shells.
    After the fair Nina has 14 + 23 = 37 shells.  |  Fair: 14 + 23 = 37.  |  (third style below)
    The answer is 37.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from labeler.testbed.program import Move, Node, Operand

STYLES = 3
SEPARATOR = "\n"

NAMES = tuple(
    "Ada Ben Cleo Dan Elif Finn Gita Hugo Ines Joel Kira Leo Mona Nina Omar Pia "
    "Quin Rosa Sami Tess Uma Vera Wim Yara".split()
)
ITEMS = tuple(
    "shells beads stamps coins cards marbles buttons stickers pencils apples plums candles "
    "ribbons tiles seeds stones".split()
)
OCCASIONS = tuple(
    "fair market beach party picnic harbour garden school museum station castle library "
    "bakery circus farm lake parade bazaar concert tower".split()
)
_TIMES = {2: ("twice", "doubles"), 3: ("three times", "triples")}
_PARTS = {2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 6: "a sixth"}


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
_START = (
    re.compile(rf"{_WORD} starts with {_N} {_WORD}\."),
    re.compile(rf"{_WORD} at first: {_N}\."),
    re.compile(rf"To begin, {_WORD} has {_N} {_WORD}\."),
)
_DEFINE = re.compile(rf"(?:So )?{_WORD} has {_EQUATION} {_WORD}\.")
_BARE = re.compile(rf"{_WORD}: {_EQUATION}\.")
_AFTER = re.compile(rf"After the {_WORD} {_WORD} has {_EQUATION} {_WORD}\.")
_MAKES = re.compile(rf"The {_WORD} makes it {_EQUATION} {_WORD}\.")
_FINAL = re.compile(rf"The answer is {_N}\.")


def read(text: str) -> Line | None:
    """The line that a step's text states; None when the grammar does not know it."""
    text = text.strip().removeprefix(CORRECTION)
    if found := _FINAL.fullmatch(text):
        return Final(int(found[1]))
    for pattern in _START:
        if found := pattern.fullmatch(text):
            return Start(found[1], int(found[2]))
    if found := _AFTER.fullmatch(text):
        return Happen(found[1], found[2], _equation(found, 3))
    if found := _MAKES.fullmatch(text):
        return Happen(found[1], None, _equation(found, 2))
    if found := _BARE.fullmatch(text):
        if found[1] in _CAPITALISED:
            return Happen(found[1].lower(), None, _equation(found, 2))
        return Define(found[1], _equation(found, 2))
    if found := _DEFINE.fullmatch(text):
        return Define(found[1], _equation(found, 2))
    return None


def _equation(found: re.Match[str], at: int) -> Equation:
    return Equation(int(found[at]), found[at + 1], int(found[at + 2]), int(found[at + 3]))


def give(name: str, number: int, items: str, rng: Random) -> str:
    """A person's given number, as a question line."""
    return rng.choice(
        (
            f"{name} has {number} {items}.",
            f"{name} owns {number} {items}.",
            f"There are {number} {items} in the box of {name}.",
        )
    )


def relate(node: Node, items: str, rng: Random) -> str:
    """How one person's number follows from others', as a question line."""
    name, left, right = node.name, node.left, node.right
    if isinstance(right, str):
        forms = _pair(name, node.op, left, right, items)
    elif node.op == "*":
        often = _TIMES[right][0] if right in _TIMES else f"{right} times"
        forms = (
            f"{name} has {often} as many {items} as {left}.",
            f"The {items} of {name} are {often} as many as those of {left}.",
        )
    elif node.op == "/":
        forms = (
            f"{name} has {_PARTS[right]} as many {items} as {left}.",
            f"The {items} of {left} divided by {right} is what {name} has.",
        )
    else:
        word = "more" if node.op == "+" else "fewer"
        forms = (
            f"{name} has {right} {word} {items} than {left}.",
            f"Compared with {left}, {name} has {right} {items} {word}.",
            f"{name} has {right} {items} {word} than {left} has.",
        )
    return rng.choice(forms)


def _pair(name: str, op: str, left: Operand, right: str, items: str) -> tuple[str, ...]:
    if op == "+":
        return (
            f"{name} has as many {items} as {left} and {right} together.",
            f"Together {left} and {right} have as many {items} as {name}.",
        )
    return (
        f"{name} has what {left} has beyond the {items} of {right}.",
        f"The {items} of {name} are those of {left} less those of {right}.",
    )


def tell(move: Move, owner: str, items: str, rng: Random) -> str:
    """What happens at a move's occasion, as a question line."""
    where, n = move.occasion, move.operand
    few = f"as many as {n} has" if isinstance(n, str) else str(n)
    more = f"as many more as {n} has" if isinstance(n, str) else f"{n} more"
    forms: dict[str, Callable[[], tuple[str, ...]]] = {
        "+": lambda: (
            f"At the {where} {owner} gets {more}.",
            f"The {where} brings {owner} {more}.",
            f"{owner} picks up {more} at the {where}.",
        ),
        "-": lambda: (
            f"At the {where} {owner} gives away {few}.",
            f"The {where} costs {owner} {few}.",
            f"{owner} loses {few} at the {where}.",
        ),
        "*": lambda: _multiply(where, int(n), owner, items),
        "/": lambda: (
            f"At the {where} {owner} keeps only {_PARTS[int(n)]}.",
            f"Only {_PARTS[int(n)]} of the {items} are left after the {where}.",
        ),
    }
    return rng.choice(forms[move.op]())


def _multiply(where: str, n: int, owner: str, items: str) -> tuple[str, ...]:
    grows = _TIMES[n][1] if n in _TIMES else f"grows {n} times"
    often = _TIMES[n][0] if n in _TIMES else f"{n} times"
    return (
        f"At the {where} the number of {items} {grows}.",
        f"After the {where} {owner} has {often} as many.",
    )


def aside(name: str, number: int, items: Sequence[str], rng: Random) -> str:
    """A sentence whose number has nothing to do with the answer."""
    thing = rng.choice(items)
    return rng.choice(
        (
            f"{name} is {number} years old.",
            f"{name} also has {number} {thing}.",
            f"A box can hold {number} {thing}.",
            f"The way home is {number} miles long.",
        )
    )


def ask(owner: str, items: str, moved: bool, rng: Random) -> str:
    """The question itself."""
    if moved:
        return rng.choice(
            (
                f"How many {items} does {owner} have in the end?",
                f"What is the number of {items} that {owner} has now?",
            )
        )
    return rng.choice((f"How many {items} does {owner} have?", f"Find the {items} of {owner}."))
