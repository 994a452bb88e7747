r"""What a judge says is read to the letter, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.judging import Answer, Saying, read, vote
from labeler.model import Finish


def answer(named: int | None) -> Answer:
    return Answer(0, named, None, "", Finish.STOP, 1)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (r"Step 2 is wrong. \boxed{2}", 2),
        (r"\boxed{0}", 0),
        (r"At first \boxed{1}, but no: \boxed{3}.", 3),
        (r"\boxed{ 2 }", 2),
        ("Step 2 is wrong.", None),
        ("2", None),
        (r"\boxed{6}", None),  # there are 5 steps
        (r"\boxed{-1}", None),
        (r"\boxed{2 or 3}", None),
        (r"\boxed{two}", None),
        (r"\boxed{}", None),
        (r"\boxed{2", None),
        (r"\boxed{02}", None),
        (r"\boxed{٢}", None),  # a digit, of another script
        (r"\boxed{2.0}", None),
        (r"\boxed{2} at first, but \boxed{\text{3}}", None),  # the last box is not readable
        (r"\boxed{2} at first, but \boxed{3", None),
        (r"\boxed{2} at first, but \boxed 3", None),
        (r"\boxed{\boxed{3} or 4}", None),
        (r"\boxedtext{2}", None),
        (r"\boxed{2}{", 2),
        ("", None),
    ],
)
def test_read(text: str, named: int | None) -> None:
    assert read(text, Finish.STOP, 5) == named


def test_the_number_is_written_as_it_is_counted() -> None:
    assert read(r"\boxed{12}", Finish.STOP, 40) == 12
    assert read(r"\boxed{02}", Finish.STOP, 40) is None


@pytest.mark.parametrize("end", [" " * 10**6, r"\boxed{" * 10**5, "{" * 10**6, "9" * 10**6])
def test_a_text_without_end_is_read_in_time(end: str) -> None:
    assert read(r"\boxed{1} \boxed{" + end, Finish.STOP, 5) is None


PIECES = st.sampled_from(["\\boxed", "{", "}", " ", "1", "2", "\\text", "."])


@given(st.lists(PIECES, max_size=14).map("".join))
def test_only_the_last_box_names_a_step(text: str) -> None:
    named = read(text, Finish.STOP, 2)
    if named is not None:
        before, _, last = text.rpartition("\\boxed")
        assert last.replace(" ", "").startswith(f"{{{named}}}")
        assert read(f"{before}\\boxed{{1}}", Finish.STOP, 2) == 1


def test_an_answer_that_was_cut_off_is_not_read() -> None:
    assert read(r"First \boxed{2}, but then", Finish.LENGTH, 5) is None


@given(st.text(), st.integers(1, 40))
def test_no_text_raises_or_names_a_step_that_is_not_there(text: str, steps: int) -> None:
    named = read(text, Finish.STOP, steps)
    assert named is None or 0 <= named <= steps


@given(st.lists(st.none() | st.integers(0, 3), max_size=7), st.integers(1, 7))
def test_a_majority_of_all_answers_names(votes: list[int | None], samples: int) -> None:
    found = vote([answer(v) for v in votes], samples)
    of = max(samples, len(votes))
    most = {step for step in votes if step is not None and 2 * votes.count(step) > of}
    if found.saying is Saying.NAMED:
        assert most == {found.first_error}
    else:
        assert not most
        assert found.first_error is None
    if not most:
        unread = Saying.UNPARSED if set(votes) == {None} else Saying.NO_MAJORITY
        missing = Saying.INCOMPLETE if votes else Saying.NOT_ASKED
        assert found.saying is (missing if len(votes) < samples else unread)


def test_a_tie_names_nothing() -> None:
    assert vote([answer(v) for v in (1, 1, 2, 2)], 4).saying is Saying.NO_MAJORITY
    assert vote([answer(v) for v in (1, None)], 2).saying is Saying.NO_MAJORITY
    assert vote([answer(v) for v in (1, 1, None)], 3).first_error == 1
