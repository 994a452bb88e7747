"""provers.py - the value columns that one completer's rollouts give, and its Best-of-J provers'.

The run's own completer and a further one go the same way, so that equal rollouts give equal
columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labeler.labels.best_of import best_of
from labeler.labels.config import LabelConfig, is_hard
from labeler.labels.rows import ProverValue, Value
from labeler.labels.values import Tally, difference, measured

if TYPE_CHECKING:
    from labeler.posterior.values import Posterior

Columns = tuple[ProverValue, ...]
"""(K+1,): the columns of prefixes 0..K of a solution of K steps under one prover."""


@dataclass(frozen=True, slots=True)
class ProverEvidence:
    """What a further completer's rollouts say of one solution; their number was set beforehand."""

    name: str
    tallies: Mapping[int, Tally]
    """By prefix, 0..K-1; absent where nothing was rolled out."""
    belief: "Posterior | None" = None
    """What all its counts of the problem say of this solution; None: no value model is its own."""


def values_of(
    tallies: Mapping[int, Tally], own: Value, steps: int, confidence: float
) -> list[Value]:
    """(K+1,): the values of prefixes 0..K-1 from their counts, and `own`, that of the whole."""
    counts = (tallies.get(k, Tally()) for k in range(steps))
    return [*(measured(t.correct, t.n, confidence) for t in counts), own]


def columns(known: ProverEvidence, values: Sequence[Value], config: LabelConfig) -> Columns:
    """The columns of one prover, from the (K+1,) values of prefixes 0..K under it.

    Progress of prefix 0 is None, of each other one its value less that of the prefix before.
    """
    belief = known.belief
    means, lows, highs = (
        (belief.mean.tolist(), belief.low.tolist(), belief.high.tolist())
        if belief
        else ([None] * len(values),) * 3
    )
    found = []
    for k, value in enumerate(values):
        tally = known.tallies.get(k, Tally())
        progress = difference(value, values[k - 1]) if k else None
        found.append(
            ProverValue(
                prover=known.name,
                n=value.n,
                correct=value.correct,
                truncated=tally.truncated,
                ungradable=tally.ungradable,
                soft=value.soft,
                low=value.low,
                high=value.high,
                soft_posterior=means[k],
                credible_low=lows[k],
                credible_high=highs[k],
                hard=is_hard(value, config),
                progress=progress.mean if progress else None,
                progress_low=progress.low if progress else None,
                progress_high=progress.high if progress else None,
            )
        )
    return tuple(found)


def best_of_columns(
    known: ProverEvidence, values: Sequence[Value], config: LabelConfig, *, is_fixed: bool = True
) -> Iterator[Columns]:
    """The columns of the Best-of-J provers of one completer, one for each J of the configuration.

    The value of a whole solution is its own answer's verdict under any prover. Where the numbers
    of rollouts were not set beforehand (not `is_fixed`), its values are None.
    """
    *rolled_out, own = values
    for j in config.best_of:
        name = "/".join(filter(None, (known.name, f"best_of_{j}")))
        found = [*(best_of(v, j) if is_fixed else _untold(v) for v in rolled_out), own]
        yield columns(ProverEvidence(name, known.tallies), found, config)


def _untold(value: Value) -> Value:
    return Value(value.n, value.correct, None, None, None)
