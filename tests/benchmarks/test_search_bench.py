"""What the search bench rests on: one luck for all, honest counting, and bounds that bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_calibration import Point, calibration
from search_cases import play, pool_cases
from search_families import FAMILIES
from search_genie import Known, bound, capacity, entropy
from search_rules import Contender, adaptive, contenders, results
from search_scores import Sums, scored
from search_tables import Curve
from search_worlds import draw, worlds

from labeler.model import Outcome, Problem, Solution, Step, Task
from labeler.policies import Exhaustive
from labeler.posterior import ValueModel
from labeler.testbed.pool import PoolProblem, Recorded
from labeler.testbed.truth import FirstErrors

MODEL = ValueModel()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_world_is_the_same_however_it_is_asked(family: str) -> None:
    one, other = draw(family, 3, 7), draw(family, 3, 7)
    solution = one.task.solutions[0]
    key = one.task.prefix(solution, 1).key
    whole = one.take(key, 100)
    assert [other.take(key, n) for n in (3, 100, 40)] == [whole[:3], whole, whole[:40]]
    for name, chain in one.chains.items():
        assert len(chain.values) == len(chain.alive)
        assert one.truths[name].state == chain.drop
        assert not chain.first or sum(chain.first) == pytest.approx(1)
        assert min(chain.values) >= 0
        assert max(chain.values) <= 1


def test_each_distinct_prefix_is_counted_once() -> None:
    for case in worlds("plain", 0, range(5)):
        played = play(Exhaustive(n=3), case)
        distinct = 1 + sum(len(s.steps) - 1 for s in case.task.solutions)
        assert (played.rollouts, played.rounds) == (3 * distinct, 1)
        for chain in played.counts(case.task).values():
            assert {n for n, _ in chain} == {3}


def test_recorded_rollouts_are_given_once_without_the_ungradable() -> None:
    problem = Problem("p", "Question?", "1")
    solution = Solution("s", "p", (Step("One step.", ""),))
    task = Task(problem, (solution,))
    key = task.prefix(solution, 0).key
    rows = Recorded(0, 9, (True, None, False, True), (1, 2, 3, 4))
    pool = [PoolProblem(task, {"s": FirstErrors(1, 1)}, {key: rows})]
    orders = set()
    for luck in range(9):
        (case,) = pool_cases(pool, luck)
        taken = case.take(key, 10)
        assert sorted(g.rollout.n_tokens for g in taken) == [1, 3, 4]
        assert sum(g.verdict.outcome is Outcome.CORRECT for g in taken) == 2
        assert case.take(key, 2) == taken[:2]
        orders.add(tuple(g.rollout.n_tokens for g in taken))
    assert len(orders) > 1


def test_the_posterior_is_calibrated_on_worlds_of_its_own_model() -> None:
    reader = Contender("two of each", Exhaustive(n=2), "posterior", MODEL)
    gaps = [
        said.confidence - (said.first_error == result.case.truths[name].state)
        for (result,) in results([reader], worlds("assumed", 5, range(150)))
        for name, said in result.decisions.items()
    ]
    assert abs(np.mean(gaps)) < 4 * np.std(gaps) / np.sqrt(len(gaps))


def test_every_contender_scores() -> None:
    rivals = contenders(MODEL, (0.5, 0.9))
    cases = list(worlds("plain", 1, range(3)))
    rows = [(r[0].case.task.problem.id, [Sums.of(x) for x in r]) for r in results(rivals, cases)]
    found = scored(rivals, rows + rows)
    assert [s.contender for s in found] == rivals
    solutions = sum(len(case.task.solutions) for case in cases)
    for score in found:
        assert score.of("solutions")[0] == 2 * solutions
        low, high = score.interval("right")
        assert 0 <= low <= score.ratio("right") <= high <= 1
        assert score.ratio("rollouts") >= 0


@given(st.floats(0, 1), st.floats(0, 1))
def test_capacity_is_the_most_that_any_mixture_tells(a: float, d: float) -> None:
    p = np.linspace(0, 1, 401)
    told = entropy(p * a + (1 - p) * d) - p * entropy(np.array(a)) - (1 - p) * entropy(np.array(d))
    assert capacity(np.array([a]), np.array([d]))[0] == pytest.approx(told.max(), abs=2e-5)


def test_no_reader_of_known_values_beats_the_bound() -> None:
    """Maximum likelihood on N rollouts of each prefix is a policy: it costs at least the bound."""
    rng = np.random.default_rng(0)
    steps, alive, dead = 8, np.full(7, 0.5), np.full(7, 0.1)
    first = np.full(steps, 1 / steps)
    least = bound([Known(alive, dead, first, np.ones(7))])
    costs = [least.cost(accuracy) for accuracy in (0.3, 0.6, 0.8, 0.9, 0.97)]
    assert costs == sorted(costs)
    assert costs[-1] > 0
    for n in (1, 2, 4, 8, 16):
        errors = rng.integers(1, steps + 1, 4000)
        is_alive = np.arange(1, steps) < errors[:, None]
        right = rng.binomial(n, np.where(is_alive, alive, dead))
        gain = right * np.log(0.5 / 0.1) + (n - right) * np.log(0.5 / 0.9)
        named = np.hstack([np.zeros((4000, 1)), gain.cumsum(axis=1)]).argmax(axis=1) + 1
        assert least.cost(np.mean(named == errors) - 0.02) <= n * (steps - 1)


def test_calibration_error_is_the_gap_between_said_and_true() -> None:
    sure = [Point(str(i), 1.0, (1.0, 0.0, 1.0, 0.75), right_answer=False) for i in range(40)]
    assert calibration(sure, "truth").ece == 0
    assert calibration(sure, "any").ece == 1
    assert calibration(sure, "mass").ece == pytest.approx(0.25)


def test_a_curve_is_read_both_ways() -> None:
    policy = adaptive(MODEL, 0.5)
    points = [(4, 40), (6, 80), (5, 100), (8, 320)]
    sums = [Sums(solutions=10, right=right, rollouts=spent) for right, spent in points]
    curve = Curve([scored([policy], [("p", [one])])[0] for one in sums])
    assert curve.points == [(4.0, 0.4), (8.0, 0.6), (32.0, 0.8)]
    assert curve.cost(0.7) == pytest.approx(16)
    assert curve.accuracy(16) == pytest.approx(0.7)
    assert curve.cost(0.3) == pytest.approx(4)
    assert np.isnan(curve.cost(0.9))
    assert np.isnan(curve.accuracy(2))
    assert curve.accuracy(100) == 0.8
