"""questions.py - the sentences of a question: one fact each, in several surface forms.

A sentence says what the program says and nothing more; asides have a number of no use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from labeler.testbed.program import Move, Node, Operand

_TIMES = {2: ("twice", "doubles"), 3: ("three times", "triples")}
_PARTS = {2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 6: "a sixth"}


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
