"""The adaptive search: budgets, when it stops, what siblings share, and what it does not ask."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.model import Ask, Reply, Step
from labeler.policies import Adaptive
from labeler.search import replay
from tests.planted_worlds import PlantedTask, planted_task, planted_tasks
from tests.policies.answers import Answers, keys, rows
from tests.policies.oracles import UNGRADABLE, graded
from tests.posterior.drawn import MODEL

STEADY = MODEL.model_copy(update={"walk": 0.2, "jump": 0.01, "v_a": 3.0, "v_b": 3.0})
LOOKING = MODEL.model_copy(update={"mended": 0.3, "jump": 0.01})
"""Of a completer that often reaches a right answer by a wrong step."""


def adaptive(**settings: object) -> Adaptive:
    """The policy under a model that stays."""
    return Adaptive(value_model=MODEL, **settings)


policies = st.builds(
    Adaptive,
    n=st.integers(1, 12),
    budget=st.integers(1, 24),
    confidence=st.sampled_from([0.5, 0.8, 0.95]),
    price=st.sampled_from([0.0, 0.01, 0.05]),
    batch=st.integers(1, 5),
    target_width=st.sampled_from([None, 0.3, 0.7]),
)
worlds = planted_tasks(max_steps=6, max_solutions=3)


@given(policies, worlds, st.integers(0, 9))
def test_budgets_are_kept(policy: Adaptive, world: PlantedTask, seed: int) -> None:
    task, asked, before = world.task, Answers(seed).run(policy, world.task), Counter[str]()
    for asks in asked.rounds:
        assert len({ask.prefix.key for ask in asks}) == len(asks)
        assert len(asks) <= len(task.solutions)
        for ask in asks:
            assert 0 < ask.n - before[ask.prefix.key] <= policy.batch
            assert ask.n <= policy.n
            before[ask.prefix.key] = ask.n
    assert sum(before.values()) <= policy.budget * len(task.solutions)
    if len(task.solutions) == 1:
        assert sum(before.values()) <= policy.budget


@given(policies, worlds)
def test_the_same_replies_give_the_same_asks(policy: Adaptive, world: PlantedTask) -> None:
    assert Answers().run(policy, world.task).rounds == Answers().run(policy, world.task).rounds


@given(policies, worlds, st.randoms())
def test_a_search_knows_nothing_but_its_replies(
    policy: Adaptive, world: PlantedTask, chance: st.DataObject
) -> None:
    """The same search, with another between each two of its rounds."""
    alone, beside = Answers().run(policy, world.task), Answers()
    search, other = policy.search(world.task), Adaptive(price=0.0, n=2).search(world.task)
    disturbed = next(other, None)
    asks = next(search, None)
    while asks is not None:
        beside.rounds.append(list(asks))
        if disturbed is not None:
            value = chance.random()
            try:
                disturbed = other.send([Answers(1, lambda _, v=value: v)(a) for a in disturbed])
            except StopIteration:
                disturbed = None
        try:
            asks = search.send([beside(ask) for ask in asks])
        except StopIteration:
            break
    assert beside.rounds == alone.rounds


def test_without_solutions_nothing_is_asked() -> None:
    task = replace(planted_task([[0.5]], 0.5), solutions=())
    assert list(adaptive().search(task)) == []


def test_a_wrong_step_that_is_alone_needs_no_rollout() -> None:
    policy = adaptive()
    task = planted_task([[0]], 0.5)
    answers = Answers().run(policy, task)
    assert answers.rounds == []
    [row] = rows(task, answers, policy)
    assert (row.first_error, row.first_error_confidence) == (1, pytest.approx(1.0))


def test_it_stops_when_it_is_sure() -> None:
    task = planted_task([[0.9] * 4 + [0] * 4], 0.9)
    spent = []
    for confidence in (0.5, 0.8, 0.95):
        policy = adaptive(confidence=confidence, price=0.0)
        answers = Answers().run(policy, task)
        [row] = rows(task, answers, policy)
        assert row.first_error == 5
        assert row.first_error_confidence >= confidence
        spent.append(row.n_rollouts)
    assert spent == sorted(spent)
    assert spent[-1] < 64


def test_it_stops_when_nothing_is_worth_its_price() -> None:
    task = planted_task([[0.9] * 4 + [0] * 4], 0.9)
    spent = [
        sum(Answers().run(adaptive(confidence=0.999, price=price), task).n.values())
        for price in (0.0, 0.05, 2.0)
    ]
    assert spent[0] > spent[1] > spent[2] == 0


def test_a_spent_budget_leaves_it_undecided() -> None:
    policy = adaptive(budget=2, price=0.0)
    task = planted_task([[0.5] * 8 + [0.2] * 8], 0.5, right=[False])
    answers = Answers().run(policy, task)
    [row] = rows(task, answers, policy)
    assert sum(answers.n.values()) == row.n_rollouts == 2
    assert row.first_error is None
    assert row.first_error_confidence < 0.5


def test_siblings_ask_for_a_shared_prefix_once_and_at_one_cost() -> None:
    values = [[0.9, 0.9, 0.9, 0, 0, 0]] * 3
    together = planted_task(values, 0.9, shared=6)
    alone = planted_task(values[:1], 0.9, shared=6)
    policy = adaptive(price=0.0)
    several, one = Answers().run(policy, together), Answers().run(policy, alone)
    assert set(several.n) <= set(keys(together, together.solutions[0]))
    assert [r.first_error for r in rows(together, several, policy)] == [4, 4, 4]
    assert sum(several.n.values()) <= sum(one.n.values()) + policy.batch


def test_what_siblings_show_of_the_difficulty_saves_rollouts() -> None:
    """On a hard problem, for a completer whose values move little on the way."""
    values = [[0.15] * first + [0] * (8 - first) for first in (3, 5, 2, 6)]
    together = planted_task(values, 0.15)
    singles = [replace(together, solutions=(s,)) for s in together.solutions]
    policy = Adaptive(value_model=STEADY)
    shared = apart = 0
    for seed in range(8):
        shared += sum(Answers(seed).run(policy, together).n.values())
        apart += sum(sum(Answers(seed).run(policy, t).n.values()) for t in singles)
    assert shared < 0.95 * apart


@given(worlds, st.data())
def test_a_prefix_that_fails_is_not_asked_again_and_the_rest_goes_on(
    world: PlantedTask, data: st.DataObject
) -> None:
    task = world.task
    every = sorted({key for s in task.solutions for key in keys(task, s)})
    failing = frozenset(data.draw(st.sets(st.sampled_from(every))))
    policy = adaptive(n=6, price=0.0, confidence=0.95)
    answers = Answers(failing=failing).run(policy, task)
    times = Counter(ask.prefix.key for asks in answers.rounds for ask in asks)
    assert all(times[key] <= 1 for key in failing)
    if any(path <= failing for path in map(set, (keys(task, s) for s in task.solutions))):
        return
    for row in rows(task, answers, policy):
        assert row.first_error is None or row.first_error_confidence > 0.5


def test_ungradable_rollouts_teach_nothing() -> None:
    task = planted_task([[0.9] * 4 + [0] * 4], 0.9)

    def answer(ask: Ask) -> Reply:
        return Reply(ask, tuple(graded(ask, i, "", UNGRADABLE) for i in range(2 * ask.n)), "spent")

    asked: list[str] = []

    def noted(ask: Ask) -> Reply:
        asked.append(ask.prefix.key)
        return answer(ask)

    replay(adaptive(n=4, price=0.0).search(task), noted)
    assert len(asked) == len(set(asked)) == 8


def test_right_answers_cost_little_where_they_are_sound() -> None:
    task = planted_task([[0.9] * 8], 0.9)
    for policy in (adaptive(), Adaptive(value_model=LOOKING)):
        [row] = rows(task, Answers().run(policy, task), policy)
        assert (row.first_error, row.n_rollouts <= 4) == (0, True)


def test_right_answers_after_a_drop_of_value_are_lucky() -> None:
    task = planted_task([[0.9, 0.9, 0.9, 0.05, 0.05, 0.05, 0.05, 0.05]], 0.9, right=[True])
    policy = Adaptive(confidence=0.98, value_model=LOOKING)
    found = [rows(task, Answers(seed).run(policy, task), policy)[0] for seed in range(6)]
    assert [row.first_error for row in found].count(4) >= 5


@given(
    planted_tasks(max_steps=6, max_solutions=1),
    st.builds(
        Adaptive,
        n=st.integers(1, 40),
        budget=st.integers(1, 200),
        target_width=st.sampled_from([0.2, 0.4, 0.7]),
    ),
)
def test_values_become_as_narrow_as_is_wanted(world: PlantedTask, policy: Adaptive) -> None:
    answers = Answers().run(policy, world.task)
    [row] = rows(world.task, answers, policy)
    [solution] = world.task.solutions
    for step, key in zip(row.labels, keys(world.task, solution)[1:], strict=False):
        narrow = step.credible_high - step.credible_low <= policy.target_width + 1e-9
        assert narrow or answers.n.get(key, 0) == policy.n or row.n_rollouts == policy.budget


def test_steps_that_are_cut_differently_are_still_rolled_out_once() -> None:
    """Prefix 2 of one solution is prefix 1 of the other, and one has a step without text."""
    task = planted_task([[0.9, 0.9, 0, 0], [0.9, 0, 0]], 0.9, shared=4)
    a, b, *rest = task.solutions[0].steps
    joined, empty = Step(a.text + a.separator + b.text, b.separator), Step("", "")
    cut = replace(task.solutions[1], steps=(joined, empty, *rest))
    task = replace(task, solutions=(task.solutions[0], cut))
    answers = Answers().run(adaptive(price=0.0), task)
    assert all(len({ask.prefix.key for ask in asks}) == len(asks) for asks in answers.rounds)
    assert [row.first_error for row in rows(task, answers, adaptive())] == [3, 3]


def test_costs_make_early_prefixes_dearer() -> None:
    """Of two prefixes that tell the same, the later is asked; overhead makes them alike."""
    task = planted_task([[0.9] * 20 + [0] * 20], 0.9)

    def first(overhead: float) -> Sequence[Ask]:
        policy = adaptive(price=0.0, overhead=overhead, cached=0.0)
        return next(policy.search(task))

    assert first(0.0)[0].prefix.step >= first(100.0)[0].prefix.step


@pytest.mark.parametrize("batch", [8, 16, 64])
def test_a_large_batch_is_asked_for_all_the_same(batch: int) -> None:
    task = planted_task([[0.9, 0.9, 0.9, 0, 0, 0]], 0.9, right=[False])
    answers = Answers().run(adaptive(batch=batch, price=None, budget=4 * batch), task)
    [row] = rows(task, answers, adaptive())
    assert row.first_error == 4
