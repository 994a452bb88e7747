"""A row of labels becomes a record: which labels, which steps, and what is left out why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from labeler.exporting import Drop, ExportOptions, record_of
from labeler.formats import Orm, Record, Scan, Trl
from tests.exporting.label_rows import Row, label_row, label_sets

HARD = [ExportOptions(after_error=after) for after in ("keep", "cut", "hard")]
SOFT = [ExportOptions(labels="soft", after_error=after) for after in ("keep", "cut")]

OF_HARD, KEEPING = Trl(), Scan()


def record(row: Row, *, soft: bool = False, **options: object) -> Record:
    found = record_of(row, ExportOptions.model_validate(options), KEEPING if soft else OF_HARD)
    assert isinstance(found, Record)
    return found


RECOVERED = label_row((8, 8, 0, 3, 0))
"""Wrong from step 2 on; three rollouts recovered behind step 3."""


def test_steps_after_the_error_are_kept_as_wrong() -> None:
    found = record(RECOVERED)
    assert found.first_error == 2
    assert found.hard == (True, False, False, False, False)
    assert (found.answer, found.is_correct) == ("41", False)


def test_steps_after_the_error_are_cut() -> None:
    found = record(RECOVERED, after_error="cut")
    assert found.steps == ("step 1", "step 2")
    assert found.hard == (True, False)
    assert len(found.soft or ()) == 2
    assert found.answer is None


def test_steps_after_the_error_have_their_own_labels() -> None:
    assert record(RECOVERED, after_error="hard").hard == (True, False, True, False, False)


def test_a_step_that_was_not_rolled_out_has_no_hard_label_of_its_own() -> None:
    row = label_row((8, 8, 0, 0, 0))
    row["labels"][3]["hard"] = None
    options = ExportOptions(after_error="hard")
    assert record_of(row, options, OF_HARD) is Drop.UNLABELLED
    assert record(row).hard == (True, False, False, False, False)


@settings(max_examples=25)
@given(label_sets(), st.sampled_from(HARD))
def test_hard_labels_are_the_targets_up_to_the_error(
    rows: list[Row], options: ExportOptions
) -> None:
    for row in rows:
        found = record_of(row, options, OF_HARD)
        if row["first_error"] is None:
            assert found is Drop.UNDECIDED
        elif isinstance(found, Record):
            assert found.hard is not None
            assert len(found.hard) == len(found.steps)
            upto = row["first_error"] or len(row["steps"])
            assert found.hard[:upto] == tuple(s["target"] for s in row["labels"][:upto])
            assert found.steps == tuple(row["steps"][: len(found.steps)])


@settings(max_examples=25)
@given(label_sets(), st.sampled_from(SOFT))
def test_soft_labels_are_the_posterior_means(rows: list[Row], options: ExportOptions) -> None:
    for row in rows:
        found = record_of(row, options, KEEPING)
        if isinstance(found, Record):
            means = tuple(s["soft_posterior"] for s in row["labels"])
            assert found.soft == means[: len(found.steps)]


def test_soft_labels_are_raw_means_where_a_row_lacks_the_others() -> None:
    row = label_row((8, 4, 2))
    row["labels"][1]["soft_posterior"] = None
    assert record(row, labels="soft", soft=True).soft == (0.5, 0.25, 1.0)
    row["labels"][1]["soft"] = None
    assert record_of(row, SOFT[0], KEEPING) is Drop.UNLABELLED


def test_hard_labels_in_a_format_of_soft_ones_are_zero_and_one() -> None:
    assert record(RECOVERED, soft=True).soft == (1.0, 0.0, 0.0, 0.0, 0.0)


def test_a_format_of_hard_labels_gets_the_values_for_a_column_of_their_own() -> None:
    assert record(RECOVERED).soft == tuple(s["soft_posterior"] for s in RECOVERED["labels"])


def test_undecided_solutions_have_soft_labels() -> None:
    row = label_row() | {"first_error": None}
    row["labels"] = [{**step, "target": None} for step in row["labels"]]
    assert record_of(row, SOFT[0], KEEPING) is Drop.UNDECIDED
    found = record(row, labels="soft", undecided="keep", soft=True)
    assert (found.first_error, found.hard) == (None, None)
    assert len(found.soft or ()) == 4


def rated(*ratings: int | None, first_error: int | None = 3) -> Row:
    row = label_row((8, 8, 0, 0))
    labels = [{**s, "rating": r} for s, r in zip(row["labels"], ratings, strict=True)]
    return row | {"labels": labels, "first_error": first_error}


def test_ratings_are_those_of_the_labels() -> None:
    found = record(rated(1, 0, -1, -1), labels="ratings")
    assert found.extra == {"ratings": (1, 0, -1, -1)}
    assert record(rated(1, 0, -1, -1), labels="ratings", after_error="cut").extra == {
        "ratings": (1, 0, -1)
    }
    assert record(rated(1, 0, -1, -1)).extra == {}


def test_a_neutral_step_is_good_or_bad_as_stated() -> None:
    row = rated(0, 1, -1, -1)
    targets = tuple(step["target"] for step in row["labels"])
    assert record(row, zero="good").hard == targets
    assert record(row, zero="bad").hard == (False, *targets[1:])
    assert record(row, zero="bad").first_error == 1
    recovered = rated(1, 0, -1, 0)
    recovered["labels"] = [{**step, "hard": True} for step in recovered["labels"]]
    own = {z: record(recovered, after_error="hard", zero=z).hard for z in ("good", "bad")}
    assert own == {"good": (*targets[:3], True), "bad": (targets[0], False, True, False)}


def test_labels_without_ratings_are_counted_as_such() -> None:
    for options in ({"labels": "ratings"}, {"zero": "bad"}):
        found = record_of(label_row(), ExportOptions.model_validate(options), OF_HARD)
        assert found is Drop.UNRATED


def test_an_outcome_needs_no_value_of_each_step() -> None:
    row = label_row((8, 4, 2)) | {"first_error": None}
    row["labels"][1] |= {"soft_posterior": None, "soft": None, "target": None}
    options = ExportOptions(labels="soft", undecided="keep")
    found = record_of(row, options, Orm())
    assert isinstance(found, Record)
    assert found.soft == (0.5, None, 1.0)
    assert record_of(row, options, KEEPING) is Drop.UNLABELLED


@pytest.mark.parametrize(
    ("changes", "options", "drop"),
    [
        ({"keep": True}, {"keep_only": True}, None),
        ({"keep": False}, {"keep_only": True}, Drop.NOT_KEPT),
        ({"keep": None}, {"keep_only": True}, Drop.NO_CONSENSUS),
        ({"first_error_confidence": 0.8}, {"min_confidence": 0.8}, None),
        ({"first_error_confidence": 0.79}, {"min_confidence": 0.8}, Drop.LOW_CONFIDENCE),
        ({"first_error_confidence": None}, {"min_confidence": 0.0}, Drop.NO_CONFIDENCE),
        ({"first_error": None}, {}, Drop.UNDECIDED),
    ],
)
def test_filters(changes: Row, options: Row, drop: Drop | None) -> None:
    found = record_of(label_row() | changes, ExportOptions(**options), OF_HARD)
    assert found is drop if drop else isinstance(found, Record)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"labels": "soft", "after_error": "hard"}, "a value of their own"),
        ({"labels": "ratings", "after_error": "hard"}, "ratings are -1 there"),
        ({"labels": "ratings", "zero": "bad"}, "--labels ratings has none"),
        ({"labels": "ratings", "undecided": "keep"}, "--labels ratings needs to know"),
        ({"undecided": "keep"}, "--labels hard needs to know"),
        ({"undecided": "keep", "labels": "soft", "after_error": "cut"}, "--after-error cut needs"),
        ({"undecided": "keep", "labels": "soft", "balance": True}, "--balance needs"),
    ],
)
def test_what_does_not_go_together(options: Row, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ExportOptions(**options)
