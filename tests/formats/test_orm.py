"""Outcome and values: the offsets cut the solution where its steps end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.formats import BadRowError, Record
from labeler.formats.orm import Orm, orm_rows
from labeler.shards import to_table
from tests.labelled import RIGHT, UNGRADABLE, WRONG, made

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
VALUE = st.none() | st.floats(0, 1)


@st.composite
def records(draw: st.DrawFn) -> Record:
    steps = draw(st.lists(TEXT, min_size=1, max_size=5).map(tuple))
    return Record(
        question=draw(TEXT),
        steps=steps,
        is_correct=draw(st.booleans()),
        soft=tuple(draw(VALUE) for _ in steps),
        extra=draw(st.just({}) | st.just({"level": 3})),
    )


def test_the_row_of_the_documentation() -> None:
    record = Record("What is 2+2?", ("2+2 = 5.", "So 5."), is_correct=False, soft=(0.125, 0.0))
    row = {
        "question": "What is 2+2?",
        "solution": "2+2 = 5.\nSo 5.",
        "is_correct": False,
        "step_ends": [8, 14],
        "values": [0.125, 0.0],
    }
    assert Orm().write(record) == row
    assert Orm().read(row) == [record]


@given(records(), st.sampled_from(["\n", "\n\n", "", " | "]))
def test_a_record_survives(record: Record, separator: str) -> None:
    orm = Orm(separator=separator)
    row = orm.write(record)
    assert orm.read(row) == [record]
    assert orm.write(orm.read(row)[0]) == row
    for step, end in zip(record.steps, row["step_ends"], strict=True):
        assert row["solution"][:end].endswith(step)
    assert row["step_ends"][-1] == len(row["solution"])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"step_ends": [8, 13]}, "step_ends"),
        ({"step_ends": [14]}, "values"),
        ({"step_ends": [7, 14]}, "step_ends"),
        ({"step_ends": [8, 7]}, r"step_ends\[1\]"),
        ({"step_ends": [8, 99]}, r"step_ends\[1\]"),
        ({"step_ends": [8, 14.0]}, r"step_ends\[1\]"),
        ({"step_ends": [], "values": []}, "step_ends"),
        ({"values": [0.1, 1.5]}, r"values\[1\]"),
        ({"values": [0.1, "high"]}, r"values\[1\]"),
        ({"values": [0.1]}, "values"),
        ({"is_correct": None}, "is_correct"),
        ({"solution": 7}, "solution"),
    ],
)
def test_rows_that_do_not_fit_are_refused(change: dict, named: str) -> None:
    row = Orm().write(Record("q", ("2+2 = 5.", "So 5."), is_correct=False, soft=(0.125, 0.0)))
    with pytest.raises(BadRowError, match=f"^{named}: "):
        Orm().read(row | change)


def test_records_that_do_not_fit_are_refused() -> None:
    for record in (
        Record("q", (), is_correct=True, soft=()),
        Record("q", ("a",), soft=(1.0,)),
        Record("q", ("a",), is_correct=True),
        Record("q", ("a",), is_correct=True, soft=(0.1, 0.2)),
    ):
        with pytest.raises(BadRowError):
            Orm().write(record)


def test_label_rows_become_rows_of_outcomes() -> None:
    counts = {0: (8, 4), 1: (8, 6)}
    labels = to_table([made(own, counts, 3) for own in (RIGHT, UNGRADABLE, WRONG)]).to_pylist()
    right, wrong = orm_rows(labels, "soft")
    assert right["solution"] == "step 1\nstep 2\nstep 3"
    assert (right["is_correct"], right["values"]) == (True, [0.75, None, 1.0])
    assert (wrong["is_correct"], wrong["values"]) == (False, [0.75, None, 0.0])
    [posterior, _] = orm_rows(labels)
    assert posterior["values"] == [step["soft_posterior"] for step in labels[0]["labels"]]
    assert None not in posterior["values"]
