"""best_of.py - the value of a prefix under Best-of-J, from rollouts of one completer.

Best-of-J of a completer finishes a prefix J times and keeps a right one, if any is right. As a
prover it is stronger than the completer (Setlur et al. 2024 measure progress under best-of-K
policies), its value is 1 - (1 - V)^J, and it needs no rollout of its own.
"""

from math import comb

from labeler.labels.rows import Value


def best_of(value: Value, j: int) -> Value:
    """The value under Best-of-J, from the counts of n single rollouts; j >= 1.

    soft is the unbiased estimator 1 - C(n-c, J) / C(n, J) (Chen et al. 2021, equation 1), None
    where n < J. It is unbiased only where n did not depend on outcomes: the caller sees to that.
    The interval is that of V, its ends mapped by v -> 1 - (1 - v)^J, which keeps its coverage,
    since the map is monotone; and widened to hold soft, which can lie outside where n is hardly
    more than J.
    """
    if value.n < j or value.low is None or value.high is None:
        return Value(value.n, value.correct, None, None, None)
    ways = comb(value.n, j)
    soft = (ways - comb(value.n - value.correct, j)) / ways
    low, high = (1 - (1 - end) ** j for end in (value.low, value.high))
    return Value(value.n, value.correct, soft, min(low, soft), max(high, soft))
