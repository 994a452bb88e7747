"""Rows of prm800k: each chosen path and its rivals, rated by people, read and written back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.formats import BadRowError, Prm800k, Record, of
from tests.formats.rows import prm800k, rated


def test_the_first_error_stands_before_nothing_unlabelled() -> None:
    read = Prm800k().read
    assert read(prm800k(rated(1), rated(-1)))[0].first_error == 2
    assert read(prm800k(rated(None), rated(-1)))[0].first_error is None
    assert read(prm800k(rated(1), rated(1)))[0].first_error == 0


def test_prm800k_gives_the_chosen_path_and_each_rival() -> None:
    row = prm800k(rated(1, -1, at="a"), rated(0, 1, chosen=1, at="b"))
    found = [(r.steps, r.hard, r.extra["ratings"]) for r in Prm800k(zero="bad").read(row)]
    assert found == [
        (("a0", "b1"), (True, True), (1, 1)),
        (("a1",), (False,), (-1,)),
        (("a0", "b0"), (True, False), (1, 0)),
    ]


def test_rating_zero_is_read_as_stated_and_never_without() -> None:
    row = prm800k(rated(0))
    assert Prm800k(zero="good").read(row)[0].hard == (True,)
    assert Prm800k(zero="bad").read(row)[0].hard == (False,)
    with pytest.raises(BadRowError, match="--zero good"):
        of("prm800k").read(row)


def test_prm800k_labels_the_pre_generated_solution_up_to_the_first_error() -> None:
    row = prm800k(rated(1, at="a"), rated(-1, chosen=None, at="b"), whole=["a0", "b0", "c"])
    [record] = Prm800k().read(row)
    assert record.steps == ("a0", "b0", "c")
    assert record.hard == (True, False, None)
    assert (record.first_error, record.answer, record.gold) == (2, "5", "4")
    again = Prm800k().write(record)
    assert Prm800k().read(again) == [
        Record(**{f: getattr(record, f) for f in record.__slots__ if f != "extra"},
               extra={**record.extra, "is_quality_control_question": False,
                      "is_initial_screening_question": False})
    ]  # fmt: skip
    assert [s["chosen_completion"] for s in again["label"]["steps"]] == [0, None]


@given(
    ratings=st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=3),
    reason=st.sampled_from(["found_error", "solution", "bad_problem", "give_up", None]),
    flagged=st.booleans(),
    ends=st.booleans(),
    whole=st.sampled_from([None, ["b0", "b0", "b0", "c"], ["c"]]),
)
def test_a_row_of_one_solution_comes_back_as_it_was(
    ratings: list[int], reason: str | None, flagged: bool, ends: bool, whole: list[str] | None
) -> None:
    row = prm800k(*(rated(r, at="b") for r in ratings), whole=whole)
    row["label"] |= {"finish_reason": reason}
    row |= {"is_quality_control_question": flagged, "is_initial_screening_question": False}
    last = row["label"]["steps"][-1]
    last["completions"][0]["flagged"] = flagged
    last["chosen_completion"] = None if ends else 0
    [record] = Prm800k(zero="bad").read(row)
    assert Prm800k().write(record) == row


def test_a_row_of_several_solutions_is_written_as_several() -> None:
    row = prm800k(rated(1, -1, at="a"), rated(0, 1, chosen=1, at="b"))
    for record in Prm800k(zero="bad").read(row):
        [again] = Prm800k(zero="bad").read(Prm800k().write(record))
        assert (again.steps, again.hard) == (record.steps, record.hard)


def test_prm800k_goes_on_from_what_a_person_wrote() -> None:
    person = {**rated(-1, chosen=None, at="a"), "human_completion": {"text": "h", "rating": None}}
    found = Prm800k().read(prm800k(person, rated(1, at="b")))
    assert [(r.steps, r.hard) for r in found] == [
        (("h", "b0"), (True, True)),
        (("a0",), (False,)),
    ]


def test_a_row_of_prm800k_without_ratings_has_no_record() -> None:
    nothing = {"completions": None, "human_completion": None, "chosen_completion": None}
    assert Prm800k().read(prm800k(nothing)) == []


def test_a_rating_survives_its_reading() -> None:
    for zero in ("good", "bad"):
        [record] = Prm800k(zero=zero).read(prm800k(rated(0), rated(1, at="b")))
        steps = Prm800k().write(record)["label"]["steps"]
        assert [s["completions"][0]["rating"] for s in steps] == [0, 1]
