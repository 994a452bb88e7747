"""plan_table.py - a Plan as a person reads it: one table, and what the numbers rest on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from labeler.apps.costing import Plan
from labeler.apps.pilot import Pilot
from labeler.apps.unwritten import CHARS_PER_TOKEN, RIGHT, STEP_CHARS, STEPS
from labeler.apps.worlds import Rates
from labeler.config import RunConfig

if TYPE_CHECKING:
    from rich.console import Console

ROUGH_SECONDS = 60.0
"""A shorter pilot gets a warning about its speed."""


def show(plan: Plan, config: RunConfig, console: "Console", *, taken: bool) -> None:
    """Print the plan; `taken` says that the run directory belongs to another configuration."""
    table = Table(box=SIMPLE, title=Text(f"plan of {config.name}"), title_justify="left")
    table.add_column("what")
    table.add_column("how many", justify="right")
    table.add_column("rests on")
    for what, number, basis in _rows(plan, config):
        table.add_row(Text(what), Text(number), Text(basis))
    console.print(table)
    for line in _remarks(plan, config, taken=taken):
        console.print(line, markup=False, highlight=False)


def _rows(plan: Plan, config: RunConfig) -> Iterator[tuple[str, str, str]]:
    source = f"measured in {plan.pilot.name}" if plan.pilot else "assumed"
    counted = f"{source}, {plan.blank:,} unwritten" if plan.blank else "counted"
    share = plan.right / plan.solutions if plan.solutions else 0.0
    yield "problems", f"{plan.problems:,}", "counted"
    if plan.rejected:
        yield "rows to quarantine", f"{plan.rejected:,}", "counted"
    yield "solutions to label", f"{plan.solutions:,}", "asked for" if plan.blank else "counted"
    yield "  right answers", f"{share:.0%}", counted if plan.blank else "graded"
    yield "  steps", f"{plan.steps:,}", counted
    yield "distinct prefixes", f"{plan.prefixes:,}", counted
    exact = plan.is_exact and not plan.blank
    yield (
        f"rollouts ({config.policy.kind})",
        _number(plan.rollouts),
        ("counted" if exact else f"at most {plan.rollouts_most:,}"),
    )
    if plan.held:
        yield "  in the log already", _number(plan.held), "counted" if exact else source
        yield "  still to sample", _number(plan.left), "the difference"
    if plan.further:
        named = ", ".join(prover.name for prover in config.completers)
        yield "rollouts of further completers", f"{plan.further:,}", f"counted: {named}"
        yield "  still to sample", f"{plan.further_left:,}", "counted"
    if plan.judged:
        yield "answers of the judge", f"at most {plan.judged:,}", "counted; their tokens are not"
    if plan.left or plan.blank or plan.further_left:
        yield "completion tokens", _about(plan.completion_tokens), source
        yield "prompt tokens", _about(plan.prompt_tokens), source
        yield from _hours(plan, config)


def _hours(plan: Plan, config: RunConfig) -> Iterator[tuple[str, str, str]]:
    hours = plan.engine_hours
    rate = plan.pilot.speed if plan.pilot else None
    if hours is None or rate is None:
        yield "engine-hours", "unknown", "needs a pilot"
        return
    yield "engine-hours", f"{hours:,.2f}", f"{_about(rate.tokens)} tokens/s an engine"
    engines = getattr(config.runner, "actors", 1)
    if engines > 1:
        yield "hours of the run", f"{hours / engines:,.2f}", f"{engines} engines, all busy"


def _remarks(plan: Plan, config: RunConfig, *, taken: bool) -> Iterator[str]:
    if taken:
        yield (
            f"{config.root} holds a run of another configuration, which `labeler run` will "
            "refuse to go on with; it is left out here."
        )
    if not plan.left and not plan.blank and not plan.further_left:
        yield (
            "Nothing is left to sample but what the judge has not been asked yet."
            if plan.judged
            else "Nothing is left to sample."
        )
        return
    saved = plan.prefixes * plan.n
    if plan.rollouts < saved:
        yield f"Every prefix {plan.n} times would be {saved:,} rollouts."
    if not plan.is_exact:
        yield _luck(plan)
    yield from _doubts(plan.pilot) if plan.pilot else _assumed(plan, config)
    yield (
        "Prompt tokens are summed over rollouts; with prefix caching an engine reads most of "
        "them once a prefix. Start-up, and rollouts that replace ungradable ones, come on top."
    )


def _doubts(pilot: Pilot) -> Iterator[str]:
    if pilot.differs:
        yield f"The pilot had another {', '.join(pilot.differs)}: its rates may not hold."
    if pilot.speed is None:
        yield "The pilot was too short to tell how fast an engine is."
    elif pilot.speed.seconds < ROUGH_SECONDS:
        yield f"The speed is rough: the pilot was watched for only {pilot.speed.seconds:.0f} s."


def _luck(plan: Plan) -> str:
    which = "measured" if plan.pilot else "assumed"
    drawn = "" if plan.share == 1 else f" of {plan.share:.1%} of the problems"
    how = (
        "a wrong solution's first error is equally likely at each step (assumed); completions "
        f"reach the gold answer {plan.nature.alive:.0%} of the time before it and "
        f"{plan.nature.dead:.0%} after it ({which})."
        if isinstance(plan.nature, Rates)
        else "drawn from the policy's value model, which `labeler calibrate` fits to a pilot."
    )
    return f"Rollouts are the mean over {plan.worlds} simulated worlds{drawn}: {how}"


def _assumed(plan: Plan, config: RunConfig) -> Iterator[str]:
    budget = config.completer.sampling.max_tokens
    yield (
        f"Tokens: {CHARS_PER_TOKEN:g} characters a token (assumed); a completion is as long as "
        f"what it stands in for, {budget:,} tokens (max_tokens) at most."
    )
    if config.policy.kind == "omega":
        yield (
            f"Solutions that the search follows: {STEPS} steps of {STEP_CHARS} characters "
            "(assumed); the more steps, the more probes each."
        )
    if plan.blank:
        yield (
            f"Solutions still to be generated: {STEPS} steps of {STEP_CHARS} characters, "
            f"{RIGHT:.0%} of them right (assumed); siblings share the question alone."
        )
    if plan.problems:
        few = max(1, min(20, plan.problems // 10))
        yield (
            "To measure instead, do a small part first; the run goes on from it and nothing is "
            f"paid twice: labeler run CONFIG problems.limit={few}, then plan again."
        )


def _number(value: float) -> str:
    """Whole where it is exact, else as an estimate."""
    return f"{value:,.0f}" if value == int(value) else _about(value)


def _about(value: float) -> str:
    """To three digits."""
    for size, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:,.0f}"
