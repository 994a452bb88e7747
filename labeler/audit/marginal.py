"""marginal.py - what depends on single prefixes alone: hard and soft labels, zeros, reliability.

All of it follows from histograms: h[class, j], the expected number of steps of a class with j
correct ones among M rollouts of their pool (exactly the pool where it has M). With p = j / M:

    Z(N) = sum_j h_j C(M-j, N) / C(M, N) / sum_j h_j            share that looks dead
    mean of p (1-p) / N * (M-N) / (M-1)                         squared error against the pool
    E[V(1-V)] / N,  E[V(1-V)] = mean of p (1-p) M / (M-1)       squared error against V
    R(N) = Var V / (Var V + E[V(1-V)] / N)                      reliability

Var V is by moments, from E[V] = mean p and E[V^2] = mean p - E[V(1-V)]; all but its E[V]^2 is
unbiased. R is the intraclass correlation of N rollouts, R(N) = N R(1) / (1 + (N-1) R(1)) (Spearman
1910, Brown 1910): soft labels at N correlate with V as sqrt(R(N)), and any correlation measured
with them is so much too small. Assumed: rollouts of a prefix are independent given V, and their
number was set beforehand.

Truth is a further reference: then a step is 1 before the first error and 0 from it on.
"""

from collections.abc import Iterator

import numpy as np

from labeler.audit.batch import Batch
from labeler.audit.chains import Floats
from labeler.audit.draws import Draws
from labeler.audit.estimates import Sums, counted, ratio
from labeler.audit.measured import Key, Measured

GOOD, BAD, UNTOLD = "good", "bad", "untold"
CLASSES = (GOOD, BAD, UNTOLD)
BINS = 10


def add(batch: Batch, weight: Floats, sums: Sums) -> None:
    """Add a batch's histograms; `weight` is (Q, 1+B)."""
    chains = batch.chains
    truth = chains.truth[chains.owner]
    is_good = (truth == 0) | (chains.step < truth)
    kind = np.where(truth < 0, 2, np.where(is_good, 0, 1))
    whole = batch.draws.pmf(batch.settings.pool)  # (U, M+1)
    for number, name in enumerate(CLASSES):
        at = np.flatnonzero(batch.is_step & (kind == number))
        if len(at):
            whose = batch.problems[1][chains.owner[at]]
            by_pool = counted(whose, batch.pair[at], len(whole), weight)
            sums.add(("steps", name), by_pool @ whole, np.array([len(np.unique(whose))]))


