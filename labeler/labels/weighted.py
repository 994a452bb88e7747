"""weighted.py - the weighted values of ReST-MCTS* (Zhang et al. 2024).

    v_0 = 0,   v_k = max(0, v_{k-1} + w_k),   w_k = (1 - v_{k-1}) / (m_k + 1) * (1 - 2 r_k)

m_k is how many steps there are still to go after step k, r_k in [0, 1] how bad step k is. So a
chain of K good steps climbs evenly to one, v_k = k / K, and a bad step takes back what a good one
would have added.

Here m_k = K - k, the steps that this very solution still takes: the paper's reasoning distance is
the least number of steps from there to the right answer, which nobody knows of a wrong solution.
r_k is 0 where the step's hard estimate is true and 1 where it is false.
"""

from collections.abc import Sequence


def weighted_values(hard: Sequence[bool | None]) -> list[float | None]:
    """v_1..v_K, each in [0, 1], from the hard estimates of steps 1..K.

    None from the first step on that has no estimate: each value rests on all before it.
    """
    values: list[float | None] = []
    value: float | None = 0.0
    for k, good in enumerate(hard, 1):
        if value is not None:
            value = None if good is None else _next(value, good, to_go=len(hard) - k)
        values.append(value)
    return values


def _next(value: float, good: bool, to_go: int) -> float:
    weight = (1 - value) / (to_go + 1)
    return min(1.0, max(0.0, value + (weight if good else -weight)))
