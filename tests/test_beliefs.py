"""The rule posterior: what all counts of a problem make of first errors, targets and confidence."""

from dataclasses import replace

import pytest

from labeler.labels import Basis, StepProbability, Tally, believe
from tests.labelled import LIKELIEST, RIGHT, UNGRADABLE, WRONG, ZERO, made
from tests.posterior.drawn import MODEL

DROP = {0: (16, 12), 1: (16, 13), 2: (16, 1), 3: (16, 0), 4: (16, 1)}
"""Alive, alive, and dead but for luck."""


def test_a_drop_of_value_is_the_first_error_though_no_value_is_zero() -> None:
    row = made(WRONG, DROP, 5, LIKELIEST)
    assert (row.first_error, row.first_error_rule) == (2, "posterior")
    assert row.first_error_confidence > 0.9
    assert [s.target for s in row.labels] == [True, False, False, False, False]
    assert {s.basis for s in row.labels} == {Basis.MEASURED}
    assert made(WRONG, DROP, 5).first_error == 3  # first_zero waits for a zero


def test_both_rules_see_the_same_values() -> None:
    """The rule decides on targets alone; all else is what the counts say."""
    one, other = made(WRONG, DROP, 5, LIKELIEST), made(WRONG, DROP, 5, ZERO)
    assert one.first_error_posterior == other.first_error_posterior
    same = {"target": None, "basis": Basis.UNDECIDED}
    assert [replace(s, **same) for s in one.labels] == [replace(s, **same) for s in other.labels]
    [second] = [e for e in other.first_error_posterior if e.step == 3]
    assert other.first_error_confidence == second.probability  # of the step that it names


def test_a_posterior_is_kept_by_its_likeliest_entries() -> None:
    row = made(WRONG, {0: (4, 2), 4: (4, 1)}, 12, LIKELIEST)
    found = [(e.probability, e.step) for e in row.first_error_posterior]
    assert len(found) == 5
    assert found == sorted(found, key=lambda entry: (-entry[0], entry[1]))
    assert found[0][0] == row.first_error_confidence
    assert found[-1][0] >= 0.01
    assert sum(p for p, _ in found) <= 1


def test_what_is_not_likely_enough_is_undecided_but_for_sure_steps() -> None:
    counts = {0: (32, 30), 3: (32, 29), 4: (1, 0), 7: (32, 0)}
    row = made(WRONG, counts, 10, LIKELIEST.model_copy(update={"decided": 0.9}))
    assert row.first_error is None
    assert (
        row.first_error_confidence == max(e.probability for e in row.first_error_posterior) <= 0.9
    )
    assert [s.target for s in row.labels] == [True] * 3 + [None] * 3 + [False] * 4
    assert [s.basis for s in row.labels][3:6] == [Basis.UNDECIDED] * 3
    assert row.labels[7].basis is Basis.INFERRED
    bold = made(WRONG, counts, 10, LIKELIEST.model_copy(update={"decided": 0.0}))
    assert bold.first_error == row.first_error_posterior[0].step


def test_a_wrong_step_that_is_alone_is_sure() -> None:
    row = made(WRONG, {}, 1, LIKELIEST)
    assert (row.first_error, row.first_error_confidence) == (1, pytest.approx(1))
    assert row.first_error_posterior == (StepProbability(1, pytest.approx(1)),)


def test_a_right_answer_is_sound_until_values_drop() -> None:
    unseen = made(RIGHT, {}, 4, LIKELIEST)
    assert (unseen.first_error, [s.target for s in unseen.labels]) == (0, [True] * 4)
    assert 0.9 < unseen.first_error_confidence < 1
    sound = made(RIGHT, dict.fromkeys(range(4), (8, 7)), 4, LIKELIEST)
    assert sound.first_error_confidence > unseen.first_error_confidence
    lucky = LIKELIEST.model_copy(
        update={"value_model": MODEL.model_copy(update={"mended": 0.3, "jump": 0.01})}
    )
    counts = {0: (32, 30), 1: (32, 29), 2: (32, 2), 3: (32, 3)}
    assert made(RIGHT, counts, 4, lucky).first_error == 2


def test_of_an_unknown_answer_nothing_is_known_without_rollouts() -> None:
    row = made(UNGRADABLE, {}, 3, LIKELIEST)
    assert (row.first_error, row.first_error_confidence) == (None, None)
    assert row.first_error_posterior is None
    assert {s.target for s in row.labels} == {None}
    assert made(UNGRADABLE, {0: (32, 30), 1: (32, 0), 2: (32, 0)}, 3, LIKELIEST).first_error == 1


def test_a_siblings_counts_are_evidence() -> None:
    """Steps that another solution shows to be alive are alive."""
    keys, tallies = [["0", "1", "2a", "3a"], ["0", "1", "2b", "3b"]], {"0": Tally(16, 14)}
    alone, _ = believe(keys, [False, False], tallies, MODEL, 0.95)
    told, _ = believe(keys, [False, False], tallies | {"3b": Tally(16, 15)}, MODEL, 0.95)
    assert told.first_error[0] < 0.1 * alone.first_error[0]
    assert believe([], [], {}, MODEL, 0.95) == []


def test_a_prefix_that_is_cut_differently_counts_for_both() -> None:
    keys = [["0", "a", "ab", "abc"], ["0", "ab", "abd"]]
    tallies = {"0": Tally(16, 14), "ab": Tally(32, 0)}
    first, second = believe(keys, [False, False], tallies, MODEL, 0.95)
    assert first.first_error[:2].sum() > 0.9
    assert second.first_error[0] > 0.9
