"""What the training benchmark rests on: equal budgets, shared luck, and problems that are new."""

from dataclasses import replace

import pytest
from search_run import pool
from train_prm import BASE, CONTENDERS, TRUTH
from train_prm_fresh import World, problems_of, replayed
from train_prm_labels import PILOT, Quality, adaptive, budget, exhaustive, labelled, quality
from train_prm_scores import over_draws

from labeler.testbed.train import held_out

WORLD = World(3, PILOT + 15)


def test_nobody_spends_more_than_the_budget() -> None:
    tokens = budget(WORLD)
    for contender in {(c.search, c.share): c for c in CONTENDERS}.values():
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


def test_labels_are_weighed_against_exact_truth() -> None:
    truth = labelled(TRUTH, WORLD)
    assert quality(truth, "target") == Quality(unlabelled=0, wrong=0)
    dropped = [replace(o, rows=tuple(replace(r, keep=False) for r in o.rows)) for o in truth]
    assert quality(dropped, "target") == Quality(unlabelled=1, wrong=0)
    right = [replace(o, truths=(0,) * len(o.rows)) for o in truth]
    bad = [step.target for o in truth for row in o.rows for step in row.labels]
    assert quality(right, "target").wrong == bad.count(False) / len(bad) > 0
    assert 0 < quality(labelled(BASE, WORLD), "target").wrong < 0.5


def test_no_question_is_in_two_draws_nor_to_train_and_test() -> None:
    parts = [
        {p.question for p in problems_of(draw, test=test)}
        for draw in range(3)
        for test in (False, True)
    ]
    assert [len(part) for part in parts] == [400, 1600] * 3
    assert len(set().union(*parts)) == 6000
    pool_questions = {p.task.problem.question for p in pool()}
    assert pool_questions <= parts[0]
    assert parts[0] | parts[1] == held_out()


def test_rollouts_are_replayed_in_the_order_of_the_log() -> None:
    for problem, case in zip(pool()[:3], replayed(pool()[:3]), strict=True):
        for key, kept in problem.rollouts.items():
            taken = case.take(key, 5)
            known = [
                (c, n) for c, n in zip(kept.correct, kept.n_tokens, strict=True) if c is not None
            ]
            assert [(g.verdict.outcome == "correct", g.rollout.n_tokens) for g in taken] == known[
                :5
            ]
        with pytest.raises(LookupError):
            case.take(next(iter(problem.rollouts)), 65)


def test_the_interval_over_draws_is_students() -> None:
    found = over_draws([1.0, 2.0, 3.0])
    assert found.value == 2
    assert found.high - 2 == pytest.approx(4.302653 / 3**0.5, rel=1e-5)
    assert 2 - found.low == pytest.approx(found.high - 2)
