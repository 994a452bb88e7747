"""OmegaPRM's tree on worlds whose truth is known: what is chosen, found, and never done twice."""

from dataclasses import replace
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.ingest import solution_of
from labeler.model import Ask, Reply
from labeler.policies import Omega
from labeler.policies.search_tree import SearchTree
from labeler.problems import RawSolution
from labeler.search import replay
from labeler.steps import StepsConfig
from tests.policies.oracles import (
    CUT_SHORT,
    RIGHT,
    UNGRADABLE,
    WRONG,
    Oracle,
    bare_task,
    first_dead,
    graded,
    is_alive,
    with_solutions,
)

oracles = st.builds(Oracle, steps=st.integers(1, 14), luck=st.integers(0, 10**6))
policies = st.builds(
    Omega,
    n=st.integers(2, 6),
    searches=st.integers(1, 12),
    alpha=st.sampled_from([0.1, 0.5, 1.0]),
    beta=st.sampled_from([0.5, 0.9, 1.0]),
    length=st.integers(1, 500),
    explore=st.sampled_from([0.0, 0.125, 3.0]),
)


def told(*rollouts: tuple) -> SearchTree:
    """The tree where the bare question has these (text, verdict[, tokens]); all else is dead."""

    def answer(ask: Ask) -> Reply:
        given = [("x", WRONG)] if ask.prefix.step else rollouts
        return Reply(ask, tuple(graded(ask, i, *one) for i, one in enumerate(given)))

    return replay(Omega().grow(bare_task()), answer)


def followed(tree: SearchTree) -> list[str]:
    return [branch.solution.text for branch in tree.branches.values()]


@given(policy=policies, oracle=oracles)
def test_a_noiseless_oracle_shows_the_first_dead_step_of_every_branch(
    policy: Omega, oracle: Oracle
) -> None:
    tree = replay(policy.grow(bare_task()), oracle)
    assert tree.branches
    for branch in tree.branches.values():
        assert branch.first_dead == first_dead(branch.solution)


@given(policy=policies, oracle=oracles)
def test_budgets_are_kept_and_no_prefix_is_asked_twice(policy: Omega, oracle: Oracle) -> None:
    tree = replay(policy.grow(bare_task()), oracle)
    keys = [ask.prefix.key for ask in oracle.asked]
    assert len(keys) == len(set(keys))
    assert list(tree.states) == keys
    assert {ask.n for ask in oracle.asked} == {policy.n}
    searches = sum(state.visits for state in tree.states.values())
    assert searches == len(tree.branches) <= policy.searches
    assert len(keys) <= 1 + searches * ceil(log2(oracle.steps + 1))


def test_twenty_searches_follow_twenty_rollouts() -> None:
    """A search that may choose a rollout again chooses the one with the highest Q for ever."""
    oracle = Oracle(steps=9)
    tree = replay(Omega(n=8, searches=20).grow(bare_task()), oracle)
    assert len(set(followed(tree))) == 20
    wrong = {
        (ask.prefix.text + g.rollout.text) for ask in oracle.asked
        for g in Oracle(steps=9)(ask).rollouts if g.verdict is WRONG
    }  # fmt: skip
    assert set(followed(tree)) <= wrong


@given(policy=policies, oracle=oracles)
def test_no_text_is_followed_twice_and_only_from_a_living_state(
    policy: Omega, oracle: Oracle
) -> None:
    tree = replay(policy.grow(bare_task()), oracle)
    assert len(set(followed(tree))) == len(tree.branches)
    for branch in tree.branches.values():
        state = tree.states[branch.state]
        assert is_alive(state.prefix)
        assert branch.solution.steps[: len(state.steps)] == state.steps
        assert branch.solution.text.startswith(state.prefix.text)


@given(policy=policies, oracle=oracles, searches=st.integers(1, 8))
def test_each_search_goes_on_with_the_highest_q_plus_u(
    policy: Omega, oracle: Oracle, searches: int
) -> None:
    """The last choice against the paper's formulas, worked out anew from all rollouts."""

    def after(n: int) -> SearchTree:
        return replay(policy.model_copy(update={"searches": n}).grow(bare_task()), oracle)

    before, tree = after(searches), after(searches + 1)
    assert list(before.branches) == list(tree.branches)[: len(before.branches)]
    assert list(before.states) == list(tree.states)[: len(before.states)]
    visits = sum(state.visits for state in before.states.values())
    scores = {}
    for key, state in before.states.items():
        wrong = {
            state.prefix.text + g.rollout.text: g.rollout.n_tokens
            for g in state.reply.rollouts
            if g.verdict is WRONG
        }
        left = [n for text, n in wrong.items() if text not in followed(before)]
        if state.reply.correct and left:
            q = policy.alpha ** (1 - state.value) * policy.beta ** (min(left) / policy.length)
            scores[key] = q + policy.explore * visits**0.5 / (1 + state.visits)
    new = list(tree.branches.values())[len(before.branches) :]
    assert len(new) == bool(scores)
    for branch in new:
        assert scores[branch.state] == pytest.approx(max(scores.values()))


