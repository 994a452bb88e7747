"""Laws of extraction: total, bounded, and faithful to a boxed span."""

from hypothesis import given
from hypothesis import strategies as st

from labeler.grading.extract import WINDOW, cut_short, extract, tidy

ANY = st.text(st.characters(exclude_categories=()), max_size=300)
PIECES = st.sampled_from(
    ["\\boxed{", "\\fbox ", "}", "{", "\\}", "$", "####", "\nA:", "answer is", "ANSWER:", "12",
     " and ", ",", "</think>", "\\(", "\\)", "\\[", "**", "\n", ".", "\x00", "\ud800", "é"]
)  # fmt: skip
TEXTS = ANY | st.lists(PIECES, max_size=60).map("".join)
SPANS = st.sampled_from(
    ["12", "-3", "\\frac{1}{2}", "\\{1, 2\\}", "(0, 1]", "x = 5", "\\text{even}"]
)
PROSE = st.text(st.sampled_from("abc xyz 0123.,:\n"), max_size=80)


@given(TEXTS)
def test_any_text_gives_a_tidy_span_or_none(text: str) -> None:
    span = extract(text)
    assert span is None or (span and span == span.strip() and len(span) <= WINDOW)
    assert isinstance(cut_short(text), bool)


@given(PROSE, SPANS, PROSE)
def test_a_boxed_span_comes_back_as_it_is(before: str, span: str, after: str) -> None:
    assert extract(f"{before}\\boxed{{{span}}}.{after}") == span


@given(PROSE, SPANS)
def test_a_marked_span_comes_back_as_it_is(before: str, span: str) -> None:
    for marker in ("#### ", "A: ", "The answer is ", "**Answer:** ", "final answer is: "):
        assert extract(f"{before}\n{marker}{span}.\n\nBye") == span
        assert extract(f"{before}\n{marker}${span}$") == span


@given(TEXTS)
def test_only_the_end_of_a_text_is_read(text: str) -> None:
    tail = "y" * WINDOW
    assert extract(text + tail) is None
    assert extract("x" * 100_000 + "\n#### 12") == "12"


@given(TEXTS)
def test_tidying_twice_changes_nothing(text: str) -> None:
    for _ in range(40):  # a span may be wrapped deeper than one call looks
        text = tidy(text)
    assert tidy(text) == text


def test_an_unclosed_box_is_cut_short_and_no_answer() -> None:
    assert cut_short("\\boxed{1} no, \\boxed{\\frac{1}{2}")
    assert extract("\\boxed{1} no, \\boxed{\\frac{1}{2}") is None
    assert not cut_short("\\boxed{1}")


def test_an_answer_on_the_line_after_its_marker_counts() -> None:
    assert extract("**Answer:**\n\n$12$\nBye 5") == "12"
    assert extract("#### \n") is None
