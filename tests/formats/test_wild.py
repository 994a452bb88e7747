"""Rows of any shape: read as records, or refused; never another error."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.formats import FORMATS, BadRowError, Record, recognise
from tests.formats.rows import BENCH, FLOW, MM, QWEN_ROW, SHEPHERD, TRL_ROW, prm800k, rated

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "role"]), inner)
    ),
    max_leaves=5,
)
NODE = {"text": "q", "mc_value": 0.5, "children": [{"text": "a", "mc_value": 0, "children": []}]}
FLAT = [{"solution_prefix": "q", "mc_value": 1}, {"solution_prefix": "q a", "mc_value": 0.5}]
APS = {"question": "q", "final_answer": "4", "question_id": 3}
ROWS: dict[str, list[dict[str, Any]]] = {
    "trl": [TRL_ROW | {"soft": [0.5]}],
    "openrlhf": [{"input": "q Step 1: a ки", "label": ["+"]}],
    "math-shepherd": [SHEPHERD],
    "prm800k": [prm800k(rated(1, -1), rated(-1, chosen=None), whole=["s0", "s1", "s2"])],
    "rlhflow": [{"conversations": FLOW, "question": "What is 2+2?"}],
    "qwen": [QWEN_ROW],
    "scan": [{"question": "q", "steps": ["a"], "scores": [0.5]}],
    "processbench": [BENCH],
    "mm-prm": [MM],
    "orm": [
        {"question": "q", "solution": "a", "is_correct": True, "step_ends": [1], "values": [0.5]}
    ],
    "math-aps": [APS | {"reasoning_steps": NODE}, APS | {"reasoning_steps": FLAT}],
}


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401
    """Every place in a row, the row itself left out."""
    if not isinstance(value, dict | list):
        return []
    found = []
    for key, held in value.items() if isinstance(value, dict) else enumerate(value):
        found += [(*path, key), *places(held, (*path, key))]
    return found


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:  # noqa: ANN401
    if not path:
        return new
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=150)
@given(data=st.data())
def test_a_row_with_anything_anywhere_is_read_or_refused(name: str, data: st.DataObject) -> None:
    row = data.draw(st.sampled_from(ROWS[name]))
    wild = changed(row, data.draw(st.sampled_from(places(row))), data.draw(JSON))
    assert recognise(wild) in (None, *FORMATS)
    try:
        found = FORMATS[name].read(wild)
    except BadRowError:
        return
    for record in found:
        assert all(isinstance(step, str) for step in (record.question, *record.steps))
        assert record.steps
        assert record.gold is None or isinstance(record.gold, str)
        assert record.answer is None or isinstance(record.answer, str)
        for labels in (record.hard, record.soft):
            assert labels is None or len(labels) == len(record.steps)
        assert all(label in (True, False, None) for label in record.hard or ())
        assert record.first_error is None or 0 <= record.first_error <= len(record.steps)


@pytest.mark.parametrize("name", FORMATS)
def test_the_row_that_is_changed_is_read_as_it_is(name: str) -> None:
    for row in ROWS[name]:
        assert recognise(row) == name
        found = FORMATS[name].read(row)
        assert found
        assert all(isinstance(record, Record) for record in found)
