"""Planted worlds: problems drawn from the families, with real prefixes, and their luck.

A problem has one to five solutions. A completion has TOKENS tokens for each step that it still has
to write. Luck is decided per prefix and index from the seed: the same in any process and order.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
from search_cases import Case, Taken, Truth, graded
from search_families import FAMILIES, Drawn, Rng

from labeler.model import Problem, Solution, Step, Task

TOKENS = 12
"""Of one step."""
MOST_SOLUTIONS = 5


def seed_of(*parts: object) -> int:
    """A seed of 64 bits from content."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=8).digest(), "big")


class Luck:
    """The rollouts of a problem's prefixes, drawn when they are first asked for."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._worth: dict[str, tuple[float, int]] = {}
        self._rngs: dict[str, Rng] = {}
        self._drawn: dict[str, list[bool]] = {}

    def add(self, key: str, value: float, tokens: int) -> None:
        """A prefix with its value and the length of its completions."""
        self._worth[key] = (value, tokens)

    def take(self, key: str, n: int) -> Taken:
        """The first n rollouts of a prefix."""
        value, tokens = self._worth[key]
        drawn = self._drawn.setdefault(key, [])
        if len(drawn) < n:
            rng = self._rngs.setdefault(key, np.random.default_rng(seed_of(self._seed, key)))
            while len(drawn) < n:
                drawn += (rng.random(64) < value).tolist()
        right, wrong = graded(True, tokens), graded(False, tokens)
        return tuple([right if correct else wrong for correct in drawn[:n]])


def draw(name: str, seed: int, index: int) -> Case:
    """Problem number `index` of a family."""
    rng = np.random.default_rng(seed_of(name, seed, index))
    family = FAMILIES[name]
    count = int(rng.integers(1, MOST_SOLUTIONS + 1))
    logs = rng.uniform(np.log(family.steps[0]), np.log(family.steps[1] + 1), count)
    lengths = sorted(np.exp(logs).astype(int).tolist())
    return planted(f"{name}-{seed}-{index}", family.draw(rng, lengths), seed)


def worlds(name: str, seed: int, indices: range) -> Iterator[Case]:
    """The problems of a family with these numbers."""
    return (draw(name, seed, index) for index in indices)


def planted(name: str, drawn: Sequence[Drawn], seed: int) -> Case:
    """A case of these solutions, with real prefixes; they share the bare question alone.

    Its value is the first solution's.
    """
    problem = Problem(name, f"Planted problem {name}.", "1", "planted")
    solutions = tuple(
        Solution(f"{name}/{i}", name, tuple(_steps(i, len(chain.alive))))
        for i, (chain, _) in enumerate(drawn)
    )
    task = Task(problem, solutions)
    luck = Luck(seed)
    for solution, (chain, _) in reversed(list(zip(solutions, drawn, strict=True))):
        for k, value in enumerate(chain.values):
            luck.add(task.prefix(solution, k).key, value, TOKENS * (len(chain.alive) - k))
    pairs = list(zip(solutions, drawn, strict=True))
    truths = {s.id: Truth(chain.drop, error) for s, (chain, error) in pairs}
    return Case(task, truths, luck.take, {s.id: chain for s, (chain, _) in pairs})


def _steps(solution: int, steps: int) -> Iterator[Step]:
    for k in range(1, steps + 1):
        yield Step(f"Solution {solution} takes step {k:2d} here.", "\n" if k < steps else "")
