"""Testbed problems for Hypothesis: from a stream of their own."""

from collections.abc import Sequence

from hypothesis import strategies as st

from labeler.testbed import wording
from labeler.testbed.problems import Problem, draw
from labeler.testbed.wording import Line

problems: st.SearchStrategy[Problem] = st.integers(0, 100_000).map(lambda i: draw("test", 0, i))
styles = st.integers(0, wording.STYLES - 1)


def texts(problem: Problem, lines: Sequence[Line], style: int = 0) -> list[str]:
    return [wording.write(line, problem.program.items, style) for line in lines]
