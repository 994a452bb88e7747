"""advice.py - how many rollouts, and by which policy, reach a stated error, and what they cost.

A hard label flips from N rollouts where the pool's is another: Z(N) - Z(M), since the pool can only
bring a dead prefix to life (Z: marginal.py). From N > M/2 on the pool is hardly more than the label
itself; there a flip is one that N further rollouts would bring, Z(N) - Z(2N), with Z(2N) by the
mixture (mixture.py), and it is said to be modelled. At N = M/2 both are the same. A pool of one
tells nothing of it: how alike two rollouts of a prefix are cannot be seen.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from labeler.audit.estimates import estimate
from labeler.audit.findings import Advice, Doubling, Option
from labeler.audit.location import COST, POLICIES
from labeler.audit.marginal import Histograms
from labeler.audit.measured import Key, Measured
from labeler.audit.mixture import Mixture
from labeler.audit.settings import AuditSettings
from labeler.audit.totals import Totals

BEYOND = 3
"""Doublings of the pool that the mixture is asked about."""


@dataclass(frozen=True, slots=True)
class Known:
    """What advice rests on."""

    settings: AuditSettings
    histograms: Histograms
    """Of at least one step."""
    mixture: Mixture
    totals: Totals
    found: Mapping[Key, Measured]

    @property
    def reference(self) -> str:
        """What first errors are held against."""
        return reference(self.found, self.settings.pool)

    def zero(self, n: int) -> float:
        """Z(N): measured up to the pool, modelled beyond."""
        within = n <= self.settings.pool
        return float((self.histograms if within else self.mixture).zero_share(n)[0])

    def flip(self, n: int) -> float:
        """The probability that a hard label flips."""
        pool = self.settings.pool
        return max(0.0, self.zero(n) - self.zero(pool if 2 * n <= pool else 2 * n))


def reference(found: Mapping[Key, Measured], pool: int) -> str:
    """What first errors are held against: the truth where there is some, else the pool."""
    key = Key("located_exact", "truth", "first_zero", pool)
    return "truth" if key in found else "pool"


def advice(known: Known, further: Iterable[Option] = ()) -> Advice:
    """The advice; `further` are policies that the caller ran himself."""
    settings, totals = known.settings, known.totals
    pool = settings.pool
    options = [*weighed(known), *further]
    beyond = [pool << i for i in range(1, BEYOND + 1)]
    flips = ((n, known.flip(n)) for n in (*settings.sizes, *beyond))
    few = (pair for pair in flips if pool > 1 and pair[1] <= settings.max_flip)
    n, flip = next(few, (None, None))
    ranked = sorted(options, key=lambda option: (option.tokens, option.rollouts, option.policy))
    tokens = None if n is None else round(n * totals.mean_tokens)
    speed = settings.tokens_per_second
    return Advice(
        max_flip=settings.max_flip,
        n=n,
        flip=flip,
        is_modelled=n is not None and 2 * n > pool,
        rollouts=None if n is None else n * totals.prefixes,
        tokens=tokens,
        engine_hours=None if tokens is None or not speed else tokens / speed / 3600,
        doublings=tuple(_doublings(known)),
        options=tuple(ranked),
        choice=next((o for o in ranked if o.error <= settings.max_flip), None),
    )


def _doublings(known: Known) -> Iterator[Doubling]:
    """What twice as many rollouts would buy, from each N of the grid; the last from the pool."""
    settings, histograms, totals = known.settings, known.histograms, known.totals
    pool, found = settings.pool, known.found
    for n in settings.sizes:
        keys = [Key("located_exact", known.reference, "first_zero", m) for m in (n, 2 * n)]
        exact = [found[key] for key in keys if key in found]
        reliable = [float(histograms.reliability(m)[0]) for m in (n, 2 * n)]
        yield Doubling(
            n=n,
            is_modelled=2 * n > pool,
            flips=max(0.0, known.zero(n) - known.zero(2 * n)) if pool > 1 else None,
            reliability=_gain(reliable) if pool > 1 else None,
            located=_gain([float(m.replicates[0]) for m in exact]),
            rollouts=n * totals.prefixes,
            tokens=round(n * totals.mean_tokens),
        )


def _gain(pair: Sequence[float]) -> float | None:
    """The second less the first; None where either is missing or undefined."""
    if len(pair) < 2 or not all(map(isfinite, pair)):
        return None
    return pair[1] - pair[0]


def weighed(known: Known) -> Iterator[Option]:
    """Exhaustive, scan and bisection at each N, on solutions with a wrong answer.

    Against truth where there is some; else against what the rule says of the pool, up to half of
    it.
    """
    found, reference = known.found, known.reference
    for n in known.settings.sizes:
        if reference == "pool" and 2 * n > known.settings.pool:
            break
        for policy, rule in _ways():
            exact = found.get(Key("located_exact", reference, rule, n))
            cost = [
                found.get(Key(f"{COST}{what}", "", policy, n)) for what in ("rollouts", "tokens")
            ]
            if exact is None or cost[0] is None or cost[1] is None:
                continue
            wrong = estimate(1 - exact.replicates, exact.over, exact.problems, is_share=True)
            if wrong.value is not None:
                yield Option(
                    policy=policy,
                    rule=rule,
                    n=n,
                    confidence=None,
                    reference=reference,
                    error=wrong.value,
                    low=wrong.low,
                    high=wrong.high,
                    rollouts=float(cost[0].replicates[0]),
                    tokens=float(cost[1].replicates[0]),
                )


def _ways() -> Iterable[tuple[str, str]]:
    """Policies, and the rules by which their rollouts can be read."""
    for policy in POLICIES:
        yield policy, "bisection" if policy == "bisection" else "first_zero"
    yield "exhaustive", "posterior"
