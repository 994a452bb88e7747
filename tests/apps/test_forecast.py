"""What a plan expects against what policies ask for when they are driven through the real loop."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.apps.costing import Costing, Plan
from labeler.apps.forecast import Luck, most, most_of_tree, wishes
from labeler.apps.worlds import Rates
from labeler.model import Task
from labeler.policies import Adaptive, Bisection, Exhaustive, Omega, Policy, Scan
from tests.apps.plans import ADAPTIVE, OMEGA, POLICIES, config_of, every_policy
from tests.planted_worlds import PlantedTask, planted_task, planted_tasks
from tests.worlds import new_log, run_search

SURE = 1e9
"""A concentration that leaves no spread."""


def really_asked(policy: Policy, task: Task) -> int:
    """Rollouts that a search asks for, through the real loop and the planted sampler."""
    with tempfile.TemporaryDirectory() as folder:
        rounds = run_search(policy.search(task), new_log(Path(folder)), task.problem)
    final = {ask.prefix.key: ask.n for asks in rounds for ask in asks}
    return sum(final.values())


def costed(policy: Policy, task: Task) -> Plan:
    with tempfile.TemporaryDirectory() as folder:
        costing = Costing(config_of(policy), None, (None, None), worlds=2)
        costing.add([task], new_log(Path(folder)))
    return costing.plan(0)


@given(world=planted_tasks(), n=st.integers(1, 9))
def test_an_exhaustive_plan_is_exactly_what_is_asked_for(world: PlantedTask, n: int) -> None:
    policy = Exhaustive(n=n)
    made = costed(policy, world.task)
    assert made.rollouts == made.left == made.rollouts_most == really_asked(policy, world.task)
    assert made.is_exact


@pytest.mark.parametrize("policy", [*POLICIES, ADAPTIVE], ids=repr)
@settings(max_examples=30)
@given(world=planted_tasks())
def test_no_world_costs_more_than_the_bound(policy: Policy, world: PlantedTask) -> None:
    made = costed(policy, world.task)
    assert really_asked(policy, world.task) <= made.rollouts_most
    assert made.rollouts <= made.rollouts_most


@every_policy
@pytest.mark.parametrize(("alive", "dead"), [(1.0, 0.0), (0.6, 0.05)])
def test_the_expectation_is_the_mean_over_uniform_first_errors(
    policy: Policy, alive: float, dead: float
) -> None:
    tasks = [
        planted_task(
            [[alive if k < error else dead for k in range(1, steps + 1)]],
            alive,
            right=[False],
            name=f"{copy}-{steps}-{error}",
        )
        for copy in range(1 if alive == 1.0 else 4)
        for steps in (4, 7, 12)
        for error in range(1, steps + 1)
    ]
    really = sum(really_asked(policy, task) for task in tasks)
    worlds = 2000 // len(tasks)
    with tempfile.TemporaryDirectory() as folder:
        log = new_log(Path(folder))
        expected = sum(
            wish.ask.n
            for world in range(worlds)
            for wish in wishes(
                policy, tasks, log, "none", Luck(Rates(alive, dead, SURE), world)
            ).values()
        )
    assert expected / worlds == pytest.approx(really, rel=0.04)


@given(steps=st.integers(1, 40), n=st.integers(1, 5))
def test_the_bound_of_one_solution(steps: int, n: int) -> None:
    assert most(Scan(n=n), steps, right=False) == (steps - 1) * n
    assert most(Bisection(n=n), steps, right=False) == (steps - 1).bit_length() * n
    assert most(Bisection(n=n), steps, right=True) == 0
    assert most(Exhaustive(n=n), steps, right=True) == steps * n


@given(steps=st.integers(1, 40), right=st.booleans())
def test_an_adaptive_search_is_bound_by_its_budget(steps: int, right: bool) -> None:
    assert most(Adaptive(budget=20, n=64), steps, right=right) == 20
    assert most(Adaptive(budget=20, n=2), steps, right=right) == min(20, 2 * steps)


def test_a_tree_is_planned_with_and_without_solutions() -> None:
    given_some = planted_task([[0.6, 0.6, 0.0, 0.0]], 0.6, right=[False])
    bare = replace(given_some, solutions=())
    for task in (given_some, bare):
        made = costed(OMEGA, task)
        assert made.problems == 1
        assert OMEGA.n <= made.rollouts <= made.rollouts_most == most_of_tree(OMEGA, 200)
        assert made.completion_tokens > made.rollouts
    dry = costed(Omega(n=4, searches=1), bare)
    assert dry.rollouts <= 4 * (1 + 3)  # 8 steps take 3 probes


def test_a_share_of_the_problems_stands_for_all() -> None:
    tasks = [planted_task([[0.6, 0.0, 0.0]], 0.6, right=[False], name=i) for i in range(200)]
    made = []
    for share in (1.0, 0.5):
        with tempfile.TemporaryDirectory() as folder:
            costing = Costing(config_of(Scan(n=4)), None, (None, None), 2, share)
            costing.add(tasks, new_log(Path(folder)))
            made.append(costing.plan(0))
    assert made[0].problems == made[1].problems == 200
    assert made[1].rollouts == pytest.approx(made[0].rollouts, rel=0.25)
    assert not made[1].is_exact
