"""settings.py - what of an audit its caller decides, and how large the pool is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from labeler.posterior import ValueModel

LARGEST = 512
"""Rollouts of a pool, at most: of larger ones so many are drawn."""
REACHED = 0.75
"""Share of the rolled-out prefixes that reach the pool's size."""
PILOT, PILOT_SHARE = 100, 0.02
"""So many prefixes, and so large a share, are a pilot worth speaking of alone."""


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """How a log is audited."""

    pool: int
    """M: the rollouts of a prefix that stand for many (`pool_size`). Prefixes with fewer graded
    ones are left out of everything that depends on N, and counted."""
    grid: tuple[int, ...] = ()
    """Rollouts a prefix to ask about; empty: powers of two up to the pool. What lies beyond the
    pool is left out of measured rows."""
    max_flip: float = 0.05
    """The error that the advice aims at."""
    sample: int = 500
    """Solutions for what is drawn instead of computed: the rule posterior and its calibration."""
    seed: int = 0
    value_model: ValueModel = field(default_factory=ValueModel)
    """The run's, for the rule posterior."""
    decided: float = 0.5
    """The run's labels.decided."""
    stops_early: bool = False
    """Whether the policy that filled the log stops by outcomes (Policy.stops_early)."""
    tokens_per_second: float | None = None
    """Of one engine, in this run; for engine-hours."""

    def __post_init__(self) -> None:
        """Raises ValueError for a pool of nothing."""
        if self.pool < 1:
            raise ValueError("a pool has at least one rollout")

    @property
    def sizes(self) -> tuple[int, ...]:
        """The grid within the pool, ascending, the pool's size its last."""
        wanted = self.grid or tuple(1 << i for i in range(self.pool.bit_length()))
        return tuple(sorted({n for n in wanted if 1 <= n <= self.pool} | {self.pool}))


def pool_size(counts: Mapping[int, int], *, stops_early: bool = False) -> int:
    """The largest M that three quarters of the rolled-out prefixes reach, or that a pilot reaches.

    `counts`: by number of graded rollouts, how many prefixes have it; those without any do not
    count. A pilot is a part of the log with more rollouts than the rest; where the policy stops by
    outcomes there is none, as outcomes chose which prefixes have many. At most LARGEST, and 1 where
    nothing was rolled out.
    """
    rolled = {n: count for n, count in counts.items() if n > 0 and count > 0}
    whole, reached = sum(rolled.values()), 0
    wanted = REACHED * whole
    if not stops_early:
        wanted = min(wanted, max(PILOT, PILOT_SHARE * whole))
    for n in sorted(rolled, reverse=True):
        reached += rolled[n]
        if reached >= wanted:
            return min(n, LARGEST)
    return 1
