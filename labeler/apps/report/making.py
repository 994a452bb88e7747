"""making.py - from a run directory to its page: read, audit, draw, write."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labeler.apps.report import advised, sections
from labeler.apps.report.advised import Found
from labeler.apps.report.drawing import draw, ready
from labeler.apps.report.holding import Held, Wanted, held
from labeler.apps.report.logged import logged
from labeler.apps.report.page import page
from labeler.apps.report.pictures import PARTS, pictures
from labeler.apps.report.plots import Plot, numbers
from labeler.config import ConfigError
from labeler.model import LabelerError

if TYPE_CHECKING:
    from rich.console import Console

    from labeler.files import RunDir
    from labeler.shards import Facts


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture as the page takes it."""

    plot: Plot
    svg: str
    table: list[tuple[str, ...]]


def report(
    run: Path,
    out: Path | None,
    truth: Path | None,
    max_mb: float,
    plots: Path | None,
    screen: "Console",
) -> Path:
    """Write a run's page, and with `plots` its pictures as files there. Where the page is.

    `max_mb` millions of bytes of solutions and rollouts are embedded at most. Raises ConfigError
    for options that do not fit, LabelerError where the run has no labels or matplotlib is not
    installed, FileError where a file cannot be read or written.
    """
    from labeler.apps.audit import findings_of
    from labeler.apps.audit.sources import AuditError
    from labeler.apps.truths import read_truths
    from labeler.files import RunDir

    if plots is not None and plots.exists() and not plots.is_dir():
        raise ConfigError(f"--plots: {plots} is a file; name a folder")
    if not max_mb > 0:
        raise ConfigError(f"--max-mb: a size above zero is needed, not {max_mb:g}")
    where = RunDir(run)
    if not any(where.labels.glob("*.parquet")):
        raise LabelerError(f"{run} has no labels yet: `labeler run` publishes them")
    ready()
    truths = read_truths(truth) if truth is not None else {}
    found: Found
    try:
        found = findings_of(run, truth=truth).as_dict()
    except AuditError as error:
        found = advised.unaudited(str(error))
    named = {e["solution_id"] for cause in found["causes"] for e in cause["examples"]}
    wanted = Wanted(max_mb, found["run"]["seed"], named, truths)
    path = out or where.root / "report.html"
    write(where, found, wanted, path, plots)
    size = path.stat().st_size / 1e6
    screen.print(f"{path}: {size:,.1f} MB", markup=False, highlight=False, soft_wrap=True)
    return path


def write(run: "RunDir", found: Found, wanted: Wanted, path: Path, folder: Path | None) -> None:
    """Write the page that shows these findings. Raises as `report`."""
    from labeler import manifest
    from labeler.apps.facts import facts_of
    from labeler.apps.label import as_labelled, read_config
    from labeler.files import write_text

    entries = manifest.read(run)
    config = as_labelled(read_config(run), entries.values())
    facts = facts_of(config, run, entries)
    holds = held(run, config, wanted)
    why, agreed = _consensus(run)
    context = {
        "name": facts.name,
        "version": version("labeler"),
        "sections": sections.SECTIONS,
        "why": {**sections.WHY, "consensus": why},
        "sentences": found["sentences"],
        "cautions": found["cautions"],
        "tiles": sections.tiles(facts, found, logged(run)),
        "made_from": sections.made_from(facts),
        "tables": sections.label_tables(facts),
        "advice": advised.advice(found),
        "causes": advised.causes(found),
        "checks": advised.checks(found),
        "consensus": agreed,
        "quarantine": sections.quarantine(facts),
        "drawn": _drawn(found, facts, holds, folder),
        "sampled": sections.sampled(len(holds.rows), holds.rows.offered, wanted),
        **holds.blocks(),
    }
    write_text(path, page(context))


def _consensus(run: "RunDir") -> tuple[str, Mapping[str, Any] | None]:
    """How rollouts and judge agree; where nobody judged, why that cannot be said."""
    from rich.console import Console

    from labeler.apps.consensus import consensus

    try:
        return "", sections.consensus(consensus(run.root, Console(quiet=True)))
    except LabelerError as error:
        said = str(error)
        return said[0].upper() + said[1:], None


def _drawn(
    found: Found, facts: "Facts", holds: Held, folder: Path | None
) -> dict[str, list[Drawn]]:
    """The pictures of each section."""
    spent = holds.spent
    costs = spent.costs(facts.policy, facts.n) if spent.rollouts else []
    options = found["advice"]["options"] if found["advice"] else []
    made: dict[str, list[Drawn]] = {part: [] for part in PARTS}
    for part, plot in pictures(found["rows"], costs, options):
        made[part].append(Drawn(plot, draw(plot, folder), numbers(plot)))
    return made
