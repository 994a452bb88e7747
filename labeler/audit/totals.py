"""totals.py - how much of everything a log holds, for costs and for what cannot be concluded."""

from dataclasses import dataclass, fields

import numpy as np

from labeler.audit.batch import Batch


@dataclass(slots=True)
class Totals:
    """Counts over all batches. A prefix that solutions share counts once."""

    problems: int = 0
    solutions: int = 0
    wrong: int = 0
    """Solutions with a wrong answer,"""
    whole: int = 0
    """those of them whose prefixes 1..K-1 all have a pool,"""
    truth: int = 0
    """and solutions with truth."""
    wrong_yet_sound: int = 0
    """Solutions with a wrong answer and, in truth, no error."""
    inner: int = 0
    """Prefixes 1..K-1, rolled out or not."""
    prefixes: int = 0
    """That were rolled out, prefix 0 included,"""
    below: int = 0
    """those of them without a pool,"""
    above: int = 0
    """those with two pools or more,"""
    dead: int = 0
    """those without a correct rollout."""
    crowded: int = 0
    """Problems with more solutions than a sample has."""
    unrolled: int = 0
    """Prefixes 1..K-1 that were not rolled out."""
    rollouts: int = 0
    """Ungradable ones included."""
    tokens: int = 0
    mean_tokens: float = 0.0
    """The sum over prefixes of their tokens a rollout: N of each cost N times so many."""

    def add(self, batch: Batch) -> None:
        """Take in a batch."""
        chains, pool = batch.chains, batch.settings.pool
        is_wrong = chains.right == 0
        rolled = chains.n + chains.ungradable
        at = chains.once & (rolled > 0)
        n = chains.n[at]
        found = Totals(
            problems=len(set(chains.problem_ids)),
            solutions=len(chains),
            wrong=int(is_wrong.sum()),
            whole=int((is_wrong & batch.whole).sum()),
            truth=int((chains.truth >= 0).sum()),
            wrong_yet_sound=int((is_wrong & (chains.truth == 0)).sum()),
            inner=int((chains.once & (chains.step > 0)).sum()),
            prefixes=len(n),
            below=int((n < pool).sum()),
            crowded=int((np.bincount(batch.problems[1]) > max(batch.settings.sample, 1)).sum()),
            unrolled=int((chains.once & (rolled == 0) & (chains.step > 0)).sum()),
            above=int((n >= 2 * pool).sum()),
            dead=int((chains.correct[at] == 0).sum()),
            rollouts=int(rolled[at].sum()),
            tokens=int(chains.tokens[at].sum()),
            mean_tokens=float(np.sum(chains.tokens[at] / rolled[at])),
        )
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(found, field.name))
