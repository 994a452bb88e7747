"""facts.py - what a run holds, counted for its card and for the command line.

Rows in are accounted for: each is labelled, searched without a solution of its own, quarantined
or failed. Branches that a tree search followed are no rows; they count beside.
"""

from collections.abc import Mapping, Sequence

from labeler import manifest
from labeler.config import RunConfig
from labeler.files import RunDir, count_rows, parts
from labeler.ingest import count_quarantine, read_unit
from labeler.samplers import GENERATOR
from labeler.shards import Facts, LabelCounts, Trees, count_labels


def facts_of(config: RunConfig, where: RunDir, entries: Mapping[str, manifest.Entry]) -> Facts:
    """The facts of these committed units, all of whose parts lie in staged/. Raises FileError."""
    done = entries.values()
    counts = count_labels([where.staged / e.labels for e in done])
    quarantined = count_quarantine(where)
    units = [path.stem for path in parts(where.problems)]
    failed = sum(_unlabelled(where, unit, entries.get(unit)) for unit in units)
    branches = sum(e.branches for e in done)
    bare = sum(e.bare for e in done)
    trees = Trees(
        branches=branches,
        bare=bare,
        states=count_rows([where.staged / e.states for e in done if e.states]),
        pairs=count_rows([where.staged / e.pairs for e in done if e.pairs]),
    )
    return Facts(
        name=config.name,
        counts=counts,
        rows_in=counts.solutions - branches + bare + sum(quarantined.values()) + failed,
        policy=config.policy.kind,
        n=config.labels.n or config.policy.n,
        completer=", ".join(sorted({e.completer for e in done})),
        grader=", ".join(sorted({e.grader for e in done})),
        sampling=config.completer.sampling.model_dump(mode="json"),
        rule=config.labels.rule,
        quarantined=quarantined,
        failed=failed,
        trees=trees if any(e.states for e in done) else None,
        provers=_provers(config, list(done), counts),
        neutral=config.labels.neutral,
        weighted=config.labels.weighted,
    )


def _provers(
    config: RunConfig, done: Sequence[manifest.Entry], counts: LabelCounts
) -> dict[str, str]:
    """What each further prover is, by name."""
    untold = ""
    if counts.adaptive:
        of = f"{counts.adaptive} of {counts.solutions} solutions"
        untold = f"; no values in {of}, whose rollouts stopped by their outcomes"
    told = {f"best_of_{j}": f"Best-of-{j} of the completer{untold}" for j in config.labels.best_of}
    named = {p.name: p for entry in done for p in entry.provers}
    for name, prover in named.items():
        units = sum(any(p.name == name for p in entry.provers) for entry in done)
        some = "" if units == len(done) else f", in {units} of {len(done)} units"
        told[name] = f"`{prover.completer}`, {prover.n} rollouts a prefix{some}"
        for j in config.labels.best_of:
            told[f"{name}/best_of_{j}"] = f"Best-of-{j} of {name}"
    return told


def _unlabelled(where: RunDir, unit: str, entry: manifest.Entry | None) -> int:
    """Solutions of a unit (and problems without any) that are neither labelled nor quarantined."""
    if entry is None:
        return sum(len(solutions) or 1 for _, solutions in read_unit(where, unit))
    rows = count_rows(parts(where.solutions, unit))
    unwritten = sum(key.startswith(GENERATOR) for key in entry.failures)
    return max(0, rows - entry.solutions - entry.rejected) + unwritten
