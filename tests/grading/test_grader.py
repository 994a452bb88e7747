"""The grader as a whole: cases, verdicts, memo, and that no text upsets it."""

import asyncio
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.grading import AnswerGrader, GradingConfig
from labeler.model import Finish, Outcome, Reason, Verdict

CASES = tomllib.loads((Path(__file__).parent / "cases.toml").read_text())["case"]
INCORRECT = {"wrong", "no_answer", "truncated"}
ANY = st.text(st.characters(exclude_categories=()), max_size=80)
Grade = Callable[[str, str], Verdict]


@pytest.fixture(scope="module")
def grade() -> Iterator[Grade]:
    """One grader for the module, on a loop of its own."""
    loop = asyncio.new_event_loop()
    grader = AnswerGrader(GradingConfig(timeout_s=60))
    loop.run_until_complete(grader.__aenter__())

    def one(gold: str, text: str) -> Verdict:
        return loop.run_until_complete(grader.grade(gold, [(text, Finish.STOP)]))[0]

    yield one
    loop.run_until_complete(grader.__aexit__(None, None, None))
    loop.close()


@pytest.fixture
async def grader() -> AsyncIterator[AnswerGrader]:
    async with AnswerGrader(GradingConfig(timeout_s=60)) as fresh:
        yield fresh


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["from"])
def test_case(grade: Grade, case: dict[str, str]) -> None:
    verdict = grade(case["gold"], case["text"])
    assert verdict.reason.value == case["reason"], verdict
    if case["reason"] == "match":
        assert verdict.outcome is Outcome.CORRECT
    elif case["reason"] in INCORRECT:
        assert verdict.outcome is Outcome.INCORRECT
    else:
        assert verdict.outcome is Outcome.UNGRADABLE


@settings(deadline=None, max_examples=60)
@given(
    gold=ANY | st.sampled_from(["12", "\\sqrt{2}", "(1, 2)", "x^2 + 1", ""]),
    span=ANY | st.text("0123xyz+-*/^_{}()[],.\\ !|<>=&%$", max_size=30),
)
def test_no_text_upsets_it(grade: Grade, gold: str, span: str) -> None:
    for text in (span, f"\\boxed{{{span}}}", f"The answer is {span}"):
        verdict = grade(gold, text)
        assert verdict.millis >= 0
        assert (verdict.answer is None) == (verdict.reason in (Reason.NO_ANSWER, Reason.TRUNCATED))


@given(st.integers(-(10**30), 10**30), st.integers(-(10**30), 10**30))
def test_integers_match_only_when_equal(grade: Grade, gold: int, answer: int) -> None:
    assert grade(str(gold), f"A: {answer:,}").reason is (
        Reason.MATCH if gold == answer else Reason.WRONG
    )


async def test_a_truncated_completion_is_incorrect_whatever_it_says(grader: AnswerGrader) -> None:
    (verdict,) = await grader.grade("12", [("The answer is 12", Finish.LENGTH)])
    assert (verdict.outcome, verdict.reason) == (Outcome.INCORRECT, Reason.TRUNCATED)
    assert await grader.grade("12", []) == []


async def test_verdicts_come_in_order_fast_and_slow_mixed(grader: AnswerGrader) -> None:
    answers = ["\\sqrt{8}", "3", "\\sqrt{7}", "2\\sqrt{2}", "\\sqrt{8}"]
    verdicts = await grader.grade(
        "2\\sqrt2", [(f"\\boxed{{{answer}}}", Finish.STOP) for answer in answers]
    )
    assert [verdict.answer for verdict in verdicts] == answers
    correct = [verdict.outcome is Outcome.CORRECT for verdict in verdicts]
    assert correct == [True, False, False, True, True]


async def test_a_repeated_answer_comes_from_the_memo(grader: AnswerGrader) -> None:
    texts = [("\\boxed{\\sqrt{8}}", Finish.STOP)]
    both = await asyncio.gather(*(grader.grade("2\\sqrt2", texts) for _ in range(2)))
    assert both[0] == both[1]  # one job, two callers
    (again,) = await grader.grade("2\\sqrt2", texts)
    assert again.millis == 0
    assert again.reason is Reason.MATCH


async def test_the_memo_is_bounded_and_forgets_luck() -> None:
    async with AnswerGrader(GradingConfig(memo_size=10, timeout_s=0.2)) as grader:
        await grader.grade("1", [(f"A: {n}.5", Finish.STOP) for n in range(50)])
        (old,) = await grader.grade("1", [("A: 0.5", Finish.STOP)])
        assert old.millis > 0
        slow = [("\\boxed{x^{60}+x^{51}-3x^{20}+x-7>0}", Finish.STOP)]
        for _ in range(2):
            (verdict,) = await grader.grade("x>2", slow)
            assert verdict.reason is Reason.TIMEOUT
            assert verdict.outcome is Outcome.UNGRADABLE
            assert verdict.millis >= 200


async def test_golds_are_checked_against_themselves(grader: AnswerGrader) -> None:
    for gold in ("12", "\\frac{1}{2}.", "\\$32,\\!348", "864 \\mbox{ inches}^2", "$x = 5$", "Yes"):
        assert (await grader.check_gold(gold)).reason is Reason.MATCH
    for gold in ("", " $ ", "\\frac{1}{2", "x" * 5000 + "}"):
        assert (await grader.check_gold(gold)).reason is Reason.UNPARSED_GOLD


def test_the_version_names_everything_that_decides() -> None:
    version = AnswerGrader().version
    assert version.startswith("labeler")
    assert all(name in version for name in ("sympy-", "mpmath-"))
    assert "/" not in version


PAYLOADS = r"""
import asyncio, sys
from labeler.grading import AnswerGrader
from labeler.model import Finish

spans = ["__import__('os').system('touch @')", "open('@','w')", "(lambda: open('@','w'))()",
         r"1\pi+0*len(open('@','w').name)", "exec('import os')", r"\sqrt{8}"]
texts = [(r"\boxed{" + span.replace("@", sys.argv[1]) + "}", Finish.STOP) for span in spans]

async def main():
    async with AnswerGrader() as grader:
        for gold in ("0", r"\pi", r"2\sqrt{2}"):
            print(*[verdict.reason.value for verdict in await grader.grade(gold, texts)])
    print(sorted({"sympy", "mpmath"} & set(sys.modules)))

asyncio.run(main())
"""


def test_model_text_never_meets_a_symbolic_engine_in_the_callers_process(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    command = [sys.executable, "-c", PAYLOADS, str(marker)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *verdicts, loaded = [line.split() for line in done.stdout.splitlines()]
    assert loaded == ["[]"]
    assert [row[-1] for row in verdicts] == ["wrong", "wrong", "match"]
    assert not any(reason == "match" for row in verdicts for reason in row[:-1])
    assert not marker.exists()
