"""Rows without a tokenizer: what exports write is sound, and each fault of the peers' is named."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.apps.validate.faults import Kind, Partly
from labeler.apps.validate.rows import Found, RowCheck
from labeler.exporting import Benchmarks, Chosen, Selector, only_read
from labeler.exporting.options import ExportOptions
from labeler.formats import FORMATS, Prm800k, Record, Row
from tests.exporting.label_rows import label_sets

WRITTEN = [name for name, to in FORMATS.items() if not only_read(to)]
RECORD = Record(
    question="What is 2+2?",
    steps=("2+2 = 5.", "So 5."),
    id="s",
    answer="5",
    is_correct=False,
    first_error=1,
    hard=(False, False),
    soft=(0.25, 0.0),
    source="gsm8k",
    generator="someone",
)


def row(name: str) -> Row:
    return copy.deepcopy(FORMATS[name].write(RECORD))


def fault(name: str, *rows: Row) -> Found | None:
    """The fault of the last of these rows; the others have none."""
    check = RowCheck(FORMATS[name])
    *sound, last = [check.look(one)[1] for one in rows]
    assert sound == [None] * len(sound)
    return last


@pytest.mark.parametrize("name", WRITTEN)
@settings(max_examples=15)
@given(label_sets(), st.booleans())
def test_what_is_exported_is_sound(name: str, rows: list[dict[str, Any]], cut: bool) -> None:
    to = FORMATS[name]
    options = ExportOptions(
        labels="soft" if to.carries_soft else "hard", after_error="cut" if cut else "keep"
    )
    selector, check = Selector(to, options, Benchmarks()), RowCheck(to)
    for found in map(selector.choose, rows):
        if isinstance(found, Chosen):
            records, wrong = check.look(found.row)
            assert wrong is None
            assert len(records) == 1


RATED = st.fixed_dictionaries(
    {"text": st.sampled_from("ab"), "rating": st.sampled_from([None, -1, 0, 1]),
     "flagged": st.just(False)}
)  # fmt: skip


@st.composite
def rated_steps(draw: st.DrawFn) -> Row:
    given = draw(st.none() | st.lists(RATED, max_size=3))
    return {
        "completions": given,
        "human_completion": draw(st.none() | RATED),
        "chosen_completion": draw(st.none() | st.sampled_from(range(len(given))))
        if given
        else None,
    }


@settings(max_examples=300)
@given(
    st.lists(rated_steps(), min_size=1, max_size=3),
    st.none() | st.lists(st.sampled_from("ab"), max_size=4),
)
def test_a_row_of_prm800k_that_is_read_has_no_fault(steps: list[Row], whole: list[str]) -> None:
    one = row("prm800k")
    one["label"]["steps"], one["question"]["pre_generated_steps"] = steps, whole
    check = RowCheck(Prm800k(zero="bad"))
    records, found = check.look(one)
    assert found is None
    assert bool(records) or check.partly[Partly.NONE] == 1


def partly(name: str, one: Row) -> list[Partly]:
    check = RowCheck(FORMATS[name])
    assert check.look(one)[1] is None
    return list(check.partly)


def test_rows_that_cannot_be_written_themselves_are_told_by_why() -> None:
    rated = row("prm800k")
    assert partly("prm800k", rated) == []
    step = rated["label"]["steps"][0]
    own = step["completions"]
    step["completions"] = [*own, {"text": "4.", "rating": 1, "flagged": False}]
    assert partly("prm800k", rated) == [Partly.SEVERAL]
    step["completions"], step["chosen_completion"] = None, None
    step["human_completion"] = {"text": "4.", "rating": None}
    assert partly("prm800k", rated) == [Partly.UNEVEN]
    step["human_completion"] = None
    assert partly("prm800k", rated) == [Partly.NONE]
    node = {"text": "q", "mc_value": 0.5}
    searched = {"question": "q", "final_answer": "4", "reasoning_steps": node}
    assert partly("math-aps", searched) == [Partly.ONLY_READ]


CASES: list[tuple[str, Row, Kind, str]] = [
    ("trl", {"labels": [0.9, 0.25]}, Kind.SOFT, "labels"),
    ("trl", {"labels": [True, 0.25]}, Kind.SOFT, "labels"),
    ("trl", {"labels": [True, 1]}, Kind.MIXED, "labels"),
    ("trl", {"labels": [True, "+"]}, Kind.MIXED, "labels"),
    ("trl", {"labels": [True, None]}, Kind.MIXED, "labels"),
    ("trl", {"labels": [True]}, Kind.SHAPE, "labels"),
    ("trl", {"labels": []}, Kind.SHAPE, "labels"),
    ("trl", {"labels": [1, 0]}, Kind.ROUND_TRIP, "labels"),
    ("trl", {"labels": [1.0, 0.0]}, Kind.SHAPE, "labels[0]"),
    ("trl", {"completions": ["one\ntwo", "three"]}, Kind.TAG, "completions[0]"),
    ("trl", {"completions": []}, Kind.SHAPE, "completions"),
    ("trl", {"completions": "2+2 = 5."}, Kind.SHAPE, "completions"),
    ("trl", {"prompt": None}, Kind.SHAPE, "prompt"),
    ("openrlhf", {"label": [0.9, 0.1]}, Kind.SOFT, "label"),
    ("openrlhf", {"label": ["+", 1]}, Kind.MIXED, "label"),
    ("openrlhf", {"label": ["+", "good"]}, Kind.SHAPE, "label[1]"),
    ("openrlhf", {"label": ["+"]}, Kind.TAG, "input"),
    ("openrlhf", {"label": ["+", "-", "-"]}, Kind.SHAPE, "label"),
    ("openrlhf", {"input": "The word ки? Step 1: a ки\nStep 2: b ки"}, Kind.TAG, "input"),
    (
        "math-shepherd",
        {
            "input": "The word ки? Step 1: a ки\nStep 2: b ки",
            "label": "The word ки? Step 1: a -\nStep 2: b -",
        },
        Kind.TAG,
        "input",
    ),
    ("math-shepherd", {"label": "no such text"}, Kind.SHAPE, "label"),
    (
        "math-shepherd",
        {"input": "Q? Step 1: a ки\nStep 2: b ки", "label": "Q? Step 1: a +\nStep 2: b ?"},
        Kind.SHAPE,
        "label",
    ),
    (
        "math-shepherd",
        {"input": "Q? 1. a ки\n2. b ки", "label": "Q? 1. a +\n2. b -"},
        Kind.SHAPE,
        "input",
    ),
    ("rlhflow", {"conversations": [{"role": "user", "content": "Q? a"}]}, Kind.SHAPE,
     "conversations"),
    (
        "rlhflow",
        {
            "conversations": [
                {"role": "user", "content": "What is 2+2? a"},
                {"role": "assistant", "content": "0.9"},
            ]
        },
        Kind.SHAPE,
        "conversations[1]",
    ),
    ("qwen", {"labels": [0.5, 1]}, Kind.SOFT, "labels"),
    ("qwen", {"labels": [True, False]}, Kind.ROUND_TRIP, "labels"),
    ("scan", {"scores": [0.5, 1.5]}, Kind.SHAPE, "scores[1]"),
    ("scan", {"scores": [0.5, None]}, Kind.MIXED, "scores"),
    ("scan", {"scores": [0.5, float("nan")]}, Kind.SHAPE, "scores[1]"),
    ("scan", {"scores": [True, False]}, Kind.SHAPE, "scores[0]"),
    ("scan", {"steps": ["one\n\ntwo", "three"]}, Kind.TAG, "steps[0]"),
    ("scan", {"question": "one\n\ntwo"}, Kind.TAG, "question"),
    (
        "mm-prm",
        {
            "conversations": [
                {"from": "human", "value": "Question: q\nProcess: a<prm> b<prm>\n\nc<prm>"},
                {"from": "gpt", "value": [0.5, 0.5]},
            ]
        },
        Kind.TAG,
        "conversations[0]",
    ),
    ("processbench", {"label": 2}, Kind.SHAPE, "label"),
    ("processbench", {"label": 0.5}, Kind.SHAPE, "label"),
    ("processbench", {"final_answer_correct": 0}, Kind.ROUND_TRIP, "final_answer_correct"),
    ("prm800k", {"question": "What is 2+2?"}, Kind.SHAPE, "question, label"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "kind", "field"), CASES)
def test_a_fault_names_its_kind_and_field(name: str, changes: Row, kind: Kind, field: str) -> None:
    found = fault(name, {**row(name), **changes})
    assert found is not None
    assert (found.kind, found.field) == (kind, field)
    assert found.problem
    assert found.fix


@pytest.mark.parametrize("place", [1, 2])
def test_a_tag_of_qwens_inside_a_text(place: int) -> None:
    changed = row("qwen")
    changed["messages"][place]["content"] = f"<extra_0> {changed['messages'][place]['content']}"
    found = fault("qwen", changed)
    assert found is not None
    assert (found.kind, found.field) == (Kind.TAG, f"messages[{place}]")


def test_labels_of_another_kind_than_in_the_first_row() -> None:
    signs = {**row("openrlhf"), "label": [0, 1]}
    found = fault("openrlhf", row("openrlhf"), row("openrlhf"), signs)
    assert found is not None
    assert (found.kind, found.field) == (Kind.MIXED, "label")


def test_an_id_that_an_earlier_row_has() -> None:
    other = {**row("processbench"), "id": "t"}
    found = fault("processbench", row("processbench"), other, row("processbench"))
    assert found is not None
    assert (found.kind, found.field) == (Kind.DOUBLED, "id")


@pytest.mark.parametrize("name", [n for n in WRITTEN if n not in ("prm800k",)])
def test_a_missing_column_is_named(name: str) -> None:
    for column in row(name):
        without = {key: value for key, value in row(name).items() if key != column}
        found = fault(name, without)
        if column not in ("soft", "question") or name in ("scan", "orm"):
            assert found is not None, column
