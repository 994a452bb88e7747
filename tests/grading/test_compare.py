"""Laws of the fast comparison: reflexive, symmetric on structure, blind to order in sets."""

from hypothesis import given
from hypothesis import strategies as st

from labeler.grading.compare import Comparison
from labeler.grading.conventions import Conventions
from labeler.grading.kinds import Kind, Value
from labeler.grading.settle import settle
from labeler.grading.values import read
from labeler.model import Reason

ANY = st.text(st.characters(exclude_categories=()), max_size=80)
MARKS = st.sampled_from(
    ["(", ")", "[", "]", "\\{", "\\}", "{", "}", ",", " and ", "=", "<", "|", "\\pm", "\\cup", "x",
     "1", "2", "\\frac", "^", "_", "%", "$", "°", "\\text{cm}", " dollars", "\\begin{pmatrix}",
     "\\end{pmatrix}", "&", "\\\\", ":", "\\in ", "\\mid ", "!", "\ud800", "\x00"]
)  # fmt: skip
TEXTS = ANY | st.lists(MARKS, max_size=40).map("".join)
NUMBERS = st.lists(st.integers(-50, 50), min_size=2, max_size=6)


COMPARISON = Comparison(Conventions(), settle)


def fast(gold: str, answer: str) -> bool | None:
    """Equality as far as it shows without a worker."""
    told = {Reason.MATCH: True, Reason.WRONG: False}
    return told.get(COMPARISON.rule(read(gold), read(answer)).reason)


@given(TEXTS)
def test_reading_is_total_and_a_value_equals_itself(text: str) -> None:
    value = read(text)
    assert isinstance(value, Value)
    assert COMPARISON.rule(value, value).equal


@given(NUMBERS, st.randoms(use_true_random=False))
def test_order_counts_in_tuples_alone(numbers: list[int], random: object) -> None:
    shuffled = list(numbers)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (", ".join(map(str, row)) for row in (numbers, shuffled))
    assert fast(f"\\{{{one}\\}}", f"\\{{{other}\\}}") is True
    assert fast(one, other) is True
    assert fast(f"({one})", f"({other})") is (numbers == shuffled)
    assert fast(f"({one})", f"\\{{{one}\\}}") is False


@given(NUMBERS)
def test_a_part_of_a_list_is_not_the_list(numbers: list[int]) -> None:
    whole = ", ".join(map(str, numbers))
    assert fast(whole, ", ".join(map(str, numbers[1:]))) is False
    assert fast(whole, str(numbers[0])) is False


@given(NUMBERS, NUMBERS)
def test_structure_is_compared_alike_from_both_sides(a: list[int], b: list[int]) -> None:
    one, other = (", ".join(map(str, row)) for row in (a, b))
    for left, right in ((one, other), (f"({one})", f"({other})"), (f"[{one}]", f"({other})")):
        assert fast(left, right) is fast(right, left)


def test_shapes_are_told_apart() -> None:
    shapes = {
        "12": Kind.NUMBER,
        "x": Kind.LETTER,
        "\\text{even}": Kind.WORD,
        "101_2": Kind.BASE,
        "12:00": Kind.RATIO,
        "(1,2)": Kind.TUPLE,
        "\\{1,2\\}": Kind.SET,
        "1 \\text{ and } 2": Kind.LIST,
        "(0,1)\\cup(2,3)": Kind.UNION,
        "[[1,2],[3,4]]": Kind.MATRIX,
        "y=2x+1": Kind.EQUATION,
        "x<2": Kind.RELATION,
        "\\sqrt{2}": Kind.EXPRESSION,
        "\\sum_{k=1}^{3} k": Kind.EXPRESSION,
    }
    assert {text: read(text).kind for text in shapes} == shapes
