"""replays.py - the adaptive policy replayed on a sample of the log: what each confidence costs.

Exhaustive, scan and bisection are computed exactly (labeler/audit/location.py); a policy that
chooses by a posterior is run by its own `search()` instead. A prefix's rollouts are drawn without
replacement from those of the log, in an order that its key and the seed decide, so that all
confidences meet the same luck. As in the exact part, wrong answers whose prefixes all have a pool
are searched alone, and a prefix that several solutions share is paid for once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from labeler.apps.audit.kept import Kept, Pool, models
from labeler.audit.chains import Floats
from labeler.audit.estimates import Estimate, estimate, weights
from labeler.audit.findings import Option
from labeler.audit.settings import AuditSettings
from labeler.labels import Tally, believe
from labeler.labels.first_error import likeliest
from labeler.model import (
    Ask,
    Finish,
    Graded,
    Outcome,
    Reason,
    Reply,
    Rollout,
    Solution,
    Verdict,
    digest,
)
from labeler.policies import Adaptive
from labeler.posterior import ValueModel
from labeler.search import replay

CONFIDENCES = (0.8, 0.9, 0.95, 0.99)
_MISSED, _KNOWN, _ROLLOUTS, _TOKENS, _ALL = range(5)
_BELIEF = 0.95


@dataclass(frozen=True, slots=True)
class _Case:
    """A problem's wrong answers, and how they are looked at."""

    kept: Kept
    model: ValueModel
    decided: float
    ends: Mapping[str, int]
    """What counts as their first errors, of those where that is known."""

    def known(self, *, has_truth: bool) -> dict[str, int]:
        """First errors in truth, or as the rule posterior finds them in the whole pool."""
        first = self.kept.truth if has_truth else self.located(self.kept.pools)
        return {name: step for name, step in first.items() if step}

    def located(self, pools: Mapping[str, Pool]) -> dict[str, int | None]:
        """What the rule posterior says of each solution, from these counts."""
        task = self.kept.task
        keys = [[task.prefix(s, k).key for k in range(len(s.steps))] for s in task.solutions]
        tallies = {key: Tally(n=pool.n, correct=pool.correct) for key, pool in pools.items()}
        beliefs = believe(keys, [False] * len(keys), tallies, self.model, _BELIEF)
        return {
            s.id: likeliest(belief, len(s.steps), self.decided, _BELIEF).first_error
            for s, belief in zip(task.solutions, beliefs, strict=True)
        }


def options(kept: Sequence[Kept], settings: AuditSettings, reference: str) -> list[Option]:
    """The adaptive policy at each confidence; none where the sample has no wrong answers.

    The error is measured against the truth, with at most the pool's rollouts of a prefix (and not
    at all where the sample has none); or against what the rule says of the whole pool, with at most
    half of it. An undecided first error is not found.
    """
    cases = list(_cases(kept, settings))
    has_truth = reference == "truth"
    cases = [replace(case, ends=case.known(has_truth=has_truth)) for case in cases]
    if not any(case.ends for case in cases):
        return []
    most = settings.pool if has_truth else max(1, settings.pool // 2)
    weight = weights([case.kept.task.problem.id for case in cases], settings.seed)
    made = []
    for confidence in CONFIDENCES:
        rows = [_replayed(case, most, confidence, settings.seed) for case in cases]
        table = np.array(rows, dtype=np.float64)
        error = _mean(table, weight, _MISSED, _KNOWN)
        option = Option(
            policy="adaptive",
            rule="posterior",
            n=most,
            confidence=confidence,
            reference=reference,
            error=error.value or 0.0,
            low=error.low,
            high=error.high,
            rollouts=_mean(table, weight, _ROLLOUTS, _ALL).value or 0.0,
            tokens=_mean(table, weight, _TOKENS, _ALL).value or 0.0,
        )
        made.append(option)
    return made


def _cases(kept: Sequence[Kept], settings: AuditSettings) -> Iterator[_Case]:
    """The problems that have wrong answers with a pool at each step, with these alone."""
    for each, model in zip(kept, models(kept, settings.value_model), strict=True):
        aside = each.task.right | each.task.unknown
        chosen = tuple(
            s for s in each.task.solutions if s.id not in aside and _whole(each, s, settings.pool)
        )
        if chosen:
            truth = {s.id: first for s in chosen if (first := each.truth.get(s.id))}
            wrong = replace(each, task=replace(each.task, solutions=chosen), truth=truth)
            yield _Case(wrong, model, settings.decided, {})


def _whole(kept: Kept, solution: Solution, pool: int) -> bool:
    """Whether prefixes 1..K-1 all have a pool."""
    prefixes = (kept.task.prefix(solution, k) for k in range(1, len(solution.steps)))
    return all(kept.pools[prefix.key].n >= pool for prefix in prefixes)


def _replayed(case: _Case, most: int, confidence: float, seed: int) -> tuple[float, ...]:
    """(5,): first errors missed, those known, rollouts, tokens, solutions."""
    policy = Adaptive(n=most, confidence=confidence, value_model=case.model)
    pools = case.kept.pools
    draw = _drawn(pools, seed)
    asked: dict[str, Reply] = {}

    def answer(ask: Ask) -> Reply:
        asked[ask.prefix.key] = reply = draw(ask)
        return reply

    replay(policy.search(case.kept.task), answer)
    taken = {
        key: Pool(reply.graded, reply.correct, pools[key].tokens) for key, reply in asked.items()
    }
    said = case.located(taken)
    return (
        sum(said[name] != end for name, end in case.ends.items()),
        len(case.ends),
        sum(pool.n for pool in taken.values()),
        sum(pool.n * pool.tokens for pool in taken.values()),
        len(case.kept.task.solutions),
    )


def _mean(table: Floats, weight: Floats, above: int, below: int) -> Estimate:
    """One column over another, (problems, 5), with its interval over problems."""
    totals = weight.T @ table
    found = totals[:, above] / np.maximum(totals[:, below], 1e-9)
    given = int(np.count_nonzero(table[:, below]))
    return estimate(found, table[:, below].sum(), given, is_share=above == _MISSED)


def _drawn(pools: Mapping[str, Pool], seed: int) -> Callable[[Ask], Reply]:
    """Answers of asks, drawn without replacement."""
    orders: dict[str, tuple[Graded, ...]] = {}

    def answer(ask: Ask) -> Reply:
        key = ask.prefix.key
        if key not in orders:
            orders[key] = tuple(_order(pools[key], key, seed))
        found = orders[key][: ask.n]
        lacking = ask.n - len(found)
        return Reply(ask, found, f"the log lacks {lacking} of these" if lacking else None)

    return answer


def _order(pool: Pool, key: str, seed: int) -> Iterator[Graded]:
    """A prefix's rollouts in the order in which they are drawn."""
    luck = np.random.default_rng(int(digest("audit", str(seed), key, size=8), 16))
    for place in luck.permutation(pool.n).tolist():
        yield _graded(place < pool.correct)


@lru_cache(maxsize=2)
def _graded(correct: bool) -> Graded:
    """A rollout of which only its verdict is known."""
    rollout = Rollout("", 0, 0, "", None, "", Finish.STOP, 0, 0, 0.0)
    if correct:
        return Graded(rollout, Verdict(Outcome.CORRECT, Reason.MATCH, None, 0.0))
    return Graded(rollout, Verdict(Outcome.INCORRECT, Reason.WRONG, None, 0.0))
