"""Everything exact, against all ways in which N rollouts can be drawn from small pools.

Where first errors are found is read off what the policy asks and the labels' own rule says.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.audit import location, progress, ranks, shape
from labeler.audit.batch import Batch, Part
from labeler.audit.draws import Draws, interval, rise
from labeler.labels import LabelConfig, Tally, difference, measured
from labeler.model import Ask, Graded, Problem, Reply, Solution, Step, Task
from labeler.policies import Bisection, Exhaustive, Scan
from labeler.search import replay
from tests.audit.batches import One, made, one, settings
from tests.labelled import made as labelled
from tests.policies.oracles import RIGHT, WRONG, graded

M = 4
CHAINS = [
    [2, 1, 0],
    [4, 1, 1, 0],
    [1, 0, 2, 1],
    [3, 3],
    [2],
    [4, 4, 0, 0],
    [1, 2, 1, 1, 0],
]


def draws(correct: int, size: int, pool: int = M) -> Iterator[int]:
    """The correct ones in each way to draw from a pool."""
    rollouts = [1] * correct + [0] * (pool - correct)
    return (sum(chosen) for chosen in combinations(rollouts, size))


def worlds(correct: list[int], size: int) -> Counter[tuple[int, ...]]:
    """Correct ones of prefix 1.., and in how many ways they are drawn from all pools."""
    return Counter(product(*(draws(c, size) for c in correct[1:])))


@given(st.integers(1, 7), st.data())
def test_tables_are_the_shares_of_all_draws(pool: int, data: st.DataObject) -> None:
    correct, size = data.draw(st.integers(0, pool)), data.draw(st.integers(0, pool))
    every = list(draws(correct, size, pool))
    table = Draws(np.array([pool]), np.array([correct]))
    wanted = [every.count(x) / len(every) for x in range(size + 1)]
    assert table.pmf(size)[0] == pytest.approx(wanted, abs=1e-12)
    assert table.zero(size)[0] == pytest.approx(wanted[0], abs=1e-12)


@given(st.integers(0, 8), st.integers(1, 8))
def test_zeros_are_unbiased_for_fresh_rollouts(n: int, tenths: int) -> None:
    """Averaged over the luck of the pool: (1 - V)^N."""
    pool, value = 8, tenths / 10
    fresh = Draws(np.full(pool + 1, pool), np.arange(pool + 1))
    luck = [float(Fraction(x)) for x in _binomial(pool, value)]
    assert np.dot(luck, fresh.zero(n)) == pytest.approx((1 - value) ** n)


def _binomial(n: int, value: float) -> np.ndarray:
    row = np.array([1.0])
    for _ in range(n):
        row = np.convolve(row, [1 - value, value])
    return row


@given(st.integers(1, 20), st.integers(1, 20), st.data())
def test_intervals_are_those_of_labels(n: int, m: int, data: st.DataObject) -> None:
    c, d = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    before, after = measured(c, n, 0.95), measured(d, m, 0.95)
    low, high = interval(np.array([n, m]), np.array([c, d]))
    assert [low[0], high[0]] == pytest.approx([before.low, before.high])
    wanted = difference(after, before)
    assert wanted is not None
    sides = [(np.array([x / y]), low[[i]], high[[i]]) for i, (x, y) in enumerate([(c, n), (d, m)])]
    assert rise(sides[0], sides[1])[:, 0] == pytest.approx([wanted.low, wanted.high])


class _Rolled:
    """A solution with a wrong answer whose prefixes gave these counts, under a policy."""

    def __init__(self, correct: tuple[int, ...], size: int) -> None:
        self.steps = tuple(Step(f"step {k}", "\n") for k in range(len(correct) + 1))
        self.correct, self.size = correct, size
        self.asked: set[int] = set()

    def search(self, policy: Exhaustive | Scan | Bisection) -> dict[int, Tally]:
        task = Task(Problem("p", "q", "1"), (Solution("s", "p", self.steps),), "")
        replay(policy.search(task), self._answer)
        return {k: Tally(self.size, self.correct[k - 1]) for k in self.asked if k}

    def _answer(self, ask: Ask) -> Reply:
        k = ask.prefix.step
        self.asked.add(k)
        right = self.correct[k - 1] if k else self.size
        verdicts = [RIGHT] * right + [WRONG] * (self.size - right)
        rollouts: list[Graded] = [graded(ask, i, "", v) for i, v in enumerate(verdicts)]
        return Reply(ask, tuple(rollouts))


POLICIES = {"exhaustive": Exhaustive, "scan": Scan, "bisection": Bisection}


@cache
def end(policy: str, correct: tuple[int, ...], size: int) -> tuple[int, frozenset[int]]:
    """The first error that labels name, and what was asked."""
    rolled = _Rolled(correct, size)
    tallies = rolled.search(POLICIES[policy](n=size))
    counts = {k: (t.n, t.correct) for k, t in tallies.items()}
    row = labelled(WRONG, counts, len(rolled.steps), LabelConfig(rule="first_zero"))
    assert row.first_error is not None
    return row.first_error, frozenset(rolled.asked)


def ends(policy: str, correct: list[int], size: int) -> list[tuple[int, frozenset[int]]]:
    """The same in each way to draw."""
    every = worlds(correct, size).items()
    return [end(policy, world, size) for world, ways in every for _ in range(ways)]


@pytest.mark.parametrize("policy", sorted(POLICIES))
@pytest.mark.parametrize("correct", CHAINS, ids=str)
def test_rules_and_costs_are_the_policys_own(policy: str, correct: list[int]) -> None:
    batch = Batch(made([one("p", (M, correct))]), settings(M))
    zero = batch.zero[batch.pair[1:]][None]
    walk = location.POLICIES[policy](zero)
    for column, size in enumerate(batch.sizes):
        every = ends(policy, correct, size)
        first = [sum(at == k for at, _ in every) for k in range(1, len(correct) + 1)]
        asked = [sum(k in asked for _, asked in every) for k in range(len(correct))]
        assert walk.found[0, :, column] == pytest.approx(np.divide(first, len(every)))
        assert walk.asked[0, :, column] == pytest.approx(np.divide(asked, len(every)))


def part(found: Iterator[Part], *names: str) -> Part:
    """The part of this measure, reference and rule."""
    [only] = [p for p in found if (p.measure, p.reference, p.rule) == names]
    return only


def shares(found: Part) -> np.ndarray:
    return found.numerator.sum(axis=0) / np.maximum(found.denominator.sum(axis=0), 1)


@pytest.mark.parametrize("truth", [1, 2, 3, 4])
def test_where_first_errors_are_found(truth: int) -> None:
    solutions = [one("p", (M, c), truth=min(truth, len(c)), right=0) for c in CHAINS if len(c) > 1]
    batch = Batch(made([*solutions, one("q", (M, [2, 0, 0]), truth=2, right=1)]), settings(M))
    found = list(location.parts(batch))
    for rule, policy in (("first_zero", "exhaustive"), ("bisection", "bisection")):
        for reference in ("truth", "pool"):
            for column, size in enumerate(batch.sizes):
                sides = [_side(s, policy, size, reference) for s in solutions]
                wanted = np.mean(sides, axis=0)
                got = [
                    shares(part(iter(found), f"located_{place}", reference, rule))[column]
                    for place in location.PLACES
                ]
                assert got == pytest.approx(wanted)


def _side(solution: One, policy: str, size: int, reference: str) -> list[float]:
    correct = list(solution.correct)
    first = solution.truth if reference == "truth" else ends(policy, correct, M)[0][0]
    found = [at for at, _ in ends(policy, correct, size)]
    return [float(np.mean(x)) for x in _compared(np.array(found), first)]


def _compared(found: np.ndarray, first: int) -> list[np.ndarray]:
    return [found == first, found < first, found > first]


def test_rank_inversions() -> None:
    chains = [([4, 3, 1, 2], 2), ([1, 0, 2, 1], 3), ([4, 1, 1, 0, 3], 3)]
    solutions = [
        one("p", (M, c), truth=t, right=r) for (c, t), r in zip(chains, [0, 1, 0], strict=True)
    ]
    batch = Batch(made(solutions), settings(M))
    found = list(ranks.parts(batch))
    below, tied = (part(iter(found), name, "truth", "") for name in ("rank_inversion", "rank_tie"))
    for column, size in enumerate(batch.sizes):
        counts, ties = [], []
        for correct, truth in chains:
            for k in range(truth - 1):
                every = worlds(correct, size).elements()
                each = [w[k] < max(w[truth - 1 :]) for w in every]
                counts.append(np.mean(each))
                every = worlds(correct, size).elements()
                ties.append(np.mean([w[k] == max(w[truth - 1 :]) for w in every]))
        assert shares(below)[column] == pytest.approx(np.mean(counts))
        assert shares(tied)[column] == pytest.approx(np.mean(ties))


def test_progress_signs() -> None:
    """Of a pool of eight, so that a sign can be clear."""
    pool = 8
    correct = [8, 0, 0, 8, 7, 1]
    batch = Batch(made([one("p", (pool, correct))]), settings(pool))
    found = part(progress.parts(batch), "progress_sign", "pool", "")
    clear = [k for k in range(1, 6) if _sign(correct[k - 1], correct[k], pool)]
    assert clear == [1, 3, 5]
    for column, size in enumerate(batch.sizes[:2]):
        counts = []
        for k in clear:
            pairs = product(draws(correct[k - 1], size, pool), draws(correct[k], size, pool))
            sign = _sign(correct[k - 1], correct[k], pool)
            counts.append(np.mean([np.sign(y - x) == -sign for x, y in pairs]))
        assert shares(found)[column] == pytest.approx(np.mean(counts))


def _sign(before: int, after: int, pool: int) -> int:
    found = difference(measured(after, pool, 0.95), measured(before, pool, 0.95))
    assert found is not None
    return 1 if found.low > 0 else -1 if found.high < 0 else 0


def test_rises_and_the_profile() -> None:
    pool = 16
    solutions = [
        one("p", (pool, [12, 10, 0, 0, 9]), truth=2),  # rises
        one("q", (pool, [12, 0, 0, 1]), truth=1),  # hardly
        one("r", (pool, [12, 0, 12, 12]), truth=2),  # no dead prefix from the error on
        one("s", (pool, [12, 9, 0]), truth=2),  # nothing after it
        one("t", (pool, [12, 0, 9]), truth=0, right=1),
    ]
    found = list(shape.parts(Batch(made(solutions), settings(pool))))
    rises = part(iter(found), "rises", "truth", "")
    assert (rises.numerator.sum(), rises.denominator.sum()) == (1, 2)
    profile = part(iter(found), "profile", "truth", "")
    at = {cell.group: i for i, cell in enumerate(profile.cells)}
    assert shares(profile)[at["offset=0"]] == pytest.approx((0 + 0 + 12 + 0) / (4 * pool))
    assert shares(profile)[at["offset=-1"]] == pytest.approx((10 + 12 + 0 + 9) / (4 * pool))
    trace = part(iter(found), "trace_error", "truth", "")
    assert (trace.numerator.sum(), trace.denominator.sum()) == (0, 1)
