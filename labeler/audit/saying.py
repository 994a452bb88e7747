"""saying.py - the findings in three sentences."""

from collections.abc import Mapping
from typing import NamedTuple

from labeler.audit.advice import BEYOND, Known
from labeler.audit.findings import Advice, Row
from labeler.audit.measured import Key
from labeler.audit.settings import AuditSettings
from labeler.audit.words import listed, rollouts

USUAL = 8
"""The N that sentences speak of, where the pool is at least twice as large (Math-Shepherd's)."""

_RULES = {"first_zero": "the first zero", "bisection": "bisection", "posterior": "the posterior"}

Rows = Mapping[Key, Row]


def sentences(known: Known, advice: Advice, rows: Rows) -> tuple[str, ...]:
    """Labels, first errors, and what to do."""
    return (_labels(known.settings, rows), _first_errors(known, rows), _advice(known, advice))


def _spoken(settings: AuditSettings) -> int:
    within = [n for n in settings.sizes if n <= USUAL and 2 * n <= settings.pool]
    return max(within, default=settings.sizes[0])


def _labels(settings: AuditSettings, rows: Rows) -> str:
    n, pool = _spoken(settings), settings.pool
    against = (("truth", "the truth"), ("pool", f"{_all(pool)} of the log"))
    wrong: list[str] = []
    for reference, name in against:
        if number := _known(rows, Key("hard_wrong", reference, n=n)):
            what = "" if wrong else " of hard labels are wrong"
            wrong.append(f"{_share(number)}{what} against {name}")
    said = [listed(wrong)] if wrong else []
    error = _known(rows, Key("soft_se", "value", n=n))
    reliable = _known(rows, Key("soft_reliability", "value", n=n))
    if error:
        beside = f" and a reliability of {reliable.value:.2f}" if reliable else ""
        said.append(f"soft labels have a standard error of {error.value:.3f}{beside}")
    if not said:
        return f"With {rollouts(pool)} a prefix nothing can be said of how noisy labels are."
    return f"With {rollouts(n)} a prefix, {'; '.join(said)}."


def _first_errors(known: Known, rows: Rows) -> str:
    n, reference, pool = _spoken(known.settings), known.reference, known.settings.pool
    found, early, unsure = [], [], ""
    for rule, name in _RULES.items():
        exact = _known(rows, Key("located_exact", reference, rule, n))
        before = _known(rows, Key("located_early", reference, rule, n))
        if exact and before:
            found.append(f"{_share(exact)} by {name}")
            early.append(_percent(before.value))
            undecided = _known(rows, Key("located_undecided", reference, rule, n))
            if undecided and undecided.value:
                unsure = f"; {name} leaves {_percent(undecided.value)} undecided"
    if not found:
        return "Nothing can be said of where first errors are found."
    of = "true first errors" if reference == "truth" else f"first errors that {_all(pool)} name"
    verb = "finds" if n == 1 else "find"
    too_early = f"{listed(early)} {'are' if len(early) > 1 else 'is'} placed too early"
    return f"Of the {of}, {rollouts(n)} a prefix {verb} {listed(found)}; {too_early}{unsure}."


def _advice(known: Known, advice: Advice) -> str:
    goal, pool = _percent(advice.max_flip), known.settings.pool
    if advice.n is not None:
        more = f"{2 * advice.n} would, by a model," if advice.is_modelled else f"all {pool} would"
        cost = [f"{advice.rollouts:,} rollouts", f"{advice.tokens:,} tokens"]
        if advice.engine_hours is not None:
            cost.append(f"{advice.engine_hours:,.1f} engine-hours")
        text = (
            f"With {rollouts(advice.n)} a prefix ({listed(cost)} for this log's prefixes), "
            f"{more} change at most {goal} of hard labels"
        )
        most = max(advice.n, pool) << BEYOND
        changed = max(0.0, known.zero(advice.n) - known.zero(most))
        text += f", and {most}, by a model, {_percent(changed)}"
    elif all(step.flips is None for step in advice.doublings):
        text = "One rollout a prefix does not tell how many are needed"
    else:
        last = advice.doublings[-1].n << BEYOND
        text = (
            f"Even from {last} rollouts a prefix, twice as many would, by a model, change over "
            f"{goal} of hard labels"
        )
    return f"{text}{_policy(advice, goal)}."


def _policy(advice: Advice, goal: str) -> str:
    if not advice.options:
        return ""
    best = advice.choice or min(advice.options, key=lambda option: option.error)
    name = f"{best.policy} with {rollouts(best.n)} a prefix"
    if best.confidence is not None:
        name = f"{best.policy} at confidence {best.confidence:g}"
    elif best.policy == "exhaustive" and best.rule in _RULES:
        name += f" read by {_RULES[best.rule]}"
    aim = f"misses at most {goal} of first errors"
    error = _share(_Number(best.error, best.low, best.high))
    missed = f"misses {error} for {best.rollouts:,.1f} rollouts a solution"
    if advice.choice:
        return f"; the cheapest policy that {aim} is {name}, which {missed}"
    return f"; no policy tried {aim}: the best one, {name}, {missed}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share >= 0.0995 else f"{100 * share:.2g}%"


class _Number(NamedTuple):
    value: float
    low: float | None
    high: float | None


def _known(rows: Rows, key: Key) -> _Number | None:
    row = rows.get(key)
    return None if row is None or row.value is None else _Number(row.value, row.low, row.high)


def _share(number: _Number) -> str:
    if number.low is None or number.high is None:
        return _percent(number.value)
    return f"{_percent(number.value)} ({_percent(number.low)} to {_percent(number.high)})"


def _all(pool: int) -> str:
    return {1: "the 1 rollout", 2: "both rollouts"}.get(pool, f"all {pool} rollouts")
