"""saying.py - the findings in sentences: three that state them, and what cannot be concluded."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from labeler.audit.advice import BEYOND, Known
from labeler.audit.findings import Advice, Row
from labeler.audit.measured import Key
from labeler.audit.settings import LARGEST, AuditSettings
from labeler.audit.totals import Totals
from labeler.intervals import LEAST

SMALL = 16
"""Rollouts below which a pool says little."""
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
    said = [_listed(wrong)] if wrong else []
    error = _known(rows, Key("soft_se", "value", n=n))
    reliable = _known(rows, Key("soft_reliability", "value", n=n))
    if error:
        beside = f" and a reliability of {reliable.value:.2f}" if reliable else ""
        said.append(f"soft labels have a standard error of {error.value:.3f}{beside}")
    if not said:
        return f"With {_rollouts(pool)} a prefix nothing can be said of how noisy labels are."
    return f"With {_rollouts(n)} a prefix, {'; '.join(said)}."


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
    too_early = f"{_listed(early)} {'are' if len(early) > 1 else 'is'} placed too early"
    return f"Of the {of}, {_rollouts(n)} a prefix {verb} {_listed(found)}; {too_early}{unsure}."


def _advice(known: Known, advice: Advice) -> str:
    goal, pool = _percent(advice.max_flip), known.settings.pool
    if advice.n is not None:
        more = f"{2 * advice.n} would, by a model," if advice.is_modelled else f"all {pool} would"
        cost = [f"{advice.rollouts:,} rollouts", f"{advice.tokens:,} tokens"]
        if advice.engine_hours is not None:
            cost.append(f"{advice.engine_hours:,.1f} engine-hours")
        text = (
            f"With {_rollouts(advice.n)} a prefix ({_listed(cost)} for this log's prefixes), "
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
    name = f"{best.policy} with {_rollouts(best.n)} a prefix"
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


def cautions(settings: AuditSettings, totals: Totals) -> tuple[str, ...]:
    """What cannot be concluded, and why."""
    if not totals.solutions:
        return ("There is no solution: nothing can be said.",)
    return (*_of_pool(settings, totals), *_of_content(totals), *_of_problems(settings, totals))


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
            f"The pool has only {_rollouts(pool)} a prefix: it is hardly better than the labels it "
            "judges, and nothing was measured beyond it."
        )
    if totals.below:
        yield (
            f"{totals.below:,} of {totals.prefixes:,} rolled-out prefixes have fewer than "
            f"{pool} graded rollouts and are left out of all that depends on their number."
        )
    if totals.unrolled:
        yield (
            f"Of the prefixes behind steps {totals.unrolled:,} were not rolled out: where a policy "
            "chose them by what it had seen, the others are no fair sample of steps."
        )
    if beyond := [str(n) for n in settings.grid if n > pool]:
        yield (
            f"The pool has {_rollouts(pool)} a prefix: of {_listed(beyond)}, which were asked for, "
            "nothing was measured."
        )
    if 10 * totals.above >= totals.prefixes and not settings.stops_early and pool < LARGEST:
        yield (
            f"{totals.above:,} of {totals.prefixes:,} prefixes have {2 * pool} rollouts or more: a "
            "larger pool (--pool) would speak of these alone, and of larger numbers."
        )
    if settings.stops_early:
        yield (
            "The policy stopped by outcomes, so that shares of correct rollouts are biased and "
            "prefixes with many rollouts are no fair sample: audit a log with a fixed number."
        )
    if pool > 1:
        yield (
            "Reliability takes the rollouts of a prefix as independent and their number as set "
            "beforehand; numbers beyond the pool are a model's."
        )


def _of_content(totals: Totals) -> Iterator[str]:
    if totals.prefixes and totals.dead == totals.prefixes:
        yield (
            "No rollout reached a gold answer, so that labels say nothing of steps: the completer "
            "is too weak, or golds, prompt or token budget are at fault."
        )
    if not totals.truth:
        yield (
            "There is no truth (--truth): errors are counted against the pool, which errs itself, "
            "and a wrong step that looks good in all its rollouts cannot be seen."
        )
    elif totals.truth < totals.solutions:
        yield (
            f"The truth is known of {totals.truth:,} of {totals.solutions:,} solutions: what is "
            "said against it is said of these alone."
        )
    if totals.wrong_yet_sound:
        yield (
            f"The truth finds no error in {totals.wrong_yet_sound:,} of {totals.wrong:,} solutions "
            "with a wrong answer: does it go with these solutions and golds?"
        )
    if not totals.inner:
        yield (
            "No solution has more than one step, and a last step's label is its own answer: there "
            "are no labels from rollouts."
        )
    if not totals.wrong:
        yield "No solution has a wrong answer: nothing can be said of where first errors are found."
    elif not totals.whole:
        yield (
            "No solution with a wrong answer has a pool at each of its steps: nothing can be said "
            "of where first errors are found."
        )
    elif totals.whole < totals.wrong:
        yield (
            f"Where first errors are found is told of the {totals.whole:,} of {totals.wrong:,} "
            "solutions with a wrong answer that have a pool at each of their steps."
        )


def _of_problems(settings: AuditSettings, totals: Totals) -> Iterator[str]:
    if settings.sample and totals.crowded:
        yield (
            f"The sample (--sample) leaves out problems with more than {settings.sample:,} "
            f"solutions, of which there {'is' if totals.crowded == 1 else 'are'} "
            f"{totals.crowded:,}: beliefs about so many at once take too long."
        )
    if totals.problems < LEAST:
        many = "one problem" if totals.problems == 1 else f"{totals.problems} problems"
        yield (
            f"The log holds {many}: there are no intervals, which take at least {LEAST}, since "
            "solutions of one problem are no independent evidence."
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


def _all(pool: int) -> str:
    return {1: "the 1 rollout", 2: "both rollouts"}.get(pool, f"all {pool} rollouts")


def _listed(parts: Sequence[str]) -> str:
    """Parts as in a sentence: a, b and c."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
