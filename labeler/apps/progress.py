"""progress.py - what a person sees of a run: a live line on a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from labeler.apps.run import Summary, Watcher
from labeler.config import RunConfig
from labeler.fulfil import Counters
from labeler.ingest import Ingested
from labeler.shards import WARN_SHARE, Facts
from labeler.units import UnitReport

PLAIN_SECONDS = 10.0
"""How often a line is printed where the output is no terminal."""


class Shown(Watcher):
    """Prints how a run goes on."""

    def __init__(self, console: Console, live: Live | None) -> None:
        self._console = console
        self._live = live
        self._began = time.monotonic()
        self._printed = self._began
        self._solutions = 0
        self._units = (0, 0)
        self._counters = Counters()

    def start(self, ingested: Ingested, todo: int) -> None:
        """Say what was read."""
        self._units = (0, todo)
        self._console.print(
            f"{ingested.rows_in} rows read, {ingested.quarantined} quarantined: "
            f"{ingested.problems} problems with {ingested.solutions} given solutions; "
            f"{todo} of {len(ingested.units)} units to do"
        )
        self._began = time.monotonic()

    def watch(self, counters: Counters) -> None:
        """Renew the line; where there is no terminal, print one now and then."""
        self._counters = counters
        if self._live is not None:
            self._live.update(self._line())
        elif time.monotonic() - self._printed > PLAIN_SECONDS:
            self._printed = time.monotonic()
            self._console.print(self._line(), soft_wrap=True)

    def committed(self, report: UnitReport) -> None:
        """One unit fewer."""
        self._units = (self._units[0] + 1, self._units[1])

    def _line(self) -> str:
        seconds = max(time.monotonic() - self._began, 1e-9)
        done, todo = self._units
        counters = self._counters
        left = f"{_clock(seconds / done * (todo - done))} left" if done else "time left unknown yet"
        return (
            f"units {done}/{todo} · {counters.solutions} solutions · "
            f"{counters.rollouts / seconds:,.0f} rollouts/s · "
            f"{counters.tokens / seconds:,.0f} tokens/s · {shares(counters)} · {left}"
        )


def shares(counters: Counters) -> str:
    """Truncated and ungradable share of what was graded now."""
    graded = max(counters.graded, 1)
    return (
        f"truncated {counters.truncated / graded:.1%} · "
        f"ungradable {counters.ungradable / graded:.1%}"
    )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


@contextmanager
def watcher(config: RunConfig, console: Console) -> Iterator[Shown]:
    """A watcher that prints to `console` while the context lasts."""
    console.print(f"run {escape(config.name)} in {escape(str(config.root))}", soft_wrap=True)
    if not console.is_terminal:
        yield Shown(console, None)
        return
    with Live("", console=console, refresh_per_second=4, transient=True) as live:
        yield Shown(console, live)


def show(summary: Summary, config: RunConfig, console: Console) -> None:
    """What the run did, what the label set holds, and where to look next."""
    counters = summary.counters
    rate = counters.tokens / max(summary.seconds, 1e-9)
    console.print(
        f"{counters.rollouts} rollouts sampled ({counters.replayed} times one was already "
        "in the log), "
        f"{counters.tokens} tokens in {_clock(summary.seconds)} "
        f"({rate:,.0f} tokens/s, start-up included); {shares(counters)}",
        soft_wrap=True,
    )
    show_facts(summary.facts, config.root, console)
    for unit, cause in summary.failed.items():
        console.print(f"unit {unit} failed: {escape(cause)}", style="red")
    if summary.given_up:
        cause = next(iter(summary.given_up.values()))
        console.print(
            f"{len(summary.given_up)} prefixes (of solutions, or a judge's questions) could not be "
            f"rolled out, such as: {escape(cause)}",
            style="red",
        )
    if not complete(summary):
        console.print("The same command tries again what failed.")


def complete(summary: Summary) -> bool:
    """Whether everything that could be labelled is."""
    return not (summary.failed or summary.given_up or summary.facts.failed)


def show_facts(facts: Facts, root: Path, console: Console) -> None:
    """What the published label set holds."""
    counts = facts.counts
    table = Table(title=f"labels in {escape(str(root / 'labels'))}", show_header=False)
    table.add_column(justify="left")
    table.add_column(justify="right")
    table.add_column(style="dim")
    for row in _fact_rows(facts):
        table.add_row(*row)
    console.print(table)
    if counts.share(counts.truncated) > WARN_SHARE:
        console.print(
            f"{counts.share(counts.truncated):.1%} of the rollouts ran out of tokens and count as "
            "incorrect: raise completer.sampling.max_tokens",
            style="yellow",
        )


_RULES = {
    "posterior": "where the values most likely drop",
    "first_zero": "the first step that no rollout survives",
}


def _fact_rows(facts: Facts) -> Iterator[tuple[str, str, str]]:
    counts = facts.counts
    quarantined = sum(facts.quarantined.values())
    reasons = ", ".join(f"{reason} {n}" for reason, n in sorted(facts.quarantined.items()))
    located = sum(n for at, n in counts.first_errors.items() if at)
    yield "rows in", str(facts.rows_in), ""
    if facts.trees and facts.trees.bare:
        yield "  of them bare", str(facts.trees.bare), "problems without a solution, searched"
    yield "solutions labelled", str(counts.solutions), f"{counts.right} right, {counts.wrong} wrong"
    if trees := facts.trees:
        yield "  of them branches", str(trees.branches), "rollouts that a tree search followed"
        yield "states", str(trees.states), "prefixes with their values, in states/"
        yield "pairs", str(trees.pairs), "preferred and rejected next step, in pairs/"
    yield "rows quarantined", str(quarantined), reasons
    yield "rows failed", str(facts.failed), ""
    yield "first errors located", str(located), _RULES.get(facts.rule, facts.rule)
    yield (
        "first error undecided",
        str(counts.first_errors.get(None, 0)),
        "none is likely enough, or what would tell was not measured",
    )
    if counts.consensus:
        dropped = (f"{why} {n}" for why, n in sorted(counts.consensus.items()) if why != "kept")
        kept = str(counts.consensus.get("kept", 0))
        yield "kept by consensus", kept, ", ".join(dropped)
    yield "steps labelled", str(counts.steps), "one boolean `target` each, and soft values"
    yield "  target true", str(counts.targets.get("true", 0)), "before the first error"
    yield "  target false", str(counts.targets.get("false", 0)), "from the first error on"
    if counts.ratings:
        neutral = f"progress within {facts.neutral:g} of zero"
        yield "  rated 0 (neutral)", str(counts.ratings.get("0", 0)), neutral
    yield (
        "  measured",
        str(counts.bases.get("measured", 0)),
        "by rollouts; the last step by its answer",
    )
    if facts.provers:
        yield "provers", str(len(facts.provers)), "values under each, beside the completer's own"
        yield from ((f"  {name}", "", what) for name, what in facts.provers.items())
    yield "rollouts behind them", str(counts.rollouts), f"{counts.tokens} tokens"
    yield "truncated", f"{counts.share(counts.truncated):.1%}", "of the rollouts of steps"
    yield "ungradable", f"{counts.share(counts.ungradable):.1%}", "topped up once"
