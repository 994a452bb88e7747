"""sample.py - samples that depend on nothing but content and the seed.

An item's rank is a hash of its id; a sample is the items of the lowest ranks. What was dropped once
would never come back, so it can be taken batch by batch, in any order.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from labeler.audit.chains import Bools, Chains, Ints, join

Ranks = NDArray[np.uint64]


def hashed(names: Sequence[str], seed: int) -> Ranks:
    """A number below 2^64 for each name."""
    salt = str(seed).encode()
    digests = (blake2b(name.encode(), digest_size=8, key=salt).digest() for name in names)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def numbered(names: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """The different names, and for each entry which of them it is."""
    places: dict[str, int] = {}
    index = np.array([places.setdefault(name, len(places)) for name in names], dtype=np.int64)
    return tuple(places), index


class Problems:
    """Whole problems, of the lowest ranks, until they hold so many solutions.

    One that alone has more is left out: beliefs about its solutions take time by the square.
    """

    def __init__(self, solutions: int, seed: int) -> None:
        self._wanted, self._seed = solutions, seed
        self._highest: int | None = None
        """Rank of the last problem, once there are enough: none above it has a place."""
        self.kept: Chains | None = None

    def add(self, chains: Chains, named: tuple[tuple[str, ...], Ints], fit: Bools) -> None:
        """Take in the problems that have a solution which is `fit`, (S,); `named` as `numbered`."""
        names, index = named
        has = np.zeros(len(names), dtype=bool)
        has[index[fit]] = True
        has &= np.bincount(index, minlength=len(names)) <= self._wanted
        ranks = hashed(names, self._seed)
        if self._highest is not None:
            has &= ranks <= np.uint64(self._highest)
        if self._wanted > 0 and has.any():
            further = chains.select(has[index])
            self._keep(further if self.kept is None else join((self.kept, further)))

    def _keep(self, chains: Chains) -> None:
        """Of these problems those of the lowest ranks."""
        names, index = numbered(chains.problem_ids)
        ranks, sizes = hashed(names, self._seed), np.bincount(index)
        order = np.lexsort((np.array(names), ranks))
        before = np.cumsum(sizes[order]) - sizes[order]
        lowest = order[before < self._wanted]
        keep = np.zeros(len(names), dtype=bool)
        keep[lowest] = True
        self.kept = chains.select(keep[index])
        if sizes[lowest].sum() >= self._wanted:
            self._highest = int(ranks[lowest[-1]])
