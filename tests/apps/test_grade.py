import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from labeler.apps.grade import as_completion, grade
from labeler.grading.extract import extract
from labeler.model import Outcome, Reason, Verdict


def graded(gold: str, answer: str) -> tuple[Verdict, str]:
    out = io.StringIO()
    verdict = grade(gold, answer, Console(file=out, width=80))
    return verdict, out.getvalue()


@pytest.mark.parametrize(
    ("gold", "answer", "outcome"),
    [
        ("42", "42", Outcome.CORRECT),
        ("42", "41", Outcome.INCORRECT),
        ("1/2", "0.5", Outcome.CORRECT),
        ("42", "So it is 6 times 7. The answer is 42.", Outcome.CORRECT),
        ("42", "\\boxed{41}", Outcome.INCORRECT),
        ("1, 2", "1, 2", Outcome.CORRECT),
        ("...", "42", Outcome.UNGRADABLE),
    ],
)
def test_an_answer_alone_and_a_completion_are_graded(
    gold: str, answer: str, outcome: Outcome
) -> None:
    verdict, shown = graded(gold, answer)
    assert verdict.outcome is outcome
    assert f"verdict  {outcome}" in shown
    assert f"reason   {verdict.reason}" in shown


def test_nothing_is_no_answer_and_an_open_box_is_cut_off() -> None:
    assert graded("42", "  ")[0].reason is Reason.NO_ANSWER
    assert graded("42", "so \\boxed{4")[0].reason is Reason.TRUNCATED


def test_the_output_says_when_the_answer_was_taken_as_such() -> None:
    assert "taken as the answer itself" in graded("42", "42")[1]
    assert "taken as the answer itself" not in graded("42", "The answer is 42")[1]


@given(st.text(max_size=60))
def test_what_states_an_answer_is_graded_as_it_stands(text: str) -> None:
    if extract(text) is not None:
        assert as_completion(text) == text
    else:
        made = as_completion(text)
        assert made == text or text in made


def test_text_is_shown_as_text() -> None:
    _, shown = graded("[bold]4[/bold]", "\\boxed{\x1b[31m[red]4[/red]}")
    assert "[bold]4[/bold]" in shown
    assert "[red]4[/red]" in shown
    assert "\x1b" not in shown
