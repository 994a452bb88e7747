"""Labels: each column's definition, on rows by hand."""

import subprocess
import sys

import pytest

from labeler.labels import Basis, Evidence, Stopping, Tally
from tests.labelled import LOOK, RIGHT, UNGRADABLE, WRONG, ZERO, labelled, made


def test_a_measured_solution() -> None:
    row = made(WRONG, {0: (8, 4), 1: (8, 6), 2: (8, 0), 3: (8, 1)}, steps=4)
    assert (row.first_error, row.is_correct, row.answer) == (2, False, "41")
    assert (row.value_0.n, row.value_0.soft) == (8, 0.5)
    assert [s.soft for s in row.labels] == [0.75, 0.0, 0.125, 0.0]
    assert [s.progress for s in row.labels] == [0.25, -0.75, 0.125, -0.125]
    assert [s.hard for s in row.labels] == [True, False, True, False]
    assert [s.target for s in row.labels] == [True, False, False, False]
    assert {s.basis for s in row.labels} == {Basis.MEASURED}
    assert (row.n_rollouts, row.n_tokens) == (32, 320)
    last = row.labels[-1]
    assert (last.n, last.correct, last.low, last.high) == (1, 0, 0.0, 0.0)
    assert row.steps == ("step 1", "step 2", "step 3", "step 4")


def test_a_finished_bisection_decides_and_infers_the_rest() -> None:
    row = made(WRONG, {4: (8, 3), 6: (8, 0), 5: (8, 0)}, steps=8)
    assert row.first_error == 5
    assert [s.target for s in row.labels] == [True] * 4 + [False] * 4
    assert [s.basis for s in row.labels] == (
        [Basis.INFERRED] * 3 + [Basis.MEASURED] * 3 + [Basis.INFERRED, Basis.MEASURED]
    )
    assert row.labels[0].soft is None
    assert row.labels[0].soft_posterior is not None


def test_an_interrupted_bisection_is_undecided_in_the_middle() -> None:
    row = made(WRONG, {2: (8, 3), 6: (8, 0)}, steps=8)
    assert row.first_error is None
    assert [s.target for s in row.labels] == [True] * 2 + [None] * 3 + [False] * 3
    assert [s.basis for s in row.labels][2:5] == [Basis.UNDECIDED] * 3


def test_a_step_with_ungradable_rollouts_alone_is_unknown() -> None:
    unknown = {0: Tally(8, 4), 1: Tally(8, 4), 2: Tally(0, 0, 0, 16, 50), 3: Tally(8, 0)}
    row = labelled(Evidence(WRONG, unknown), 4)
    assert row.first_error is None
    assert (row.labels[1].ungradable, row.labels[1].hard, row.labels[1].target) == (16, None, None)
    assert row.n_rollouts == 40


def test_a_right_answer_has_no_error_unless_looked_for() -> None:
    counts = {0: (8, 4), 1: (8, 0), 2: (8, 4)}
    assert made(RIGHT, counts, 3).first_error == 0
    assert made(RIGHT, counts, 3, LOOK).first_error == 1
    assert made(RIGHT, {1: (8, 2), 2: (8, 4)}, 3, LOOK).first_error == 0
    unfinished = made(RIGHT, {1: (8, 2)}, 3, LOOK)
    assert unfinished.first_error is None
    assert [s.target for s in unfinished.labels] == [True, None, None]
    assert unfinished.labels[2].basis is Basis.UNDECIDED


def test_an_ungradable_answer_is_undecided_unless_rollouts_decide() -> None:
    row = made(UNGRADABLE, {1: (8, 4), 2: (8, 4)}, 3)
    assert (row.is_correct, row.first_error) == (None, None)
    assert [s.target for s in row.labels] == [True, True, None]
    assert (row.labels[2].n, row.labels[2].soft, row.labels[2].progress) == (0, None, None)
    assert row.labels[2].soft_posterior is not None
    assert made(UNGRADABLE, {1: (8, 4), 2: (8, 0)}, 3).first_error == 2
    nothing = made(UNGRADABLE, {}, 3)
    assert {s.soft_posterior for s in nothing.labels} == {None}


def test_a_single_wrong_step_needs_no_rollout() -> None:
    row = made(WRONG, {}, 1)
    assert (row.first_error, row.labels[0].basis) == (1, Basis.MEASURED)


def test_hard_takes_a_threshold() -> None:
    row = made(
        WRONG, {1: (8, 1), 2: (8, 2), 3: (8, 0)}, 4, ZERO.model_copy(update={"hard_at_least": 0.25})
    )
    assert [s.hard for s in row.labels] == [False, True, False, False]
    assert row.first_error == 3


def test_the_row_says_what_failed_and_how_it_stopped() -> None:
    evidence = Evidence(WRONG, {}, Stopping.ADAPTIVE, {2: "engine died", 0: "no memory"})
    row = labelled(evidence, 3)
    assert [(f.step, f.cause) for f in row.failures] == [(0, "no memory"), (2, "engine died")]
    assert {s.stopping for s in row.labels} == {Stopping.ADAPTIVE}


def test_what_cannot_be_labelled_is_refused() -> None:
    for steps, counts in ((0, {}), (2, {2: (1, 1)}), (2, {-1: (1, 1)})):
        with pytest.raises(ValueError, match="prefixes"):
            made(WRONG, counts, steps)


def test_importing_the_configuration_stays_light() -> None:
    code = "import labeler.labels, sys; print({'numpy', 'scipy', 'pyarrow'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
