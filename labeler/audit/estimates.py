"""estimates.py - sums over problems, with intervals that need no second look at the data.

Poisson bootstrap (Hanley and MacGibbon 2006; Chamandy et al. 2012): in replicate b problem p counts
Poisson(1) times, drawn from a hash of the problem's id, b and the seed. So sums add up batch by
batch in any order, memory does not grow with them, and two runs on the same problems are compared
replicate by replicate: what they share cancels. All solutions of a problem share its weight, since
they are no independent evidence.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from labeler.audit.chains import Floats, Ints
from labeler.intervals import LEAST, of_number, of_share

REPLICATES = 200
_POISSON_UP_TO = 12  # P(Poisson(1) > 12) < 1e-10


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95% interval; None for what cannot be said."""

    value: float | None
    low: float | None
    high: float | None
    over: int
    """Items that it is a mean over."""


def weights(problem_ids: Sequence[str], seed: int, replicates: int = REPLICATES) -> Floats:
    """(Q, 1+B): how often each problem counts; once in column 0, the sample itself."""
    keys = np.array(
        [
            int.from_bytes(blake2b(p.encode(), digest_size=8).digest(), "little")
            for p in problem_ids
        ],
        dtype=np.uint64,
    )
    base = _mixed(keys + np.uint64(seed % (1 << 63)))
    counter = np.arange(1, replicates + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    uniform = (_mixed(base[:, None] + counter) >> np.uint64(11)) * 2.0**-53
    cumulative = np.cumsum([1.0, *(1 / np.cumprod(np.arange(1.0, _POISSON_UP_TO + 1)))]) / np.e
    drawn = np.searchsorted(cumulative, uniform, side="right")
    return np.hstack((np.ones((len(keys), 1)), drawn.astype(float)))


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finaliser (Steele, Lea and Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


class Sums:
    """Named tables of sums over problems, each with its bootstrap replicates.

    A table has a name, any hashable, and C cells. It is (1+B, C): row 0 the sums over the sample.
    """

    def __init__(self, seed: int = 0, replicates: int = REPLICATES) -> None:
        self.seed, self.replicates = seed, replicates
        self._tables: dict[Hashable, Floats] = {}
        self._problems: dict[Hashable, Ints] = {}

    def add(self, name: Hashable, sums: Floats, problems: Ints) -> None:
        """Add a batch's (1+B, C) sums; `problems` is how many problems of it gave anything.

        `problems` is (C,) or (1,), for the whole table. A problem comes in one batch.
        """
        if name in self._tables:
            self._tables[name] += sums
            self._problems[name] += problems
        else:
            self._tables[name] = np.array(sums, dtype=float)
            self._problems[name] = np.array(problems, dtype=np.int64)

    def merge(self, other: "Sums") -> None:
        """Take in the sums of further batches; of the same seed and number of replicates."""
        if (self.seed, self.replicates) != (other.seed, other.replicates):
            raise ValueError("sums of different seeds or numbers of replicates do not add up")
        for name, table in other._tables.items():
            self.add(name, table, other._problems[name])

    def __contains__(self, name: Hashable) -> bool:
        return name in self._tables

    def names(self) -> list[Hashable]:
        """All tables, in an order that does not depend on batches."""
        return sorted(self._tables, key=repr)

    def drop(self, name: Hashable) -> None:
        """Forget a table."""
        del self._tables[name], self._problems[name]

    def table(self, name: Hashable, size: int) -> Floats:
        """(1+B, size): zeros where nothing was added."""
        found = self._tables.get(name)
        return np.zeros((1 + self.replicates, size)) if found is None else found

    def problems(self, name: Hashable, size: int) -> Ints:
        """(size,) or (1,): how many problems a table rests on; zeros where nothing was added."""
        found = self._problems.get(name)
        return np.zeros(size, dtype=np.int64) if found is None else found


def counted(problem: Ints, cell: Ints, size: int, weight: Floats) -> Floats:
    """(1+B, size): how many of the items (I,) are of each cell, weighted as their problems are."""
    from scipy.sparse import coo_array

    table = coo_array((np.ones(len(cell)), (problem, cell)), shape=(len(weight), size))
    found: Floats = (table.tocsr().T @ weight).T
    return found


def per_problem(index: Ints, values: Floats, problems: int) -> Floats:
    """(Q, C): the sums of (I, C) values over the items of each problem, `index` (I,) says whose."""
    from scipy.sparse import csr_array

    items = len(index)
    gather = csr_array((np.ones(items), index, np.arange(items + 1)), shape=(items, problems))
    found: Floats = gather.T @ values
    return found


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Elementwise; NaN, for `estimate` to drop, where the denominator is zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)


def estimate(replicates: Floats, over: float, problems: int, *, is_share: bool = False) -> Estimate:
    """A number and its interval (labeler/intervals.py) from (1+B,) replicates, the sample's first.

    In simulations of whole audits 91 to 100% of intervals held what was true with 60 problems (rare
    shares and correlations 89 to 94%), and 85 to 100% with 8 problems (77 to 87%).
    """
    value = float(replicates[0])
    count = round(over)
    if not np.isfinite(value):
        return Estimate(None, None, None, count)
    rest = replicates[1:]
    rest = rest[np.isfinite(rest)]
    if problems < LEAST or not len(rest):
        return Estimate(value, None, None, count)
    if is_share:
        low, high = of_share(value, float(rest.var()), problems)
    else:
        low, high = of_number(rest, problems)
    return Estimate(value, min(low, value), max(high, value), count)
