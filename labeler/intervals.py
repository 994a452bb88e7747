"""intervals.py - 95% intervals of a number over problems, from the replicates of a bootstrap.

A bootstrap is too narrow where there are few problems, and says nothing where all of them agree.

- A number's interval is between two points of its replicates: with P problems Phi(-t sqrt(P/(P-1)))
  and its mirror, t the 97.5% point of Student's distribution with P-1 degrees. These are 2.5% and
  97.5% for many problems, and further out for few (Hesterberg 2015, the expanded percentile
  interval).
- Of a share p the replicates give the variance v alone: its interval is the exact one of Clopper
  and Pearson (1934) for p n of n = p (1-p) (P-1) / (v P) (1.96 / t)^2 independent items (Korn and
  Graubard 1998), as what is rare is seen in few problems, whose luck no resampling tells. Where it
  is 0 or 1 but for rounding, n is P, as if solutions of a problem were one.
"""

import numpy as np
from numpy.typing import NDArray

LEAST = 5
"""Problems below which there is no interval."""

_NORMAL = 1.96
_ROUNDING = 1e-12
_MOST_ITEMS = 1e8  # beyond it replicates differ by rounding alone


def of_number(replicates: NDArray[np.float64], problems: int) -> tuple[float, float]:
    """From replicates (B,), B at least 1, over LEAST problems or more."""
    from scipy.special import ndtr

    tail = float(ndtr(-_wide(problems)))
    low, high = np.quantile(replicates, [tail, 1 - tail]).tolist()
    return low, high


def of_share(share: float, variance: float, problems: int) -> tuple[float, float]:
    """The exact interval, of as many independent items as the variance speaks of."""
    from scipy.special import betaincinv

    items, hits = float(problems), round(share) * float(problems)
    if _ROUNDING < share < 1 - _ROUNDING:
        alone = share * (1 - share)
        alone /= max(variance, alone / _MOST_ITEMS)
        items = alone * (_NORMAL / _wide(problems)) ** 2
        hits = share * items
    misses = items - hits
    low = float(betaincinv(hits, misses + 1, 0.025)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, misses, 0.975)) if misses > 0 else 1.0
    return min(low, share), max(high, share)


def _wide(problems: int) -> float:
    """How many standard errors a 95% interval reaches to each side."""
    from scipy.special import stdtrit

    return float(stdtrit(problems - 1, 0.975) * (problems / (problems - 1)) ** 0.5)
