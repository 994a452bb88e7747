"""What the training benchmark rests on: equal budgets, and luck that all contenders share."""

from train_prm import BASE, CONTENDERS
from train_prm_labels import PILOT, World, adaptive, budget, exhaustive, labelled

WORLD = World(3, PILOT + 15)


def test_nobody_spends_more_than_the_budget() -> None:
    tokens = budget(WORLD)
    for contender in CONTENDERS:
        spent = sum(one.tokens for one in labelled(contender, WORLD))
        assert spent <= tokens, contender.name
    base = labelled(BASE, WORLD)
    assert len(base) < WORLD.problems
    dearest = max(one.tokens for one in base)
    assert sum(one.tokens for one in base) > tokens - 3 * dearest


def test_the_pilot_is_paid_for_and_all_meet_the_same_problems() -> None:
    one, other = exhaustive(WORLD), adaptive(WORLD)
    assert [case.task.problem.id for case, _ in one] == [case.task.problem.id for case, _ in other]
    assert [played for _, played in one[:PILOT]] == [played for _, played in other[:PILOT]]
    assert sum(p.tokens for _, p in other[PILOT:]) < sum(p.tokens for _, p in one[PILOT:])
