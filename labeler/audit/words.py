"""words.py - numbers and lists as sentences have them."""

from collections.abc import Sequence


def rollouts(n: int) -> str:
    """A number of rollouts."""
    return "1 rollout" if n == 1 else f"{n} rollouts"


def listed(parts: Sequence[str]) -> str:
    """Parts as in a sentence: a, b and c."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
