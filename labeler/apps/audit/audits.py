"""audits.py - from one run directory, or two, to findings."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import TypeAdapter

from labeler.apps.audit.disagreement import Disagreement, regrade
from labeler.apps.audit.how import How
from labeler.apps.audit.kept import Sample, is_default
from labeler.apps.audit.labelled import Labelled
from labeler.apps.audit.outputs import Outputs, check, tell
from labeler.apps.audit.replays import options
from labeler.apps.audit.scan import Scan
from labeler.apps.audit.shared import Shared, shared
from labeler.apps.audit.sources import AuditError, Source, open_source
from labeler.apps.truths import read_truths
from labeler.audit.auditing import Audit, compared
from labeler.audit.chains import Chains
from labeler.audit.findings import Disagreed, Findings, Option
from labeler.audit.measured import Measured, contrast
from labeler.audit.settings import AuditSettings, pool_size
from labeler.config import ConfigError
from labeler.grading import AnswerGrader
from labeler.policies import Policy

if TYPE_CHECKING:
    from rich.console import Console

REPLAYED = 200
"""Solutions of the sample that policies are replayed on, at most: each takes up to a tenth of a
second."""


@dataclass(frozen=True, slots=True)
class Audited:
    """One run's audit."""

    audit: Audit
    labelled: tuple[Measured, ...]
    findings: Findings


def findings_of(root: Path, truth: Path | None = None, how: How | None = None) -> Findings:
    """Audit a run directory; `truth` is that of `how`, for callers that want nothing else.

    Raises ConfigError where it is no run or the truth does not fit, AuditError where there is
    nothing to audit, FileError where a file is damaged.
    """
    how = how or How(truth=truth)
    return audited(open_source(root, how.completer), how).findings


def audit(root: Path, other: Path | None, how: How, out: Outputs, console: "Console") -> None:
    """Audit a run, or two against each other; print or write what was found.

    Raises as `findings_of`; AuditError where two runs have no problem in common, ConfigError where
    an output is a directory.
    """
    check(out)
    if other is None:
        tell([findings_of(root, how=how)], (), out, console)
        return
    sources = open_source(root), open_source(other, how.completer)
    both = shared(*sources)
    first, second = (audited(one, how, both) for one in sources)
    own = {measured.key: measured for measured in second.labelled}
    beside = [contrast(one, own[one.key]) for one in first.labelled if one.key in own]
    contrasts = (*beside, *compared(first.audit, second.audit))
    tell([first.findings, second.findings], contrasts, out, console)


def audited(source: Source, how: How, only: Shared | None = None) -> Audited:
    """Audit one run, or of it what it shares with another. Raises as `findings_of`."""
    truths = read_truths(how.truth) if how.truth is not None else {}
    scan = Scan(source, truths, Sample(min(how.sample, REPLAYED), how.seed), only)
    batches = scan.chains()
    first = next(batches, None)
    if first is None:
        raise AuditError(
            f"{source.run.root} holds no solution whose own answer was graded: there is nothing to "
            "audit"
        )
    if how.truth is not None and not truths:
        raise ConfigError(f"{how.truth} names no first error")
    settings = _settings(source, how, _sizes(first))
    made, own = Audit(settings), Labelled(how.seed, source.labels.n)
    for chains in chain([first], batches):
        made.add(chains)
        if source.prover is None:
            own.add(chains)
    speed = _speed(source, scan)
    made.settings = replace(settings, tokens_per_second=speed)
    further = list(_replayed(scan, made)) if how.sample else []
    found = made.findings(
        _facts(source, scan),
        further=further,
        disagreed=_disagreed(source, scan, how),
    )
    compared_to = [only.caution] if only is not None and only.caution else []
    before, after = _left_out(scan, found, how), _assumed(scan, found)
    cautions = (*source.cautions, *compared_to, *before, *found.cautions, *after)
    labelled = tuple(own.measured())
    rows = (*(measured.row() for measured in labelled), *found.rows)
    return Audited(made, labelled, replace(found, rows=rows, cautions=cautions))


