"""Rows of every shape: what is read of them, and why others are refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.problems import Columns, ProblemsConfig, RawSolution, Rejection, Row
from labeler.problems.rows import answer_of, last_boxed, parse
from tests.problems.reading import one, refused

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)

NAMES = st.sampled_from(
    ["id", "question", "problem", "gold", "answer", "final_answer", "solution", "steps",
     "solutions", "generator", "model.solution"]
)  # fmt: skip
WILD_ROWS = st.dictionaries(NAMES, JSON | st.sampled_from(["q", "x\n#### 3", "\\boxed{2}"]))
COLUMNS = st.builds(Columns, **dict.fromkeys(Columns.model_fields, st.none() | NAMES))


@given(WILD_ROWS, COLUMNS, st.booleans())
def test_no_row_raises_and_what_is_kept_can_be_written(
    row: dict[str, Any], columns: Columns, label_reference: bool
) -> None:
    config = ProblemsConfig(path="f", columns=columns, label_reference=label_reference)
    found = parse("f:1", row, config)
    if isinstance(found, Row):
        problem = found.problem
        assert problem.question.strip()
        assert problem.gold.strip()
        "".join([problem.id, problem.question, problem.gold]).encode()
        for solution in found.solutions:
            if solution.fault is None:
                "".join([*solution.content, solution.generator]).encode()
    else:
        assert found.reason in Rejection


# Shapes


def test_our_shape() -> None:
    found = one({"id": 7, "question": " q ", "answer": 3, "solution": "a\nb", "generator": "g"})
    assert (found.problem.id, found.problem.question, found.problem.gold) == ("7", "q", "3")
    assert found.problem.source == "f.jsonl"
    assert found.solutions == (RawSolution("a\nb", "g"),)


def test_gold_comes_before_answer() -> None:
    assert one({"question": "q", "gold": "1", "answer": "2"}).problem.gold == "1"


def test_rows_of_prm800k_have_their_columns_in_the_question() -> None:
    about = {"problem": "q", "ground_truth_answer": "4", "pre_generated_steps": ["a", "b"]}
    row = {"labeler": "x", "question": about, "label": {"steps": []}}
    found = one(row)
    assert (found.problem.question, found.problem.gold) == ("q", "4")
    assert found.solutions == (RawSolution(("a", "b")),)
    assert one({**row, "question": {**about, "pre_generated_steps": None}}).solutions == ()
    assert refused({**row, "question": {"problem": "q"}}) == Rejection.MISSING_GOLD
    mapped = {"question": "question.problem", "gold": "question.ground_truth_answer"}
    assert one(row, columns=mapped).solutions == ()


def test_a_row_of_processbench_has_no_gold() -> None:
    row = {"id": "gsm8k-0", "problem": "q", "steps": ["a"], "label": -1}
    assert refused(row) == Rejection.MISSING_GOLD
    found = one({**row, "answer": "4"})
    assert (found.problem.id, found.solutions) == ("gsm8k-0", (RawSolution(("a",)),))


def test_gsm8k_rows_have_their_gold_after_the_marker_and_no_solution_to_label() -> None:
    row = {"question": "q", "answer": "1 + 1 = 2\n#### 1,000"}
    assert one(row).problem.gold == "1,000"
    assert one(row).solutions == ()
    assert one(row, label_reference=True).solutions == (RawSolution(row["answer"]),)


def test_math_rows_have_a_reference() -> None:
    row = {"problem": "q", "solution": "so \\boxed{\\frac{1}{2}} and \\boxed{x}", "answer": ""}
    assert one(row).problem.gold == "x"
    assert one(row | {"answer": "y"}).problem.gold == "y"
    assert one(row).solutions == ()
    assert one(row, label_reference=True).solutions == (RawSolution(row["solution"]),)
    assert one(row, columns=Columns(solution="solution")).solutions[0].content == row["solution"]


def test_processbench_rows_need_a_mapped_gold() -> None:
    row = {"id": "p-1", "problem": "q", "steps": ["a", "b"], "generator": "m", "ref": {"gold": "4"}}
    assert refused(row) == Rejection.MISSING_GOLD
    found = one(row, columns=Columns(gold="ref.gold"))
    assert found.problem.gold == "4"
    assert found.solutions == (RawSolution(("a", "b"), "m"),)


def test_solutions_of_every_form() -> None:
    forms = ["t", ["a", "b"], {"text": "u", "generator": "x"}, {"steps": ["c"]}, 5, ["a", 1], {}]
    found = one({"question": "q", "answer": "1", "solutions": forms, "generator": "g"})
    assert found.solutions[:4] == (
        RawSolution("t", "g"), RawSolution(("a", "b"), "g"), RawSolution("u", "x"),
        RawSolution(("c",), "g"),
    )  # fmt: skip
    assert [s.fault for s in found.solutions[4:]] == [Rejection.MALFORMED] * 3


def test_a_star_names_the_generators() -> None:
    row = {"question": "q", "truth": "x\nA: 3", "m1": {"solution": "s"}, "m2": {"solution": "t"}}
    found = one(row, columns=Columns(gold="truth", solution="*.solution"), answer_marker="A:")
    assert found.problem.gold == "3"
    assert found.solutions == (RawSolution("s", "m1"), RawSolution("t", "m2"))


def test_a_key_with_a_dot_is_found_before_a_path() -> None:
    row = {"question": "q", "a.b": "1", "a": {"b": "2"}}
    assert one(row, columns=Columns(gold="a.b")).problem.gold == "1"


def test_ids_are_content_where_the_row_has_none() -> None:
    row = {"question": "q", "answer": "1"}
    assert one(row).problem.id == one(row | {"id": None, "x": 1}).problem.id
    assert one(row).problem.id != one(row | {"answer": "2"}).problem.id


@pytest.mark.parametrize(
    ("change", "columns", "reason"),
    [
        ({"question": None}, {}, Rejection.MISSING_QUESTION),
        ({"question": " \n"}, {}, Rejection.MISSING_QUESTION),
        ({"question": ["q"]}, {}, Rejection.MALFORMED),
        ({"answer": None}, {}, Rejection.MISSING_GOLD),
        ({"answer": "x\n####  "}, {}, Rejection.MISSING_GOLD),
        ({"answer": True}, {}, Rejection.MALFORMED),
        ({"answer": float("nan")}, {}, Rejection.MALFORMED),
        ({"answer": 10**400}, {}, Rejection.TOO_LONG),
        ({"id": {}}, {}, Rejection.MALFORMED),
        ({"question": "q" * 101}, {}, Rejection.TOO_LONG),
        ({"question": "\ud800"}, {}, Rejection.NOT_UTF8),
        ({}, {"id": "uid"}, Rejection.MISSING_ID),
        ({}, {"question": "prompt"}, Rejection.MISSING_QUESTION),
        ({}, {"gold": "truth"}, Rejection.MISSING_GOLD),
        ({}, {"solution": "soluton"}, Rejection.MISSING_SOLUTION),
        ({"solution": None}, {"solution": "solution"}, Rejection.MISSING_SOLUTION),
    ],
)
def test_why_a_row_is_refused(
    change: dict[str, Any], columns: dict[str, str], reason: Rejection
) -> None:
    row = {"question": "q", "answer": "1", "solution": "s"} | change
    assert refused(row, columns=Columns(**columns), max_chars=100) == reason


@pytest.mark.parametrize(
    ("text", "boxed"),
    [("\\boxed{1}", "1"), ("\\boxed{a{b}c} d", "a{b}c"), ("\\boxed{1} \\boxed{2}", "2"),
     ("\\boxed{\\{1\\}}", "\\{1\\}"), ("\\boxed{1", None), ("}{", None), ("", None)],
)  # fmt: skip
def test_the_last_box(text: str, boxed: str | None) -> None:
    assert last_boxed(text) == boxed


def test_the_marker_counts_only_where_a_line_begins() -> None:
    assert answer_of("a #### 1", "####") == "a #### 1"
    assert answer_of("#### 1\n  #### 2", "####").strip() == "2"
