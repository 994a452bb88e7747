"""auditing.py - batches of chains in, findings out."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from labeler.audit import calibration, location, marginal, posterior_rule, progress, ranks, shape
from labeler.audit.advice import BEYOND, Known, advice, reference
from labeler.audit.batch import Batch, Cell, Part
from labeler.audit.causes import Causes
from labeler.audit.cautions import cautions
from labeler.audit.chains import Bools, Chains, Floats, join
from labeler.audit.estimates import Sums, per_problem, ratio, weights
from labeler.audit.findings import Contrast, Disagreed, Findings, Option
from labeler.audit.location import COST
from labeler.audit.marginal import Histograms
from labeler.audit.measured import Key, Measured, contrast
from labeler.audit.mixture import Mixture, fitted
from labeler.audit.sample import Problems, hashed, numbered
from labeler.audit.saying import sentences
from labeler.audit.settings import AuditSettings
from labeler.audit.totals import Totals

AT_ONCE = 100_000
"""Prefixes that are worked on together: batches are gathered until there are so many."""
GROUPS = 16
"""Sources, and generators, that are told apart, at most: of more, those of the lowest ranks."""
_MEASURES = (*(m.parts for m in (location, ranks, progress, shape, calibration)), location.costs)


class _Table(NamedTuple):
    """The name of a part's sums."""

    measure: str
    reference: str
    rule: str
    cells: tuple[Cell, ...]
    group: str


