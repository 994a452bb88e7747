"""Rows of labels for tests of exports: real rows of labels/*.parquet, made from counts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from labeler.labels import SolutionLabel
from labeler.shards import to_table
from tests.labelled import LOOK, RIGHT, WRONG, made

Row = dict[str, Any]


def solution_label(counts: Sequence[int], number: int = 0, **changes: object) -> SolutionLabel:
    """The label of a solution whose prefix k has counts[k] right rollouts of 8, three a question.

    It has as many steps as counts; its own answer is right where the last count is above zero.
    """
    own = RIGHT if counts[-1] else WRONG
    label = made(own, {k: (8, c) for k, c in enumerate(counts)}, len(counts), LOOK)
    return replace(
        label,
        solution_id=f"s{number}",
        problem_id=f"p{number // 3}",
        question=f"Question {number // 3} of how many apples?",
        **changes,
    )


def label_row(counts: Sequence[int] = (8, 8, 0, 0), number: int = 0, **changes: object) -> Row:
    """The same as an export reads it."""
    return to_table([solution_label(counts, number, **changes)]).to_pylist()[0]


@st.composite
def label_sets(draw: st.DrawFn) -> list[Row]:
    """Rows of a few solutions: right and wrong ones, undecided ones, three a question."""
    confidences = st.one_of(st.none(), st.floats(0, 1))
    kept = st.sampled_from([None, True, False])
    counts = st.lists(st.integers(0, 8), min_size=1, max_size=6)
    rows = []
    for i, found in enumerate(draw(st.lists(counts, min_size=1, max_size=12))):
        row = label_row(found, i, first_error_confidence=draw(confidences), keep=draw(kept))
        if draw(st.integers(0, 4)) == 0:
            labels = [{**step, "target": None} for step in row["labels"]]
            row |= {"first_error": None, "labels": labels}
        rows.append(row)
    return rows