class Histograms:
    """The histograms of all batches, and what follows from them."""

    def __init__(self, sums: Sums, pool: int) -> None:
        self.pool = pool
        self._of = {name: sums.table(("steps", name), pool + 1) for name in CLASSES}
        self._problems = {name: int(sums.problems(("steps", name), 1)[0]) for name in CLASSES}
        self._draws = Draws(np.full(pool + 1, pool), np.arange(pool + 1))
        self._value = np.arange(pool + 1) / pool
        self.steps: Floats = np.sum(list(self._of.values()), axis=0)
        """(1+B, M+1): of all classes."""

    @property
    def problems(self) -> int:
        """Problems that gave a step, at most: one may have steps of several classes."""
        return max(self._problems.values())

    @property
    def has_truth(self) -> bool:
        """Whether there is a step whose truth is known."""
        return self._known > 0

    @property
    def _known(self) -> int:
        """Problems with such a step, at most: one may have good and bad ones."""
        return max(self._problems[GOOD], self._problems[BAD])

    def zero_share(self, size: int) -> Floats:
        """(1+B,): Z(N)."""
        return ratio(self.steps @ self._draws.zero(size), self.steps.sum(axis=1))

    def measured(self, sizes: tuple[int, ...]) -> Iterator[Measured]:
        """Everything that depends on single prefixes alone."""
        for n in sizes:
            yield self._mean(Key("zero_share", "pool", n=n), self.steps, self._draws.zero(n))
            yield from self._hard(n)
            yield from self._soft(n)
            yield from self._against_value(n)
        yield from self._against_value(2 * self.pool)
        yield from self._correlations(sizes)
        yield from self._bins()

    def _hard(self, n: int) -> Iterator[Measured]:
        """hard_wrong, hard_false_good (of wrong steps), hard_false_bad (of correct ones)."""
        zero = self._draws.zero(n)
        is_alive = (self._value > 0).astype(float)
        if n < self.pool:
            good, bad = self.steps * is_alive, self.steps * (1 - is_alive)
            yield from self._confused("pool", n, (good, bad), zero)
        if self.has_truth:
            yield from self._confused("truth", n, (self._of[GOOD], self._of[BAD]), zero)

    def _confused(
        self, reference: str, n: int, classes: tuple[Floats, Floats], zero: Floats
    ) -> Iterator[Measured]:
        good, bad = classes
        of_truth = reference == "truth"
        problems = [self._problems[name] if of_truth else self.problems for name in (GOOD, BAD)]
        yield self._mean(Key("hard_false_bad", reference, n=n), good, zero, problems[0])
        if of_truth:  # what is dead in the whole pool is dead in all draws
            yield self._mean(Key("hard_false_good", reference, n=n), bad, 1 - zero, problems[1])
        over = good.sum(axis=1) + bad.sum(axis=1)
        wrong = ratio(good @ zero + bad @ (1 - zero), over)
        among = self._known if of_truth else self.problems
        yield self._of_steps(Key("hard_wrong", reference, n=n), wrong, over, among)

    def _soft(self, n: int) -> Iterator[Measured]:
        """soft_bias, soft_se and soft_rmse against the pool and against truth, as 0 and 1."""
        value, pool = self._value, self.pool
        left = (pool - n) / (pool - 1) if pool > 1 else 0.0
        spread = value * (1 - value) / n * left
        total = self.steps.sum(axis=1)
        if n < pool:
            error = np.sqrt(ratio(self.steps @ spread, total))
            yield self._of_steps(Key("soft_bias", "pool", n=n), 0 * error, total)
            yield self._of_steps(Key("soft_se", "pool", n=n), error, total)
            yield self._of_steps(Key("soft_rmse", "pool", n=n), error, total)
        if self.has_truth:
            good, bad = self._of[GOOD], self._of[BAD]
            over = good.sum(axis=1) + bad.sum(axis=1)
            bias = ratio(good @ (value - 1) + bad @ value, over)
            squares = good @ ((value - 1) ** 2 + spread) + bad @ (value**2 + spread)
            error = np.sqrt(ratio(squares, over))
            yield self._of_steps(Key("soft_bias", "truth", n=n), bias, over, self._known)
            yield self._of_steps(Key("soft_rmse", "truth", n=n), error, over, self._known)

    def moments(self, steps: Floats) -> tuple[Floats, Floats, Floats]:
        """E[V], Var V (not below zero) and E[V(1-V)] of steps with this histogram, each (1+B,)."""
        value, pool = self._value, self.pool
        total = steps.sum(axis=1)
        mean = ratio(steps @ value, total)
        noise = ratio(steps @ (value * (1 - value)), total) * pool / max(pool - 1, 1)
        return mean, np.maximum(mean - noise - mean**2, 0.0), noise

    def reliability(self, n: int) -> Floats:
        """(1+B,): R(N)."""
        _, variance, noise = self.moments(self.steps)
        return ratio(variance, variance + noise / n)

    def _against_value(self, n: int) -> Iterator[Measured]:
        """soft_se, soft_rmse and soft_reliability, which speak of V; nothing for a pool of one."""
        if self.pool < 2:
            return
        total = self.steps.sum(axis=1)
        error = np.sqrt(self.moments(self.steps)[2] / n)
        yield self._of_steps(Key("soft_se", "value", n=n), error, total)
        yield self._of_steps(Key("soft_rmse", "value", n=n), error, total)
        yield self._of_steps(Key("soft_reliability", "value", n=n), self.reliability(n), total)

    def _correlations(self, sizes: tuple[int, ...]) -> Iterator[Measured]:
        """soft_correlation with truth as 0 and 1: at N, and corrected for attenuation (value)."""
        if not self.has_truth or self.pool < 2:
            return
        good, bad = self._of[GOOD], self._of[BAD]
        total = good.sum(axis=1) + bad.sum(axis=1)
        mean, variance, noise = self.moments(good + bad)
        share = ratio(good.sum(axis=1), total)
        covariance = ratio(good @ self._value, total) - mean * share
        scale = share * (1 - share)
        for n in (*sizes, None):
            spread = variance + (noise / n if n else 0.0)
            found = np.clip(ratio(covariance, np.sqrt(spread * scale)), -1.0, 1.0)
            key = Key("soft_correlation", "truth" if n else "value", n=n)
            yield self._of_steps(key, found, total, self._known)

    def _bins(self) -> Iterator[Measured]:
        """label_soft: the distribution of the pool's soft labels, of all steps and by truth."""
        bins = np.minimum(np.arange(self.pool + 1) * BINS // self.pool, BINS - 1)
        tables = {"": self.steps}
        if self.has_truth:
            tables |= {f"step={name},": self._of[name] for name in (GOOD, BAD)}
        for group, table in tables.items():
            for i in range(BINS):
                label = f"{group}bin={i / BINS:.1f}-{(i + 1) / BINS:.1f}"
                of = (bins == i).astype(float)
                among = self._known if group else None
                yield self._mean(Key("label_soft", group=label), table, of, among)

    def _mean(self, key: Key, steps: Floats, of: Floats, problems: int | None = None) -> Measured:
        """The mean of a function of j over a histogram."""
        total = steps.sum(axis=1)
        found = ratio(steps @ of, total)
        return Measured(
            key, found, float(total[0]), self.problems if problems is None else problems
        )

    def _of_steps(
        self, key: Key, replicates: Floats, over: Floats, problems: int | None = None
    ) -> Measured:
        among = self.problems if problems is None else problems
        return Measured(key, replicates, float(over[0]), among)
