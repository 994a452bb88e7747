r"""No text upsets grading: arbitrary Unicode and broken LaTeX give verdicts, in bounded time.

The grader gives up after a second, so a hang shows as pytest's own timeout.
"""

from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labeler.grading.compare import Comparison
from labeler.grading.conventions import Conventions
from labeler.grading.extract import WINDOW, cut_short, extract, tidy
from labeler.grading.settle import settle
from labeler.grading.values import read
from labeler.model import Outcome, Reason, Verdict

Grade = Callable[[str, str], Verdict]
pytestmark = pytest.mark.timeout(300)

ANY = st.text(st.characters(exclude_categories=()), max_size=60)
COMMANDS = [
    "\\boxed{", "\\fbox{", "\\frac", "\\frac{", "\\dfrac{1}{", "\\sqrt", "\\sqrt[3]{", "\\left(",
    "\\right)", "\\left\\{", "\\right.", "\\begin{pmatrix}", "\\end{pmatrix}", "\\begin{array}{cc}",
    "\\end{array}", "\\text{", "\\mathrm{cm}", "\\overline{3}", "\\binom{5}{", "\\sum_{k=1}^{",
    "\\prod_{", "\\int_0^1", "\\lim_{x\\to 0}", "\\log_", "\\sin", "\\cos^{-1}", "\\pi", "\\infty",
    "\\cup", "\\in", "\\mid", "\\pm", "\\times", "\\cdot", "\\div", "\\le", "\\neq", "\\circ",
    "\\pmod{", "\\bmod", "\\lfloor", "\\rceil", "\\|", "\\\\", "\\,", "\\!", "\\", "\\unknown",
    "\\{", "\\}", "\\%", "\\$", "\\%",
]  # fmt: skip
PLAIN = [
    "(", ")", "[", "]", "{", "}", "{}", "+", "-", "*", "**", "/", "//", "^", "_", "=", "<", ">=",
    "!", "!!", "|", "&", "%", "$", "°", "'", '"', ":", ";", ",", ".", "...", "~", "#", "@", "?",
    "0", "1", "7", "10", "12345678901234567890", "1e9", "1e4999", "10^{4999}", "1e999999",
    "0.5", ".5", "1,234", "3 1/2",
    "x", "y", "i", "e", "pi", "sqrt(", "sin", "log", "and", " or ", "cm", "dollars", "million",
    "½", "√", "²", "π", "∞", "≤", "∪", "×", "−", "１", "٣", "𝟚", "Ⅳ", "⅞", "ﬁ", "́", "\u202e",
    "\u200b", "\ud800", "\udfff", "\x00", "\x1b", "\n", "\t", " ", "answer is", "####", "A:",
    "lambda:", "__import__('os')", "None", "nan", "inf", "True", "9^9^9", "99!",
]  # fmt: skip
BROKEN = st.lists(st.sampled_from([*COMMANDS, *PLAIN]), max_size=16).map("".join)
NESTED = st.builds(
    lambda opening, inside, closing, depth: opening * depth + inside + closing * depth,
    st.sampled_from(
        ["(", "{", "\\frac{1}{", "\\sqrt{", "-", "2^{", "\\left(", "\\{", "[", "|", "!"]
    ),
    BROKEN,
    st.sampled_from([")", "}", "}^2", "\\right)", "\\}", "]", "|", "!", ""]),
    st.integers(0, 3000),
)
REPEATED = st.builds(
    lambda piece, count: piece * count, st.sampled_from([*COMMANDS, *PLAIN, "1 ", "x+", "1,"]),
    st.integers(0, 3000),
)  # fmt: skip
PURE = Comparison(Conventions(), settle)
"""What the caller's process does, without the grader's own net."""
SPANS = ANY | BROKEN | NESTED | REPEATED
GOLDS = st.sampled_from(["12", "\\sqrt{2}", "(1, 2)", "x^2 + 1", "x > 2", "\\{1, 2\\}", "A", ""])


@settings(deadline=None, max_examples=400)
@given(SPANS)
@example("\\$" * 2000)
@example("f'" * 2000)
@example("A:" * 2000)
@example("x+1 2.5/3")
@example("x" + " \\bmod x" * 900)
@example("1" + " \\over x" * 400)
@example("\\begin{vmatrix}1&2&3\\\\4&" * 13 + "x" + "&5\\\\6&7&8\\end{vmatrix}" * 13)
@example("(180!)!")
def test_pure_parts_take_any_text(text: str) -> None:
    for said in (text, f"\\boxed{{{text}}}", f"The answer is {text}"):
        span = extract(said)
        assert span is None or 0 < len(span) <= WINDOW
        assert isinstance(cut_short(said), bool)
        value = read(tidy(said))
        for other in ("x+1", "\\sqrt{2}", "x>2", "(1, 2)"):
            PURE.rule(read(other), value)
        if span is not None:
            read(span)


@settings(deadline=None, max_examples=150)
@given(gold=SPANS | GOLDS, span=SPANS)
@example(gold="x^2+1", span="5 \\times 10^{4999}")
@example(gold="x^2+1", span="001/2 " * 660)
@example(gold="\\sqrt{2}", span="(180!)!")
@example(gold="x^2+1", span="\\sum_{a=1}^{2000}\\sum_{b=1}^{2000}\\sum_{c=1}^{2000} abc")
@example(gold="\\frac{1}{2}", span="\\prod_{a=1}^{2000}\\sum_{b=1}^{2000} 1")
def test_any_text_gives_a_verdict(hurried: Grade, gold: str, span: str) -> None:
    for text in (f"\\boxed{{{span}}}", f"The answer is {span}"):
        verdict = hurried(gold, text)
        assert isinstance(verdict.outcome, Outcome)
        assert isinstance(verdict.reason, Reason)
        assert (verdict.answer is None) == (verdict.reason in (Reason.NO_ANSWER, Reason.TRUNCATED))
        assert verdict.reason is not Reason.GRADER_DIED


@settings(deadline=None, max_examples=100)
@given(SPANS)
def test_a_text_is_never_a_number_that_it_does_not_state(hurried: Grade, span: str) -> None:
    if "7919" not in span:
        assert hurried("7919", f"\\boxed{{{span}}}").outcome is not Outcome.CORRECT


@settings(deadline=None, max_examples=100)
@given(SPANS)
def test_a_verdict_is_a_function_of_its_text(hurried: Grade, span: str) -> None:
    text = f"\\boxed{{{span}}}"
    first, again = hurried("\\frac{1}{2}", text), hurried("\\frac{1}{2}", text)
    if Reason.TIMEOUT not in (first.reason, again.reason):
        assert (first.outcome, first.reason, first.answer) == (
            again.outcome, again.reason, again.answer,
        )  # fmt: skip
