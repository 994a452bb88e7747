r"""Values rendered: every kind of answer, and the completions that state one.

`KINDS` maps a kind's name to a strategy of `Rendered` (spelled_numbers.py, spelled_algebra.py,
spelled_shapes.py); `completions(span)` are texts whose answer is the span. Which values are
equal follows the default conventions of grading.
"""

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from tests.grading import spelled_algebra as algebra
from tests.grading import spelled_numbers as numbers
from tests.grading import spelled_shapes as shapes
from tests.grading.spelled_numbers import Rendered

_PARTS = (numbers.rationals, algebra.radicals, algebra.multiples_of_pi, algebra.polynomials)

_LAYOUTS = (
    ("(@, @)", "\\left(@,@\\right)"),
    ("\\{@, @\\}", "@ \\text{ and } @"),
    ("\\begin{pmatrix} @ \\\\ @ \\end{pmatrix}", "\\begin{bmatrix}@\\\\@\\end{bmatrix}"),
)


@st.composite
def compounds(draw: st.DrawFn) -> Rendered:
    """Tuples, sets and matrices of other kinds."""
    parts = [draw(draw(st.sampled_from(_PARTS))()) for _ in range(2)]
    shape, way = draw(st.sampled_from(_LAYOUTS))
    forms = []
    for layout in (shape, way):
        for _ in range(3):
            one, two = (draw(st.sampled_from(plain(part.forms))) for part in parts)
            forms.append(layout.replace("@", one, 1).replace("@", two, 1))
    one, two = (plain(part.forms)[0] for part in parts)
    wrong = [draw(st.sampled_from(plain(part.others))) for part in parts]
    others = [shape.replace("@", wrong[0], 1).replace("@", two, 1)]
    others.append(shape.replace("@", one, 1).replace("@", wrong[1], 1))
    return Rendered(tuple(forms), tuple(others))


def plain(spans: Sequence[str]) -> list[str]:
    """Spans that may stand inside others: no assignments."""
    return [span for span in spans if "=" not in span]


KINDS: dict[str, Callable[[], st.SearchStrategy[Rendered]]] = {
    strategy.__name__: strategy
    for strategy in (
        numbers.integers, numbers.rationals, numbers.decimals, numbers.mixed_numbers,
        numbers.percents, numbers.amounts, numbers.angles, numbers.numerals, numbers.scientific,
        numbers.repeating, algebra.radicals, algebra.surds, algebra.multiples_of_pi,
        algebra.complex_numbers, algebra.polynomials, algebra.functions, algebra.lines,
        algebra.inequalities, algebra.plus_minuses, shapes.tuples, shapes.intervals,
        shapes.unions, shapes.sets, shapes.assignments, shapes.matrices, shapes.words,
        shapes.letters, compounds,
    )
}  # fmt: skip

_BOXES = (
    "\\boxed{@}", "So $\\boxed{@}$.", "\\[\n\\boxed{@}\n\\]", "Thus \\fbox{@}", "$\\boxed{@.}$",
    "\\boxed{ @ }", "The answer is $\\boxed{@}$. I hope it is correct.",
    "**Answer:** $$\\boxed{@}$$", "First \\boxed{7}, then better: \\boxed{@}",
)  # fmt: skip
_PROSE = (
    "#### @", "The answer is @", "The answer is @.", "the answer is: @", "**Answer:** @",
    "Answer: @.", "A: @", "**Final Answer: @**", "The answer is **@**.",
    "The final answer is @. Bye!",
)  # fmt: skip
_FENCED = (
    "The answer is $@$.",
    "The answer is \\(@\\).",
    "#### $@$",
    "Answer: $$@$$",
    "$\\boxed{$@$}$",
)
_STEPS = "First, 3 + 4 = 7 and x = 2.\nThen 7 * 2 = 14.\n"


def completions(span: str) -> list[str]:
    """Texts that state a span as their answer."""
    ways = [*_BOXES, *_PROSE]
    if "$" not in span:
        ways += _FENCED
    if "*" in span:
        ways = [way for way in ways if "**" not in way]
    return [_STEPS + way.replace("@", span) for way in ways]


@st.composite
def golds(draw: st.DrawFn, spans: tuple[str, ...]) -> str:
    """One of the spans as a data set would state it."""
    span = draw(st.sampled_from(spans))
    fenced = span if "$" in span else f"${span}$"
    return draw(st.sampled_from((span, f"{span}.", f" {span} ", fenced)))


@st.composite
def texts(draw: st.DrawFn, spans: tuple[str, ...]) -> str:
    """A completion that states one of the spans, its minus signs in either character."""
    text = draw(st.sampled_from(completions(draw(st.sampled_from(spans)))))
    return text.replace("-", "−") if draw(st.booleans()) else text
