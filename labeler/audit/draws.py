"""draws.py - N rollouts drawn without replacement from a pool of n of which c are correct.

The number of correct ones among them is hypergeometric,

    P(X = x) = C(c, x) C(n-c, N-x) / C(n, N),     P(X = 0) = C(n-c, N) / C(n, N),

and over the luck of the pool itself it is Binomial(N, V): what is exact for the pool is unbiased
for fresh rollouts (Chen et al. 2021, equation 1, for P(X = 0)). Tables are by different (n, c), of
which there are few, however many prefixes.
"""

import numpy as np

from labeler.audit.chains import Floats, Ints


class Draws:
    """Tables for U different pools."""

    def __init__(self, n: Ints, correct: Ints) -> None:
        """`n` and `correct` are (U,)."""
        self.n, self.correct = np.asarray(n, np.int64), np.asarray(correct, np.int64)
        top = int(self.n.max(initial=0))
        self._log = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1.0, top + 1)))))

    def zero(self, size: int) -> Floats:
        """(U,): the probability of no correct rollout among `size`; `size` is at most each n."""
        wrong, log = self.n - self.correct, self._log
        left = np.maximum(wrong - size, 0)
        found = np.exp(log[wrong] - log[left] + log[self.n - size] - log[self.n])
        return np.where(self.correct == 0, 1.0, np.where(wrong < size, 0.0, np.minimum(found, 1.0)))

    def pmf(self, size: int) -> Floats:
        """(U, size+1): the probability of x correct ones among `size`."""
        x = np.arange(size + 1)
        right, wrong = self.correct[:, None], (self.n - self.correct)[:, None]
        possible = (x <= right) & (size - x <= wrong)
        ways = self.ways(right, np.minimum(x, right))
        ways = ways + self.ways(wrong, np.clip(size - x, 0, wrong))
        whole = self.ways(self.n, np.full_like(self.n, size))[:, None]
        return np.where(possible, np.exp(ways - whole), 0.0)

    def ways(self, of: Ints, chosen: Ints) -> Floats:
        """Log C(of, chosen), elementwise."""
        found: Floats = self._log[of] - self._log[chosen] - self._log[of - chosen]
        return found


def interval(n: Ints, correct: Ints, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Jeffreys intervals of the values of many prefixes, as `labels.values.jeffreys`; n >= 1."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    a, b = correct + 0.5, n - correct + 0.5
    low = np.where(correct == 0, 0.0, betaincinv(a, b, tail))
    return low, np.where(correct == n, 1.0, betaincinv(a, b, 1 - tail))


def rise(before: tuple[Floats, Floats, Floats], after: tuple[Floats, Floats, Floats]) -> Floats:
    """(2, ..): the interval of after - before, as `labels.values.difference` (MOVER).

    Each is (value, low, high), elementwise.
    """
    (p, p_low, p_high), (q, q_low, q_high) = before, after
    down = np.sqrt((q - q_low) ** 2 + (p_high - p) ** 2)
    up = np.sqrt((q_high - q) ** 2 + (p - p_low) ** 2)
    return np.clip(np.stack((q - p - down, q - p + up)), -1.0, 1.0)