class Audit:
    """An audit in progress. Memory does not grow with the number of batches."""

    def __init__(self, settings: AuditSettings, at_once: int = AT_ONCE) -> None:
        self.settings = settings
        self._at_once = at_once
        self._sums = Sums(settings.seed)
        self._totals = Totals()
        self._causes = Causes(settings.seed)
        self._sample = Problems(settings.sample, settings.seed)
        self._waiting: list[Chains] = []
        self._groups: dict[str, set[str]] = defaultdict(set)
        self._is_done = False

    def add(self, chains: Chains) -> None:
        """Take in a batch; all solutions of a problem come in one."""
        if self._is_done:
            raise ValueError("findings were asked for already")
        self._waiting.append(chains)
        if sum(int(batch.first[-1]) for batch in self._waiting) >= self._at_once:
            self._work()

    def _work(self) -> None:
        if not self._waiting:
            return
        batch = Batch(join(self._waiting), self.settings)
        self._waiting = []
        self._totals.add(batch)
        if not len(batch.chains):
            return
        self._causes.add(batch)
        weight = self._add_parts(batch, [part for of in _MEASURES for part in of(batch)])
        marginal.add(batch, weight, self._sums)
        fit = batch.whole & (batch.chains.right >= 0)
        self._sample.add(batch.chains, batch.problems, fit)

    def _add_parts(self, batch: Batch, parts: Iterable[Part]) -> Floats:
        """Add up parts over problems; the problems' weights come back."""
        names, problem = batch.problems
        weight = weights(names, self.settings.seed)
        groups = dict(self._grouped(batch.chains))
        found: dict[_Table, Floats] = {}
        for part in parts:
            both = np.hstack((part.numerator, part.denominator))
            for group, where in groups.items():
                if part.by_group or not group:
                    chosen = both * where[:, None] if group else both
                    key = _Table(part.measure, part.reference, part.rule, part.cells, group)
                    found[key] = per_problem(problem, chosen, len(names))
        whole = weight.T @ np.hstack(list(found.values()))  # one product is faster than many
        start = 0
        for name, sums in found.items():
            stop = start + sums.shape[1]
            given = np.count_nonzero(sums[:, sums.shape[1] // 2 :], axis=0)
            self._sums.add(name, whole[:, start:stop], given)
            start = stop
        return weight

    def _grouped(self, chains: Chains) -> Iterator[tuple[str, Bools]]:
        """All, and each source and generator told apart: a name and its (S,) solutions."""
        yield "", np.ones(len(chains), dtype=bool)
        for kind, of in (("source", chains.sources), ("generator", chains.generators)):
            names, index = numbered(of)
            groups = [f"{kind}={name}" for name in names]
            self._tell_apart(kind, groups)
            for i, name in enumerate(groups):
                if name in self._groups[kind]:
                    yield name, index == i

    def _tell_apart(self, kind: str, names: Iterable[str]) -> None:
        """Keep the groups of the lowest ranks: one that was dropped has no place any more."""
        known = sorted(self._groups[kind] | set(names))
        order = np.argsort(hashed(known, self.settings.seed), kind="stable")
        self._groups[kind] = {known[i] for i in order[:GROUPS]}
        gone = set(known) - self._groups[kind]
        for name in self._sums.names() if gone else ():
            if isinstance(name, _Table) and name.group in gone:
                self._sums.drop(name)

    @cached_property
    def histograms(self) -> Histograms:
        """Of the steps with a pool. Nothing can be added any more."""
        if not self._is_done:
            self._work()
            self._is_done = True
            self._add_sample()
        return Histograms(self._sums, self.settings.pool)

    def _add_sample(self) -> None:
        """First errors by the rule posterior, on the sample of problems."""
        kept = self._sample.kept
        if kept is not None and len(kept):
            batch = Batch(kept, self.settings)
            self._add_parts(batch, posterior_rule.parts(kept, batch))

    @cached_property
    def mixture(self) -> Mixture | None:
        """The distribution of values; None where no step has a pool."""
        steps = self.histograms.steps
        return fitted(steps) if steps[0].sum() > 0 else None

    @cached_property
    def measured(self) -> Mapping[Key, Measured]:
        """Every number with its replicates, in the order of the long table."""
        histograms = self.histograms
        found = [*self._of_tables(), *histograms.measured(self.settings.sizes), *self._beyond()]
        return {m.key: m for m in sorted(found, key=_order) if m.over > 0}

    @property
    def reference(self) -> str:
        """What first errors are held against: truth or pool. Nothing can be added any more."""
        return reference(self.measured, self.settings.pool)

    def _beyond(self) -> Iterator[Measured]:
        """zero_share beyond the pool; nothing beyond one of one, which says nothing of it."""
        steps = self.histograms.steps
        for times in range(1, BEYOND + 1):
            if self.mixture is not None and self.settings.pool > 1:
                n = self.settings.pool << times
                key = Key("zero_share", "value", n=n)
                over = float(steps[0].sum())
                yield Measured(key, self.mixture.zero_share(n), over, self.histograms.problems)

    def _of_tables(self) -> Iterator[Measured]:
        alone = {group for groups in self._groups.values() if len(groups) < 2 for group in groups}
        for name in self._sums.names():
            if not isinstance(name, _Table) or name.group in alone:
                continue
            measure, reference, rule, cells, group = name
            table = self._sums.table(name, 2 * len(cells))
            problems = self._sums.problems(name, len(cells))
            for i, cell in enumerate(cells):
                if reference == "pool" and cell.n == self.settings.pool:
                    continue  # the pool itself
                over = table[:, len(cells) + i]
                label = ",".join(filter(None, (group, cell.group)))
                key = Key(measure, reference, rule, cell.n, label)
                yield Measured(key, ratio(table[:, i], over), float(over[0]), int(problems[i]))

    def findings(
        self,
        run: Mapping[str, Any],
        *,
        further: Iterable[Option] = (),
        disagreed: Disagreed | None = None,
    ) -> Findings:
        """What was found.

        Args:
            run: What was audited, in the caller's words; counts are added to it.
            further: Policies that the caller ran, for the advice to weigh beside its own.
            disagreed: What two grader versions say of the same rollouts.
        """
        rows = {key: m.row() for key, m in self.measured.items()}
        told = None
        said: tuple[str, ...] = ()
        if self.mixture is not None and self._totals.dead < self._totals.prefixes:
            known = Known(self.settings, self.histograms, self.mixture, self._totals, self.measured)
            told = advice(known, further)
            said = sentences(known, told, rows)
        return Findings(
            run={**run, **self._counts()},
            rows=tuple(row for key, row in rows.items() if not key.measure.startswith(COST)),
            causes=self._causes.found(disagreed),
            advice=told,
            cautions=cautions(self.settings, self._totals),
            sentences=said,
        )

    def _counts(self) -> dict[str, Any]:
        totals = self._totals
        told = ("problems", "solutions", "prefixes", "rollouts", "tokens", "truth")
        counts = {name: getattr(totals, name) for name in told}
        return {**counts, "pool": self.settings.pool, "seed": self.settings.seed}


def audit(batches: Iterable[Chains], settings: AuditSettings) -> Audit:
    """An audit of all batches."""
    found = Audit(settings)
    for chains in batches:
        found.add(chains)
    return found


def compared(first: Audit, second: Audit) -> tuple[Contrast, ...]:
    """What two audits of the same seed measured both, the second against the first.

    Differences are paired over problems. Where the two hold different problems, these differ too.
    What is said against pools of different sizes is left out, but for zero_share, which is the same
    for any pool.
    """
    if first.settings.seed != second.settings.seed:
        raise ValueError("audits of different seeds are not paired")
    other = second.measured
    alike = first.settings.pool == second.settings.pool
    return tuple(
        contrast(m, other[key])
        for key, m in first.measured.items()
        if key in other
        and not key.measure.startswith(COST)
        and (alike or key.reference != "pool" or key.measure == "zero_share")
    )


def _order(measured: Measured) -> tuple[str, str, str, int, str]:
    key = measured.key
    return key.measure, key.reference, key.rule, key.n or 0, key.group
