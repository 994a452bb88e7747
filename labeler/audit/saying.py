"""saying.py - the findings in sentences: three that state them, and what cannot be concluded."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from labeler.audit.advice import BEYOND, Known
from labeler.audit.estimates import LEAST
from labeler.audit.findings import Advice, Row
from labeler.audit.measured import Key
from labeler.audit.settings import AuditSettings
from labeler.audit.totals import Totals

SMALL = 16
"""Rollouts below which a pool says little."""
USUAL = 8
"""The N that sentences speak of, where the pool is at least twice as large (Math-Shepherd's)."""

Rows = Mapping[Key, Row]


def sentences(known: Known, advice: Advice, rows: Rows) -> tuple[str, ...]:
    """Labels, first errors, and what to do."""
    return (_labels(known.settings, rows), _first_errors(known, rows), _advice(advice))


def _spoken(settings: AuditSettings) -> int:
    within = [n for n in settings.sizes if n <= USUAL and 2 * n <= settings.pool]
    return max(within, default=settings.sizes[0])


def _labels(settings: AuditSettings, rows: Rows) -> str:
    n, pool = _spoken(settings), settings.pool
    against = (("truth", "the truth"), ("pool", f"all {pool} rollouts"))
    said: list[str] = []
    for reference, name in against:
        wrong = _known(rows, Key("hard_wrong", reference, n=n))
        if wrong:
            what = "" if said else " of hard labels are wrong"
            said.append(f"{_share(wrong)}{what} against {name}")
    error = _known(rows, Key("soft_se", "value", n=n))
    reliable = _known(rows, Key("soft_reliability", "value", n=n))
    if error:
        beside = f" and a reliability of {reliable.value:.2f}" if reliable else ""
        said.append(f"soft labels have a standard error of {error.value:.2g}{beside}")
    if not said:
        return f"With a pool of {pool} nothing can be said of how noisy labels are."
    return f"With {_rollouts(n)} a prefix {', '.join(said)}."


def _first_errors(known: Known, rows: Rows) -> str:
    n, reference = _spoken(known.settings), known.reference
    said = []
    for rule in ("first_zero", "bisection", "posterior"):
        exact = _known(rows, Key("located_exact", reference, rule, n))
        early = _known(rows, Key("located_early", reference, rule, n))
        if exact and early:
            unsure = _known(rows, Key("located_undecided", reference, rule, n))
            beside = f" and {_percent(unsure.value)} undecided" if unsure else ""
            said.append(f"{rule} {_share(exact)} with {_percent(early.value)} too early{beside}")
    if not said:
        return "Nothing can be said of where first errors are found."
    of = "true first errors" if reference == "truth" else "the whole pool's first errors"
    return f"Of {of}, {_rollouts(n)} a prefix find: {'; '.join(said)}."


def _advice(advice: Advice) -> str:
    goal = _percent(advice.max_flip)
    if advice.n is None:
        last = advice.doublings[-1].n << BEYOND
        text = f"No number of rollouts up to {last} keeps the hard labels that flip to {goal}"
    else:
        basis = "by a model beyond the pool" if advice.is_modelled else "within the pool"
        text = (
            f"With {_rollouts(advice.n)} a prefix at most {goal} of hard labels flip ({basis}), "
            f"for {advice.rollouts:,} rollouts and {advice.tokens:,} tokens"
        )
        if advice.engine_hours is not None:
            text += f", {advice.engine_hours:,.1f} engine-hours"
        step = next((d for d in advice.doublings if d.n == advice.n), None)
        if step is not None and step.flips is not None:
            text += f"; twice as many would change {_percent(step.flips)}"
    return f"{text}{_policy(advice, goal)}."


def _policy(advice: Advice, goal: str) -> str:
    if not advice.options:
        return ""
    best = advice.choice or min(advice.options, key=lambda option: option.error)
    name = f"{best.policy} with {_rollouts(best.n)}"
    if best.confidence is not None:
        name = f"{best.policy} at confidence {best.confidence:g}"
    cost = f"{best.rollouts:,.1f} rollouts a solution"
    if advice.choice:
        return f"; the cheapest policy that misses at most {goal} of first errors is {name}, {cost}"
    missed = f"{name}, misses {_percent(best.error)} for {cost}"
    return f"; no policy tried misses at most {goal} of first errors, the best, {missed}"


def cautions(settings: AuditSettings, totals: Totals) -> tuple[str, ...]:
    """What cannot be concluded, and why."""
    if not totals.solutions:
        return ("There is no solution: nothing can be said.",)
    return (*_of_pool(settings, totals), *_of_content(totals), *_of_problems(totals))


def _of_pool(settings: AuditSettings, totals: Totals) -> Iterator[str]:
    pool = settings.pool
    if not totals.prefixes or totals.below == totals.prefixes:
        yield (
            f"No prefix has {_rollouts(pool)}: nothing that depends on the number of rollouts can "
            "be said; choose a smaller pool, or roll out more."
        )
        return
    if pool < SMALL:
        yield (
            f"The pool has {_rollouts(pool)} a prefix: it is hardly better than the labels it "
            f"judges, and of more than {pool} nothing was measured."
        )
    if totals.below:
        yield (
            f"{totals.below:,} of {totals.prefixes:,} rolled-out prefixes have fewer than "
            f"{pool} graded rollouts and are left out of all that depends on their number."
        )
    if 10 * totals.above >= totals.prefixes:
        yield (
            f"{totals.above:,} prefixes have at least {2 * pool} rollouts; a larger pool "
            "(--pool) would speak of these alone, and of larger numbers."
        )
    if settings.stops_early:
        yield (
            "The policy stopped by outcomes: shares of correct rollouts are biased, and prefixes "
            "with many rollouts are no sample of all; audit a log with a fixed number instead."
        )
    if pool > 1:
        yield (
            "Reliability assumes that rollouts of a prefix are independent given its value, and "
            "that their number was set beforehand; beyond the pool numbers are a model's."
        )


def _of_content(totals: Totals) -> Iterator[str]:
    if totals.prefixes and totals.dead == totals.prefixes:
        yield (
            "No rollout reached a gold answer: the completer is too weak, or golds, prompt or "
            "token budget are at fault; labels of any N say nothing of steps."
        )
    if not totals.truth:
        yield (
            "There is no truth: errors are against the pool, which has its own, and a wrong step "
            "that looks good in all rollouts cannot be seen."
        )
    if not totals.wrong:
        yield "No solution has a wrong answer: nothing can be said of where first errors are found."
    elif not totals.whole:
        yield (
            "No solution with a wrong answer has a pool at each of its steps: nothing can be said "
            "of where first errors are found."
        )


def _of_problems(totals: Totals) -> Iterator[str]:
    if totals.problems < LEAST:
        many = "one problem" if totals.problems == 1 else f"{totals.problems} problems"
        yield (
            f"The log holds {many}: there are no intervals, since solutions of a problem are no "
            "independent evidence."
        )


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


def _rollouts(n: int) -> str:
    return "1 rollout" if n == 1 else f"{n} rollouts"
