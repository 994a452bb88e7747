"""The planted world keeps its own promises, and the builders say the truth about it."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.model import Completion, Finish, Prefix, SamplerError
from labeler.prompts import PromptConfig
from labeler.samplers import GENERATOR, PlantedConfig, Sampling
from labeler.samplers.planted import planted_question, planted_step, read_planted
from tests.planted_worlds import PlantedTask, planted_task, planted_tasks


async def draw(
    config: PlantedConfig, prefix: Prefix, n: int, role: str = "completer"
) -> Sequence[Completion]:
    async with config.open(PromptConfig(), 1) as source:
        return await source.sampler(role=role).complete(prefix, range(n))


@pytest.mark.parametrize("value", [0.0, 0.02, 0.3, 0.85, 1.0])
async def test_the_stated_value_is_the_share_that_reaches_the_gold(value: float) -> None:
    prefix = Prefix(planted_question(1, 423, 0.5), planted_step(1, value) + "\n", 1)
    completions = await draw(PlantedConfig(), prefix, 4000)
    share = sum(c.text == "The answer is 423." for c in completions) / 4000
    assert abs(share - value) <= 4 * (value * (1 - value) / 4000) ** 0.5


async def test_truncated_completions_state_no_answer_and_values_shrink() -> None:
    prefix = Prefix(planted_question(1, 423, 1.0), "", 0)
    completions = await draw(PlantedConfig(truncated=0.25), prefix, 2000)
    cut = [c for c in completions if c.finish is Finish.LENGTH]
    assert 0.2 < len(cut) / 2000 < 0.3
    assert not any("423" in c.text for c in cut)


async def test_a_failure_mends_when_asked_again() -> None:
    prefix = Prefix(planted_question(1, 423, 0.5), "", 0)
    async with PlantedConfig(failing=0.4).open(PromptConfig(), 1) as source:
        sampler = source.sampler()
        first = await sampler.complete(prefix, range(200))
        second = await sampler.complete(prefix, range(200))
    failures = [c for c in first if c.finish is Finish.ERROR]
    assert 40 < len(failures) < 120
    assert all(c.finish is Finish.STOP for c in second)
    assert second == await draw(PlantedConfig(), prefix, 200)


async def test_the_generator_writes_solutions_of_the_stated_quality() -> None:
    prefix = Prefix(planted_question(1, 423, 0.6), "", 0)
    solutions = await draw(PlantedConfig(), prefix, 500, GENERATOR)
    right = 0
    for solution in solutions:
        lines = solution.text.split("\n")
        assert 2 <= len(lines) <= 7
        assert all(re.match(rf"Step {k}\. Value", line) for k, line in enumerate(lines, start=1))
        assert re.search(r" The answer is \d+\.$", lines[-1])
        right += solution.text.endswith("The answer is 423.")
        _, value = read_planted(Prefix(prefix.question, solution.text, len(lines)))
        assert (value == 1.0) == solution.text.endswith("The answer is 423.")
    assert 250 < right < 350


@pytest.mark.parametrize("value", [0.0, 0.05, 0.4, 1.0])
async def test_completions_go_on_step_by_step_and_reach_the_gold_as_often_as_is_stated(
    value: float,
) -> None:
    begun = planted_step(1, value) + "\n"
    prefix = Prefix(planted_question(1, 423, 0.5), begun, 1)
    completions = await draw(PlantedConfig(steps=5), prefix, 2000)
    right = [c.text for c in completions if c.text.endswith("The answer is 423.")]
    assert abs(len(right) / 2000 - value) <= 4 * (value * (1 - value) / 2000) ** 0.5
    for completion in completions:
        lines = completion.text.split("\n")
        places = [re.match(rf"Step {k}\b", line) for k, line in enumerate(lines, start=2)]
        assert all(places)
        assert len(lines) == 4
        after = [read_planted(Prefix("Gold 1.", line, 1))[1] for line in lines]
        dead = [v <= 0.05 for v in after]
        assert dead == sorted(dead), "an error is not undone within a completion"
        assert dead[-1] != (completion.text in right)
    assert len({c.text.split("\n")[0] for c in completions}) < 10, "first steps are shared"


async def test_a_completion_of_the_last_step_adds_one() -> None:
    prefix = Prefix(planted_question(1, 423, 1.0), planted_step(5, 1.0) + "\n", 5)
    [completion] = await draw(PlantedConfig(steps=5), prefix, 1)
    assert completion.text == "Step 6. Value 1. The answer is 423."


async def test_a_question_without_a_value_is_refused() -> None:
    with pytest.raises(SamplerError, match="Planted problem 1"):
        await draw(PlantedConfig(), Prefix("What is 1 + 1?", "", 0), 1)


async def test_max_tokens_counts_words() -> None:
    prefix = Prefix(planted_question(1, 423, 1.0), "", 0)
    config = PlantedConfig(sampling=Sampling(max_tokens=2))
    [completion] = await draw(config, prefix, 1)
    assert (completion.text, completion.finish) == ("The answer", Finish.LENGTH)


@given(st.floats(0, 1), st.integers(-999, 999))
def test_values_survive_the_text(value: float, gold: int) -> None:
    prefix = Prefix(planted_question("x", gold, value), planted_step(3, value) + "\n", 3)
    for read in (read_planted(prefix), read_planted(Prefix(prefix.question, "", 0))):
        assert read[0] == gold
        assert read[1] == pytest.approx(value, abs=1e-6)


@given(planted_tasks(max_steps=8, max_solutions=3))
def test_built_tasks_say_the_truth(world: PlantedTask) -> None:
    task = world.task
    assert 1 <= len(task.solutions) <= 3
    for solution, first_error in zip(task.solutions, world.first_errors, strict=True):
        right = solution.id in task.right
        assert right == (first_error == 0) == solution.text.endswith(f"is {task.problem.gold}.")
        for k in range(len(solution.steps) + 1):
            value = world.value(task.prefix(solution, k))
            dead = first_error and k >= first_error
            assert value <= 0.1 if dead else value >= 0.3


@given(planted_tasks(max_steps=6, noiseless=True))
def test_noiseless_worlds_are_all_or_nothing(world: PlantedTask) -> None:
    for solution in world.task.solutions:
        for k in range(len(solution.steps) + 1):
            assert world.value(world.task.prefix(solution, k)) in (0.0, 1.0)


def test_siblings_share_prefixes_up_to_where_they_part() -> None:
    task = planted_task([[0.6, 0.5, 0], [0.6, 0.7, 1]], 0.5, shared=1)
    a, b = task.solutions
    assert task.prefix(a, 1).key == task.prefix(b, 1).key
    assert task.prefix(a, 2).key != task.prefix(b, 2).key
    assert task.right == {b.id}
