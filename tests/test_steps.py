"""Laws of splitting, over texts made of everything that could confuse it."""

import re
from collections.abc import Iterable
from typing import SupportsIndex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.model import Step
from labeler.steps import StepsConfig, from_list, split

PIECES = st.sampled_from(
    ["\n", "\n", "\n\n", " ", "\t", "\r\n", "a", "x = 1", "Step 1: ", "step 22.", "## Step 3:",
     "**Step 4:**", "$$", "$", "\\$", "\\\\", "\\[", "\\]", "\\\\[2pt]", "```", "```python\n",
     "\\begin{align*}", "\\end{align*}", "\\begin{matrix}", "\\end{matrix}", "\\begin{align}",
     "\\end{align}", "[asy]", "[/asy]", "\u2028", "\x1c", "é", "\ud800"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=60)
CONFIGS = st.builds(
    StepsConfig,
    split=st.sampled_from(["newline", "blank_line", "markers"]),
    merge_below=st.integers(0, 12),
)


def joined(steps: Iterable[Step]) -> str:
    return "".join(s.text + s.separator for s in steps)


def texts(text: str, **config: object) -> list[str]:
    return [s.text for s in split(text, StepsConfig.model_validate(config))]


@given(TEXTS, CONFIGS)
def test_joining_gives_back_the_text(text: str, config: StepsConfig) -> None:
    assert joined(split(text, config)) == text


@given(TEXTS, CONFIGS)
def test_a_step_split_again_is_itself(text: str, config: StepsConfig) -> None:
    for step in split(text, config):
        assert split(step.text, config) == (Step(step.text, ""),)


@given(TEXTS, CONFIGS)
def test_steps_hold_text_and_separators_hold_white_space(text: str, config: StepsConfig) -> None:
    steps = split(text, config)
    assert bool(steps) == bool(text)
    for step in steps:
        assert step.text.strip() or text.isspace()
        assert not step.separator.strip()
    for step in steps[:-1]:
        assert step.separator.endswith("\n")


@given(TEXTS, CONFIGS)
def test_a_step_ends_in_text_and_short_ones_are_merged(text: str, config: StepsConfig) -> None:
    steps = split(text, config)
    if text.strip():
        assert all(s.text == s.text.rstrip() for s in steps)
    if len(steps) > 1:
        assert all(len(s.text) >= config.merge_below for s in steps)


@given(st.lists(st.text(alphabet="ab =+1", min_size=1).filter(str.strip), min_size=1))
def test_plain_lines_are_steps(lines: list[str]) -> None:
    assert texts("\n".join(lines)) == [s.rstrip() for s in lines]


BLOCKS = [
    "$$\na = 1\n\nb = 2\n$$",
    "\\[\na\n\n\\]",
    "\\begin{align*}\na &= 1 \\\\[2pt]\n\nb &= 2\n\\end{align*}",
    "\\begin{pmatrix}\n\\begin{pmatrix}\n1\n\\end{pmatrix}\n2\n\\end{pmatrix}",
    "```python\nx = 1\n\nStep 2: y\n```",
    "[asy]\ndraw(a);\n\ndraw(b);\n[/asy]",
]


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("mode", ["newline", "blank_line", "markers"])
def test_a_block_is_never_split(block: str, mode: str) -> None:
    assert texts(block, split=mode) == [block]
    assert texts(f"Step 1: so\n\n{block}\n\nStep 2: then", split=mode)[-1] == "Step 2: then"
    assert any(block in t for t in texts(f"one\n\n{block}\n\ntwo", split=mode))


@given(st.lists(st.sampled_from([*BLOCKS, "a", "b c"]), min_size=1, max_size=8))
def test_blocks_among_lines_stay_whole(parts: list[str]) -> None:
    assert texts("\n\n".join(parts), split="blank_line") == parts


@pytest.mark.parametrize("opener", ["$$", "\\[", "\\begin{align}", "```", "[asy]"])
def test_an_opener_that_is_never_closed_protects_nothing(opener: str) -> None:
    assert texts(f"a\n{opener}\nb\nc") == ["a", opener, "b", "c"]


def test_an_unclosed_bracket_does_not_borrow_the_next_closer() -> None:
    assert texts("\\[ stray\nb\n\\[\nx\n\\]\nc") == ["\\[ stray", "b", "\\[\nx\n\\]", "c"]


def test_dollars_in_a_fence_close_nothing_outside_it() -> None:
    assert texts("```\n$$\n```\n$$\na\n$$\nb") == ["```\n$$\n```", "$$\na\n$$", "b"]


def test_escapes_open_nothing() -> None:
    assert texts("costs \\$$5\nand \\$$6") == ["costs \\$$5", "and \\$$6"]
    assert texts("a \\\\[2pt]\nb\n\\]") == ["a \\\\[2pt]", "b", "\\]"]


def test_the_separator_holds_every_newline_and_leaves_the_indentation() -> None:
    assert split("a  \n \n\n  b\n", StepsConfig()) == (Step("a", "  \n \n\n"), Step("  b", "\n"))


def test_markers() -> None:
    text = "Plan.\nStep 1: a\nmore\n\nStep 2: b\n### Step 3. c\n**Step 4:** d\nStepping on: e"
    assert texts(text, split="markers") == [
        "Plan.", "Step 1: a\nmore", "Step 2: b", "### Step 3. c", "**Step 4:** d\nStepping on: e",
    ]  # fmt: skip


def test_short_steps_go_to_the_next_and_the_last_to_the_one_before() -> None:
    assert texts("ab\ncdef\nghijk\nl", merge_below=5) == ["ab\ncdef", "ghijk\nl"]
    assert texts("a\nb", merge_below=50) == ["a\nb"]


class Counted(str):
    """A text that counts the characters that are sliced out of it."""

    copied: int = 0

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        piece = super().__getitem__(key)
        self.copied += len(piece)
        return piece


@pytest.mark.parametrize("mode", ["newline", "blank_line", "markers"])
@pytest.mark.parametrize(
    "unit", ["\n", "x \n", "x\n\n", "$$\n", "\\begin{align}\n", "```\n", "Step 1: x\n", " \n"]
)
def test_work_is_linear(mode: str, unit: str) -> None:
    text = Counted("a" + unit * 5000 + "b")
    assert joined(split(text, StepsConfig.model_validate({"split": mode}))) == text
    assert text.copied <= 4 * len(text)


@pytest.mark.parametrize("unit", [" ", "#", "`", "\\", "\t$"])
def test_a_megabyte_on_one_line(unit: str) -> None:
    """A pattern that backtracks would take hours here."""
    text = "a\n" + unit * (1_000_000 // len(unit)) + "b"
    assert joined(split(text, StepsConfig(split="markers"))) == text


@given(st.lists(TEXTS, max_size=12), st.sampled_from(["\n", "\n\n", " ", "\r\n"]))
def test_a_given_list_keeps_its_texts(given_steps: list[str], joiner: str) -> None:
    steps = from_list(given_steps, joiner)
    assert [s.text for s in steps] == [g.rstrip() for g in given_steps if g.strip()]
    assert from_list([s.text + s.separator for s in steps], joiner) == steps


@given(st.lists(st.text(alphabet="ab ", min_size=1).filter(str.strip), min_size=1))
def test_a_given_list_and_its_text_are_the_same_solution(lines: list[str]) -> None:
    assert joined(from_list(lines, "\n")).rstrip() == "\n".join(s for s in lines).rstrip()


def test_a_step_that_ends_with_the_joiner_gets_no_second_one() -> None:
    assert from_list(["a\n", "b", " ", "c\n"]) == (
        Step("a", "\n"), Step("b", "\n \n"), Step("c", "\n"),
    )  # fmt: skip
    assert from_list(["", "a"]) == (Step("a", ""),)
    assert re.sub(r"\s", "", joined(from_list([]))) == ""