def _settings(source: Source, how: How, sizes: Mapping[int, int]) -> AuditSettings:
    config = source.config
    policies = [entry.policy for entry in source.entries.values()]
    read = TypeAdapter[Policy](Policy).validate_python
    early = any(read(dict(policy)).stops_early for policy in policies)
    early |= not policies and config.policy.stops_early
    early &= source.prover is None
    return AuditSettings(
        pool=how.pool or pool_size(sizes, stops_early=early),
        grid=how.grid,
        max_flip=how.max_flip,
        sample=how.sample,
        seed=how.seed,
        value_model=source.value_model,
        decided=source.labels.decided,
        stops_early=early,
    )


def _sizes(chains: Chains) -> Mapping[int, int]:
    """Prefixes by rollouts, of the first batch: units come in an order that has no meaning."""
    n = np.asarray(chains.n)[chains.once]
    sizes, prefixes = np.unique(n, return_counts=True)
    return dict(zip(sizes.tolist(), prefixes.tolist(), strict=True))


def _speed(source: Source, scan: Scan) -> float | None:
    """Tokens a second of one engine; None where no model ran, or not for long enough."""
    if not source.sampled:
        return None
    return scan.totals.clock.tokens_per_second(source.engines)


def _replayed(scan: Scan, made: Audit) -> Iterator[Option]:
    """The adaptive policy on the sample."""
    if made.settings.pool > 1:
        yield from options(scan.kept, made.settings, made.reference)


def _disagreed(source: Source, scan: Scan, how: How) -> Disagreed | None:
    """What two graders say of the same rollouts; None where none has two verdicts."""
    found = scan.disagreement
    if found is None and how.sample:
        found = asyncio.run(_regraded(source, how))
    if found is None or not found.both:
        return None
    return Disagreed(found.changed, found.both, tuple(found.examples))


async def _regraded(source: Source, how: How) -> Disagreement | None:
    """A sample graded by this installation; None where the log's grader is the same."""
    if AnswerGrader(source.config.grading).version == source.grader:
        return None
    async with AnswerGrader(source.config.grading) as grader:
        return await regrade(source, grader, how.sample, how.seed)


def _facts(source: Source, scan: Scan) -> dict[str, Any]:
    return {
        "name": source.config.name,
        "path": str(source.run.root),
        "config_hash": source.config.hash,
        "completer": source.completer,
        "prover": source.prover.name if source.prover else None,
        "grader": source.grader,
        "policy": source.config.policy.kind,
        "units": len(source.units),
        "tokens_per_second": _speed(source, scan),
    }


def _left_out(scan: Scan, found: Findings, how: How) -> Iterator[str]:
    """What the findings are not about."""
    if unseen := scan.totals.unseen:
        yield (
            f"Of the run's solutions {unseen:,} are left out, since their own answers were not "
            "graded: not worked on yet, or of a gold that the grader refused."
        )
    if how.truth is not None and not found.run["truth"]:
        yield f"{how.truth} names none of the run's solutions: nothing is said against truth."


def _assumed(scan: Scan, found: Findings) -> Iterator[str]:
    """What of the run's own settings the findings differ from, or lack."""
    labels = scan.source.labels
    if labels.hard_at_least > 0:
        yield (
            f"The run calls a step good from a share of {labels.hard_at_least:g} correct rollouts "
            "on (labels.hard_at_least); this audit does from one correct rollout on."
        )
    if is_default(scan.source.value_model) and any(row.rule == "posterior" for row in found.rows):
        yield (
            "The posterior rests on the default value model, which was not fitted to this log: "
            "`labeler calibrate` fits one."
        )
    if found.run["tokens_per_second"] is None:
        yield "The log does not say how fast a model is: there are no engine-hours."
