"""cautions.py - what an audit cannot conclude, and why: a sentence each."""

from collections.abc import Iterator

from labeler.audit.settings import LARGEST, AuditSettings
from labeler.audit.totals import Totals
from labeler.audit.words import listed, rollouts
from labeler.intervals import LEAST

SMALL = 16
"""Rollouts below which a pool says little."""


def cautions(settings: AuditSettings, totals: Totals) -> tuple[str, ...]:
    """What cannot be concluded, and why."""
    if not totals.solutions:
        return ("There is no solution: nothing can be said.",)
    return (*_of_pool(settings, totals), *_of_content(totals), *_of_problems(settings, totals))


def _of_pool(settings: AuditSettings, totals: Totals) -> Iterator[str]:
    pool = settings.pool
    if not totals.prefixes or totals.below == totals.prefixes:
        yield (
            f"No prefix has {rollouts(pool)}: nothing that depends on the number of rollouts can "
            "be said; choose a smaller pool, or roll out more."
        )
        return
    if pool < SMALL:
        yield (
            f"The pool has only {rollouts(pool)} a prefix: it is hardly better than the labels it "
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
            f"The pool has {rollouts(pool)} a prefix: of {listed(beyond)}, which were asked for, "
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
