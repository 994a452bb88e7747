"""One open grader for a module's tests, called without an event loop of their own."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from labeler.grading import AnswerGrader, GradingConfig
from labeler.model import Finish, Verdict

Grade = Callable[[str, str], Verdict]


def opened(config: GradingConfig) -> Iterator[Grade]:
    """The function (gold, text) -> verdict of a grader that is open while it is used."""
    loop = asyncio.new_event_loop()
    grader = AnswerGrader(config)
    loop.run_until_complete(grader.__aenter__())

    def grade(gold: str, text: str) -> Verdict:
        return loop.run_until_complete(grader.grade(gold, [(text, Finish.STOP)]))[0]

    yield grade
    loop.run_until_complete(grader.__aexit__(None, None, None))
    loop.close()


@pytest.fixture(scope="module")
def grade() -> Iterator[Grade]:
    """A grader with time enough for a busy machine."""
    yield from opened(GradingConfig(timeout_s=30))


@pytest.fixture(scope="module")
def hurried() -> Iterator[Grade]:
    """A grader that gives up early."""
    yield from opened(GradingConfig(timeout_s=1))
