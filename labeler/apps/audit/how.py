"""how.py - what a user decides of an audit."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labeler.audit.settings import LARGEST
from labeler.config import ConfigError


@dataclass(frozen=True, slots=True)
class How:
    """What a user decides of an audit."""

    truth: Path | None = None
    """A file of exact first errors (labeler/apps/truths.py)."""
    max_flip: float = 0.05
    """The share of wrong labels that the advice aims at."""
    grid: tuple[int, ...] = ()
    """Rollouts a prefix to ask about; empty: powers of two up to the pool."""
    pool: int | None = None
    """Rollouts of a prefix that stand for many; None: what most prefixes, or a pilot, have."""
    sample: int = 500
    """Solutions for what is drawn instead of computed; 0: only what is exact."""
    seed: int = 0
    completer: str | None = None
    """The name of a further completer, whose values are audited; of two runs, of the second."""

    @staticmethod
    def read(grid: str | None, max_flip: float, **more: Any) -> "How":  # noqa: ANN401 - fields
        """From options as a user writes them. Raises ConfigError where they mean nothing."""
        if not 0 < max_flip < 1:
            raise ConfigError(f"--max-flip: a share between 0 and 1 is needed, not {max_flip:g}")
        try:
            sizes = tuple(int(n) for n in grid.split(",")) if grid else ()
        except ValueError as error:
            raise ConfigError(f"--grid: numbers with commas are needed, not {grid!r}") from error
        if any(n < 1 for n in sizes):
            raise ConfigError(f"--grid: a prefix has at least one rollout, not {min(sizes)}")
        if (pool := more.get("pool")) is not None and not 1 <= pool <= LARGEST:
            raise ConfigError(f"--pool: 1 to {LARGEST} rollouts of a prefix, not {pool}")
        return How(grid=sizes, max_flip=max_flip, **more)
