"""labelled.py - the run's own labels, as its policy and rule left them, and what they cost.

    label_decided    of wrong-answer solutions, the share whose first error is decided
    label_exact      of those whose true first error is known, the share where the labels name it
    label_rollouts   rollouts a solution; what solutions share is paid for once
    label_tokens     tokens a solution

All else in an audit is about labels that N rollouts of every prefix would give. These are what two
policies on the same problems are compared by.
"""

from collections.abc import Iterator

import numpy as np

from labeler.audit.chains import Chains, Floats
from labeler.audit.estimates import Sums, per_problem, ratio, weights
from labeler.audit.measured import Key, Measured
from labeler.audit.sample import numbered

_DECIDED, _EXACT, _ROLLOUTS, _TOKENS, _WRONG, _KNOWN, _ALL = range(7)
_KEYS = {
    Key("label_decided"): (_DECIDED, _WRONG),
    Key("label_exact", "truth"): (_EXACT, _KNOWN),
    Key("label_rollouts"): (_ROLLOUTS, _ALL),
    Key("label_tokens"): (_TOKENS, _ALL),
}
"""Numerator and denominator of each."""


class Labelled:
    """Sums over batches."""

    def __init__(self, seed: int, n: int | None = None) -> None:
        """Labels look at `n` rollouts of a prefix at most; None: at all."""
        self._sums = Sums(seed)
        self._n = n

    def add(self, chains: Chains) -> None:
        """Take in a batch."""
        names, problem = numbered(chains.problem_ids)
        sums = per_problem(problem, _columns(chains, self._n), len(names))
        weight = weights(names, self._sums.seed)
        self._sums.add("labels", weight.T @ sums, np.count_nonzero(sums, axis=0))

    def measured(self) -> Iterator[Measured]:
        """What can be said."""
        table = self._sums.table("labels", _ALL + 1)
        problems = self._sums.problems("labels", _ALL + 1)
        for key, (above, below) in _KEYS.items():
            over = table[:, below]
            if over[0] > 0:
                found = ratio(table[:, above], over)
                yield Measured(key, found, float(over[0]), int(problems[below]))


def _columns(chains: Chains, n: int | None) -> Floats:
    """(S, 7), in the order of the names above.

    Of a prefix with more than n rollouts n are paid for, each at the mean of its tokens.
    """
    wrong = chains.right == 0
    known = wrong & (chains.truth > 0)
    start = chains.first[:-1]
    rolled = np.where(chains.once, chains.n + chains.ungradable, 0)
    paid = rolled if n is None else np.minimum(rolled, n)
    tokens = chains.tokens * (paid / np.maximum(rolled, 1))
    columns = [
        wrong & (chains.located >= 0),
        known & (chains.located == chains.truth),
        np.add.reduceat(paid, start),
        np.add.reduceat(tokens, start),
        wrong,
        known,
        np.ones(len(chains)),
    ]
    return np.stack(columns, axis=1).astype(np.float64)