@given(policy=policies, steps=st.integers(1, 9), order=st.permutations(range(4)))
def test_the_order_of_rollouts_and_solutions_does_not_matter(
    policy: Omega, steps: int, order: list[int]
) -> None:
    texts = [f"Step 1, {w}. Value 0.\nStep 2. Value 0. The answer is {w}." for w in range(4)]
    task = with_solutions(bare_task(), *texts)

    def turned(ask: Ask) -> Reply:
        reply = Oracle(steps)(ask)
        return replace(reply, rollouts=reply.rollouts[::-1])

    tree = replay(policy.grow(task), Oracle(steps))
    mixed = replace(task, solutions=tuple(task.solutions[i] for i in order))
    again = replay(policy.grow(mixed), turned)
    assert list(again.branches) == list(tree.branches)
    assert list(again.states) == list(tree.states)


def test_wrong_given_solutions_are_followed_and_right_or_unknown_ones_are_not() -> None:
    texts = [
        "Step 1. Value 0.9.\nStep 2. Value 0.\nStep 3. Value 0. The answer is 7.",
        "Step 1. Value 0.9.\nStep 2. Value 1. The answer is 42.",
        "Step 1. Value 0.8.\nStep 2. Value 0. The answer is ?",
    ]
    task = replace(with_solutions(bare_task(), *texts, right=(1,)), unknown=frozenset({"s2"}))

    def all_right(ask: Ask) -> Reply:
        verdict = RIGHT if is_alive(ask.prefix) else WRONG
        text = "Step 9. Value 1. The answer is 42."
        return Reply(ask, (graded(ask, 0, text, verdict),))

    tree = replay(Omega(n=1).grow(task), all_right)
    [branch] = tree.branches.values()
    assert (branch.solution, branch.first_dead, branch.verdict) == (task.solutions[0], 2, None)


def test_a_problem_that_nothing_survives_costs_its_bare_question() -> None:
    oracle = Oracle()
    tree = replay(Omega(n=8).grow(bare_task(value=0.0)), oracle)
    assert (len(oracle.asked), len(tree.states), tree.branches) == (1, 1, {})


def test_what_did_not_end_wrong_is_not_followed() -> None:
    wrong = "a\nThe answer is 1."
    others = [("b\nThe answer is 42.", RIGHT), ("c\nso we", CUT_SHORT), ("d", UNGRADABLE),
              (" \n", WRONG), ("", WRONG)]  # fmt: skip
    assert followed(told(*others)) == []
    assert followed(told(*others, (wrong, WRONG))) == [wrong]


@given(policy=policies, oracle=oracles)
def test_a_branch_is_the_solution_that_an_input_row_with_its_text_would_be(
    policy: Omega, oracle: Oracle
) -> None:
    task = bare_task()
    for branch in replay(policy.grow(task), oracle).branches.values():
        row = RawSolution(branch.solution.text, branch.solution.generator)
        assert solution_of(task.problem, row, StepsConfig()) == branch.solution


def test_white_space_around_a_solution_makes_no_other_solution() -> None:
    tree = told(("a\nb", WRONG), ("\na\nb\n", WRONG), ("x", RIGHT))
    assert followed(tree) == ["a\nb"]


def test_short_rollouts_come_first() -> None:
    tree = told(("x", RIGHT), ("long", WRONG, 400), ("short", WRONG, 10))
    assert followed(tree) == ["short", "long"]


def test_a_prefix_that_cannot_be_probed_leaves_its_branch_undecided() -> None:
    def answer(ask: Ask) -> Reply:
        if ask.prefix.step:
            return Reply(ask, (graded(ask, 0, "x", UNGRADABLE),), "the sampler failed")
        return Reply(ask, (graded(ask, 0, "a\nb\nc\nd"), graded(ask, 1, "x", RIGHT)))

    tree = replay(Omega(n=2).grow(bare_task()), answer)
    [branch] = tree.branches.values()
    assert branch.first_dead is None
