"""What scores mean: the first error below a threshold, and one number for a solution."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from train_prm_scores import Comparison

from labeler.prm.evaluation import trace_errors
from labeler.prm.examples import sound
from labeler.prm.scoring import RULES, best_threshold, first_below, solution_score
from labeler.scores import f1

scores = st.lists(st.floats(0, 1), min_size=1, max_size=8).map(tuple)


@given(row=scores, low=st.floats(0, 1), high=st.floats(0, 1))
def test_a_higher_threshold_never_finds_a_later_error(
    row: tuple[float, ...], low: float, high: float
) -> None:
    one, other = (first_below(row, t) for t in sorted((low, high)))
    assert not one or 0 < other <= one
    assert first_below(row, 0) == 0
    assert first_below(row, 1.1) == 1


@given(row=scores)
def test_rules_agree_on_what_bounds_what(row: tuple[float, ...]) -> None:
    by = {rule: solution_score(row, rule) for rule in RULES}
    assert by["product"] <= by["min"] <= by["mean"] + 1e-9
    assert by["min"] <= by["last"] == row[-1]
    assert all(solution_score(row[:1], rule) == row[0] for rule in RULES)


def test_a_solution_without_scores_has_none() -> None:
    with pytest.raises(ValueError, match="no score"):
        solution_score((), "min")


@given(rows=st.lists(st.tuples(scores, st.integers(0, 8)), min_size=1, max_size=12))
def test_no_threshold_that_was_tried_is_better_than_the_one_chosen(
    rows: list[tuple[tuple[float, ...], int]],
) -> None:
    every, truths = [row for row, _ in rows], [truth for _, truth in rows]

    def value(threshold: float) -> float | None:
        return f1([(t, first_below(row, threshold)) for row, t in rows]).f1

    best = best_threshold(every, truths)
    if len({t > 0 for t in truths}) < 2:
        assert best is None
        return
    assert best is not None
    tried = np.quantile([s for row in every for s in row], np.linspace(0.01, 0.99, 99)).tolist()
    assert value(best) == max(v for v in map(value, tried) if v is not None)


def test_a_threshold_that_tells_all_apart_is_found() -> None:
    rows = [(0.9, 0.2, 0.1), (0.9, 0.8), (0.3, 0.3), (0.7, 0.9)]
    truths = [2, 0, 1, 0]
    threshold = best_threshold(rows, truths)
    assert threshold is not None
    assert [first_below(row, threshold) for row in rows] == truths


def test_trace_errors_are_counted_among_right_answers_alone() -> None:
    pairs = [(2, 2), (2, 1), (0, 0), (0, 3), (1, 1), (3, 0)]
    found = trace_errors(pairs, [True, True, True, True, False, None])
    assert (found.right_answers, found.true, found.located, found.claimed) == (4, 2, 1, 3)


@given(
    steps=st.integers(1, 8),
    weights=st.lists(st.floats(0.01, 1), min_size=9, max_size=9),
)
def test_soundness_falls_from_step_to_step(steps: int, weights: list[float]) -> None:
    posterior = [{"step": k, "probability": weights[k]} for k in range(steps + 1)]
    found = sound(posterior, steps)
    assert all(a is not None and b is not None and a >= b for a, b in pairwise(found))
    assert found[-1] == pytest.approx(weights[0] / sum(weights[: steps + 1]))
    assert sound(None, steps) == (None,) * steps


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=30
    )
)
def test_the_benchmarks_f1_is_that_of_the_package(rows: list[tuple[int, int, int]]) -> None:
    truths = [truth for truth, _, _ in rows]
    one, other = ([row[i] for row in rows] for i in (1, 2))
    values = [f1(list(zip(truths, said, strict=True))).f1 for said in (one, other)]
    if values[0] is None or values[1] is None:
        return
    comparison = Comparison(truths, {"a": [one, one], "b": [other, other]})
    assert comparison.f1("a").value == pytest.approx(values[0], abs=1e-6)
    less = comparison.difference("a", "b")
    assert less.value == pytest.approx(values[0] - values[1], abs=1e-6)
    assert comparison.difference("a", "a").low == comparison.difference("a", "a").high == 0
