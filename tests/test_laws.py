"""Laws that every policy obeys on any world (DESIGN.md section 5).

A policy that is added to the union is tested by adding it to `POLICIES`, in the forms that
matter; `test_every_policy_is_here` says when one is missing.
"""

import tempfile
from math import ceil, log2
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.labels import Evidence, LabelConfig, believe, label, tally
from labeler.model import Ask, Outcome, Reason, Task, Verdict
from labeler.policies import Adaptive, Bisection, Exhaustive, Omega, Policy, Scan
from labeler.rollout_log import RolloutLog
from labeler.samplers import PlantedConfig
from labeler.search import Search
from tests.planted_worlds import PlantedTask, planted_tasks
from tests.worlds import new_log, run_search

POLICIES = [
    Exhaustive(n=3),
    Scan(n=3),
    Scan(n=4, early_stop=True),
    Bisection(n=3),
    Bisection(n=4, early_stop=True, batch=2),
    Bisection(n=2, right_answers=True),
    Adaptive(n=16),
    Adaptive(n=8, batch=4, confidence=0.98, target_width=0.4),
    Omega(n=3, searches=6),
    Omega(n=2),
]


def name(policy: Policy) -> str:
    """What is not as it is by default."""
    changed = policy.model_dump(exclude_defaults=True)
    return " ".join([policy.kind, *(f"{key}={value}" for key, value in changed.items())])


every_policy = pytest.mark.parametrize("policy", POLICIES, ids=name)
each = settings(max_examples=30)  # of ten policies


def test_every_policy_is_here() -> None:
    union, _ = get_args(Policy)
    assert {type(p) for p in POLICIES} == set(get_args(union))


def first_errors(
    world: PlantedTask, log: RolloutLog, completer: str, policy: Policy
) -> list[int | None]:
    """What the labels say, from the log alone.

    By the rule that a policy serves: adaptive asks until a first error is likely, and so leaves
    the neighbours unmeasured that `first_zero` needs; the others ask for just those.
    """
    rule = "posterior" if isinstance(policy, Adaptive) else "first_zero"
    config, task, evidence = LabelConfig(rule=rule), world.task, []
    for solution in task.solutions:
        tallies = {}
        for k in range(len(solution.steps)):
            reply = log.reply(
                completer, Ask(task.prefix(solution, k), policy.n), task.problem.gold_key
            )
            if reply.rollouts:
                tallies[k] = tally(reply.rollouts)
        right = solution.id in task.right
        own = Verdict(
            Outcome.CORRECT if right else Outcome.INCORRECT,
            Reason.MATCH if right else Reason.WRONG,
            None,
            0.0,
        )
        evidence.append(Evidence(own, tallies))
    keys = [[task.prefix(s, k).key for k in range(len(s.steps))] for s in task.solutions]
    counts = {keys[i][k]: t for i, e in enumerate(evidence) for k, t in e.tallies.items()}
    own_right = [e.is_correct for e in evidence]
    beliefs = believe(keys, own_right, counts, config.value_model, config.confidence)
    return [
        label(task.problem, solution, e, config, belief).first_error
        for solution, e, belief in zip(task.solutions, evidence, beliefs, strict=True)
    ]


@every_policy
@each
@given(world=planted_tasks())
def test_nothing_is_asked_twice_and_the_budget_is_kept(policy: Policy, world: PlantedTask) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rounds = run_search(policy.search(world.task), new_log(Path(folder)), world.task.problem)
    asked: dict[str, int] = {}
    for asks in rounds:
        keys = [a.prefix.key for a in asks]
        assert len(keys) == len(set(keys))
        for ask in asks:
            assert asked.get(ask.prefix.key, 0) < ask.n <= policy.n
            asked[ask.prefix.key] = ask.n
    prefixes = {
        world.task.prefix(s, k).key for s in world.task.solutions for k in range(len(s.steps))
    }
    assert asked.keys() <= prefixes


@every_policy
@each
@given(world=planted_tasks(), cut=st.integers(0, 8))
def test_an_interruption_leaves_no_trace(policy: Policy, world: PlantedTask, cut: int) -> None:
    task = world.task
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        whole = new_log(Path(a))
        run_search(policy.search(task), whole, task.problem)
        run_search(_stopped(policy.search(task), cut), cut_log := new_log(Path(b)), task.problem)
        cut_log._flush()
        resumed = new_log(Path(b))
        run_search(policy.search(task), resumed, task.problem)
        assert _rows(resumed) == _rows(whole)


def _stopped(search: Search, rounds: int) -> Search:
    """The first rounds of a search, as a killed process would have driven it."""
    asks = next(search, None)
    for _ in range(rounds):
        if asks is None:
            return
        replies = yield asks
        try:
            asks = search.send(replies)
        except StopIteration:
            return


def _rows(log: RolloutLog) -> list[tuple]:
    return sorted(
        (r.completer, r.prefix_key, r.index, r.text, r.seed)
        for held in log._rollouts.values()
        for r in held.values()
    )


@every_policy
@each
@given(world=planted_tasks(noiseless=True))
def test_a_noiseless_oracle_shows_the_first_error(policy: Policy, world: PlantedTask) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = new_log(Path(folder))
        rounds = run_search(policy.search(world.task), log, world.task.problem)
        found = first_errors(world, log, _completer(log), policy)
    assert found == list(world.first_errors)
    if isinstance(policy, Bisection) and len(world.task.solutions) == 1:
        steps = len(world.task.solutions[0].steps)
        probed = {a.prefix.key for asks in rounds for a in asks}
        assert len(probed) <= ceil(log2(steps + 1))


def _completer(log: RolloutLog) -> str:
    return next((completer for completer, _ in log._rollouts), "")


@every_policy
@each
@given(world=planted_tasks())
def test_every_policy_agrees_with_exhaustive_where_both_measured(
    policy: Policy, world: PlantedTask
) -> None:
    task = world.task
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        everything, some = new_log(Path(a)), new_log(Path(b))
        run_search(Exhaustive(n=policy.n).search(task), everything, task.problem)
        run_search(policy.search(task), some, task.problem)
        assert set(_rows(some)) <= set(_rows(everything))


@every_policy
@each
@given(world=planted_tasks(), failing=st.floats(0.1, 0.5))
def test_failures_that_pass_leave_no_trace(
    policy: Policy, world: PlantedTask, failing: float
) -> None:
    task = world.task
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        calm, troubled = new_log(Path(a)), new_log(Path(b))
        run_search(policy.search(task), calm, task.problem)
        run_search(policy.search(task), troubled, task.problem, PlantedConfig(failing=failing))
        assert _rows(troubled) == _rows(calm)


@given(world=planted_tasks())
def test_raising_n_samples_only_the_difference(world: PlantedTask) -> None:
    task = world.task
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        grown, whole = new_log(Path(a)), new_log(Path(b))
        run_search(Exhaustive(n=2).search(task), grown, task.problem)
        before = _rows(grown)
        run_search(Exhaustive(n=5).search(task), grown, task.problem)
        run_search(Exhaustive(n=5).search(task), whole, task.problem)
        assert _rows(grown) == _rows(whole)
        assert set(before) <= set(_rows(grown))


def test_shared_prefixes_are_rolled_out_once() -> None:
    from tests.planted_worlds import planted_task

    task: Task = planted_task([[0.9, 0.8, 0.7], [0.9, 0.8, 0]], 0.9, shared=2)
    [asks] = list(Exhaustive(n=8).search(task))
    assert len(asks) == 3  # the bare question and two shared steps; step 3 is the whole solution
