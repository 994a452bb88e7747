"""The one loop: sample the shortfall, grade, append, reply."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from labeler.fulfil import RETRIES, Fulfiller
from labeler.model import Ask, Completion, Finish, Prefix, Problem, SamplerError
from tests.worlds import IntegerGrader, new_log

PROBLEM = Problem("p", "What is 1 + 1?", "2")
PREFIX = Prefix(PROBLEM.question, "", 0)


class Scripted:
    """Answers each call with the next of its texts; None is a failure."""

    completer = "scripted"

    def __init__(self, *texts: str | None) -> None:
        self.texts = list(texts)
        self.calls: list[list[int]] = []

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> list[Completion]:
        self.calls.append(list(indices))
        await asyncio.sleep(0)
        return [self._one() for _ in indices]

    def _one(self) -> Completion:
        text = self.texts.pop(0)
        if text is None:
            return Completion("the engine hiccuped", Finish.ERROR, 0, 0)
        return Completion(text, Finish.STOP, 5, 9)


def fulfiller(folder: Path, *texts: str | None) -> tuple[Fulfiller, Scripted]:
    sampler = Scripted(*texts)
    return Fulfiller(new_log(folder), sampler, IntegerGrader()), sampler


RIGHT, WRONG, STRANGE = "The answer is 2.", "The answer is 3.", "The answer is ?."


async def test_only_the_shortfall_is_sampled(tmp_path: Path) -> None:
    fulfil, sampler = fulfiller(tmp_path, RIGHT, WRONG, RIGHT)
    [two] = await fulfil.answer(PROBLEM, [Ask(PREFIX, 2)])
    [three] = await fulfil.answer(PROBLEM, [Ask(PREFIX, 3)])
    assert sampler.calls == [[0, 1], [2]]
    assert (two.correct, two.graded) == (1, 2)
    assert (three.correct, three.graded) == (2, 3)
    assert (fulfil.counters.rollouts, fulfil.counters.replayed) == (3, 2)


async def test_two_searches_that_want_a_prefix_sample_it_once(tmp_path: Path) -> None:
    fulfil, sampler = fulfiller(tmp_path, RIGHT, WRONG, RIGHT, WRONG)
    ask = Ask(PREFIX, 4)
    await asyncio.gather(*(fulfil.answer(PROBLEM, [ask]) for _ in range(3)))
    assert sampler.calls == [[0, 1, 2, 3]]


async def test_ungradable_rollouts_are_replaced_once(tmp_path: Path) -> None:
    fulfil, sampler = fulfiller(tmp_path, RIGHT, STRANGE, STRANGE, STRANGE, WRONG)
    [reply] = await fulfil.answer(PROBLEM, [Ask(PREFIX, 3)])
    assert sampler.calls == [[0, 1, 2], [3, 4]]
    assert (reply.correct, reply.graded, len(reply.rollouts)) == (1, 2, 5)
    assert reply.failure is None


async def test_a_failure_is_retried_and_forgotten(tmp_path: Path) -> None:
    fulfil, sampler = fulfiller(tmp_path, RIGHT, None, None, WRONG)
    [reply] = await fulfil.answer(PROBLEM, [Ask(PREFIX, 2)])
    assert sampler.calls == [[0, 1], [1], [1]]
    assert (reply.graded, reply.failure, fulfil.failures) == (2, None, {})
    assert fulfil.counters.failed == 2


async def test_a_prefix_that_keeps_failing_is_given_up_with_its_cause(tmp_path: Path) -> None:
    fulfil, sampler = fulfiller(tmp_path, RIGHT, *[None] * (RETRIES + 1))
    [reply] = await fulfil.answer(PROBLEM, [Ask(PREFIX, 2)])
    assert len(sampler.calls) == 1 + RETRIES
    assert (reply.graded, reply.failure) == (1, "the engine hiccuped")
    assert fulfil.failures == {PREFIX.key: "the engine hiccuped"}


async def test_prefix_and_completion_are_graded_together(tmp_path: Path) -> None:
    prefix = Prefix(PROBLEM.question, "So far, so good. The answer is 2.\n", 1)
    fulfil, _ = fulfiller(tmp_path, "", "No, wait. The answer is 5.")
    [reply] = await fulfil.answer(PROBLEM, [Ask(prefix, 2)])
    assert [g.verdict.answer for g in reply.rollouts] == ["2", "5"]


class Refusing:
    """A sampler that cannot work at all."""

    completer = "refusing"

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> list[Completion]:
        raise SamplerError("no such model")


async def test_a_sampler_that_cannot_work_ends_the_search(tmp_path: Path) -> None:
    fulfil = Fulfiller(new_log(tmp_path), Refusing(), IntegerGrader())
    with pytest.raises(SamplerError, match="no such model"):
        await fulfil.answer(PROBLEM, [Ask(PREFIX, 2)])
