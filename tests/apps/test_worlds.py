"""Planted worlds of a plan: they keep their word, and the value model's look as it says."""

from functools import partial
from random import Random
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.apps.worlds import Modelled, Nature, Rates, World, Writer
from labeler.model import Ask, Outcome, Prefix, Reply, Solution, Task
from labeler.policies.search_tree import State, whole
from labeler.posterior import ValueModel, tree_of
from labeler.posterior.checking import check
from labeler.posterior.evidence import Counted
from labeler.steps import StepsConfig, split
from tests.planted_worlds import PlantedTask, planted_task, planted_tasks

natures = st.sampled_from([Rates(), Rates(1.0, 0.0), Modelled(ValueModel())])


def rolled(world: World, task: Task, n: int) -> list[list[int]]:
    """The correct ones of n rollouts of each prefix of each solution."""

    def correct(k: int, i: int) -> int:
        ask = Ask(task.prefix(task.solutions[i], k), n)
        return world.reply(ask, Reply(ask, ()), n).correct

    return [[correct(k, i) for k in range(len(s.steps))] for i, s in enumerate(task.solutions)]


@given(planted_tasks(), natures, st.integers(0, 99))
def test_a_world_is_one_and_the_same(found: PlantedTask, nature: Nature, seed: int) -> None:
    one, other = (World(found.task, nature, Random(seed)) for _ in range(2))
    counts = rolled(one, found.task, 4)
    assert counts == rolled(other, found.task, 4) == rolled(one, found.task, 4)


@given(planted_tasks())
def test_a_sure_world_shows_first_errors(found: PlantedTask) -> None:
    counts = rolled(World(found.task, Rates(1.0, 0.0), Random(3)), found.task, 1)
    for solution, row in zip(found.task.solutions, counts, strict=True):
        assert row == sorted(row, reverse=True)
        assert solution.id not in found.task.right or all(row)


def test_worlds_of_the_value_model_are_what_it_expects() -> None:
    model = ValueModel(hazard=0.3, v_a=3)
    seen = []
    for i in range(150):
        wrong = i % 3 > 0
        values = [[0.6] * 5, [0.6] * 3]
        task = planted_task(values, 0.6, right=[not wrong, not wrong], name=i, shared=1)
        counts = rolled(World(task, Modelled(model), Random(i)), task, 16)
        tree = tree_of(task)
        correct = np.zeros(len(tree.parents), dtype=np.int64)
        for path, row in zip(tree.paths, counts, strict=True):
            correct[list(path)] = row
        seen.append(Counted(tree, np.full(len(correct), 16), correct))
    looked = check(seen, model)
    assert looked.zeros == pytest.approx(looked.zeros_expected, abs=0.03)
    assert looked.spread == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize("how", ["newline", "blank_line", "markers"])
def test_what_is_written_can_be_followed(how: Literal["newline", "blank_line", "markers"]) -> None:
    problem = planted_task([[0.6]], 0.6).problem
    task = Task(problem, (), cut=partial(split, config=StepsConfig(split=how)))
    world = World(task, Rates(0.5, 0.0, 1e9), Random(1), Writer((4,), 30, 3.0))
    bare = Ask(Prefix(problem.question, "", 0), 8)
    reply = world.reply(bare, Reply(bare, ()), 8)
    for graded in reply.rollouts:
        solution = whole(task, State(bare.prefix, (), reply), graded)
        assert solution is not None
        assert len(solution.steps) == 4
        alive = [world.reply(ask, Reply(ask, ()), 32).correct > 0 for ask in asks(task, solution)]
        assert alive == sorted(alive, reverse=True)
        assert graded.verdict.outcome is not Outcome.CORRECT or all(alive)


def asks(task: Task, solution: Solution) -> list[Ask]:
    return [Ask(task.prefix(solution, k), 32) for k in range(len(solution.steps))]
