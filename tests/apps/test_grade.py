import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from labeler.apps.grade import Wish, as_completion, grade, grade_pair
from labeler.config import ConfigError
from labeler.grading.extract import extract
from labeler.model import Outcome, Reason, Verdict
from tests.processes import finished


def graded(gold: str, answer: str) -> tuple[Verdict, str]:
    out = io.StringIO()
    verdict = grade_pair(gold, answer, Console(file=out, width=80))
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


@pytest.mark.parametrize(
    ("gold", "answer", "kinds"),
    [
        ("\\frac{1}{2}", "0.5", "gold: rational; answer: decimal"),
        ("42", "so \\boxed{42}", "gold: integer; answer: integer"),
        ("(1, 2)", "[1, 2]", "gold: tuple; answer: interval"),
        ("42", " ", "gold: integer; answer: none"),
        ("x^2", "\\boxed{x \\cdot x}", "gold: expression; answer: expression"),
    ],
)
def test_an_explanation_says_what_was_read_and_what_decided(
    gold: str, answer: str, kinds: str
) -> None:
    out = io.StringIO()
    grade(Wish(gold, answer, explain=True), Console(file=out, width=80))
    verdict, short = graded(gold, answer)
    *lines, rule, said = out.getvalue().splitlines()
    timeless = [line for line in lines if not line.startswith("took")]
    assert timeless == [line for line in short.splitlines() if not line.startswith("took")]
    assert verdict.outcome in lines[0]
    assert rule.startswith("rule     ")
    assert len(rule) > len("rule     ")
    assert said == f"kinds    {kinds}"


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


PAIRS, VERDICTS, RUN = Path("pairs"), Path("verdicts"), Path("run")


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (Wish(), "what is to be graded"),
        (Wish("42"), "GOLD needs ANSWER"),
        (Wish(explain=True), "--explain needs GOLD and ANSWER"),
        (Wish(file=PAIRS), "--file needs --out"),
        (Wish(out=VERDICTS), "--out needs --file"),
        (Wish("42", out=VERDICTS), "--out needs --file"),
        (Wish("4", "2", file=PAIRS, out=VERDICTS), "--file does not go with GOLD and ANSWER"),
        (Wish(file=PAIRS, out=VERDICTS, explain=True), "--file does not go with --explain"),
        (Wish(diff=RUN, file=PAIRS, out=VERDICTS), "--diff does not go with --file and --out"),
        (Wish("42", diff=RUN), "--diff does not go with GOLD"),
        (Wish("42", "--explian"), "there is no option --explian"),
        (Wish("--fil=pairs"), "there is no option --fil=pairs"),
    ],
)
def test_arguments_that_do_not_go_together(wish: Wish, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as error:
        grade(wish, Console(file=io.StringIO()))
    assert "labeler grade --file PAIRS --out VERDICTS" in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["-5", "-5.0"], 0, "verdict  correct"),
        (["-x", "x"], 0, "verdict  incorrect"),
        (["42"], 2, "GOLD needs ANSWER"),
        (["42", "42", "42"], 2, "extra argument"),
        (["42", "--out"], 2, "--out"),
        (["--diff", "nowhere"], 2, "is not a run directory"),
    ],
)
def test_the_command_line_exits_with_2_and_a_message(
    arguments: list[str], code: int, said: str
) -> None:
    status, output = finished("grade", *arguments)
    assert (status, said in output, "Traceback" in output) == (code, True, False), output
