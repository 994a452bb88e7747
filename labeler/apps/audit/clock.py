"""clock.py - how fast a run's engine was, from when its rollouts came, in whatever order.

Stamps are kept as spans without a pause, so that memory grows with the pauses alone. It measures
what pilot.speed does: the clock starts at the first completion, whose own work is left out, and
pauses do not count.
"""

import numpy as np
from numpy.typing import NDArray

from labeler.apps.pilot import PAUSE_SECONDS, SHORT_SECONDS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Clock:
    """When rollouts came, and their tokens."""

    def __init__(self) -> None:
        self.tokens = 0
        self._spans = np.zeros((0, 2))
        """(spans, 2): starts and ends, seconds since 1970, in order."""
        self._first = np.inf, 0
        """The earliest stamp, and the tokens of its rollouts."""

    def add(self, at: Floats, tokens: Ints) -> None:
        """Take in (rows,) stamps and the tokens of each."""
        if not len(at):
            return
        self.tokens += int(tokens.sum())
        earliest = float(at.min())
        if earliest <= self._first[0]:
            same = self._first[1] if earliest == self._first[0] else 0
            self._first = earliest, same + int(tokens[at == earliest].sum())
        stamps = np.sort(at)
        breaks = np.flatnonzero(np.diff(stamps) > PAUSE_SECONDS)
        ends = np.concatenate([stamps[breaks], stamps[-1:]])
        starts = np.concatenate([stamps[:1], stamps[breaks + 1]])
        self._spans = _joined(np.concatenate([self._spans, np.stack([starts, ends], axis=1)]))

    def tokens_per_second(self, engines: int) -> float | None:
        """Of one of the engines; None where the run was too short to tell."""
        seconds = float((self._spans[:, 1] - self._spans[:, 0]).sum())
        if seconds < SHORT_SECONDS:
            return None
        return (self.tokens - self._first[1]) / seconds / engines


def _joined(spans: Floats) -> Floats:
    """The spans in order, those with no pause between them as one."""
    ordered = spans[np.argsort(spans[:, 0])]
    reached = np.maximum.accumulate(ordered[:, 1])
    breaks = np.flatnonzero(ordered[1:, 0] - reached[:-1] > PAUSE_SECONDS)
    starts = np.concatenate([ordered[:1, 0], ordered[breaks + 1, 0]])
    ends = np.concatenate([reached[breaks], reached[-1:]])
    return np.stack([starts, ends], axis=1)
