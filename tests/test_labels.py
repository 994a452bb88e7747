"""Labels: each column's definition, and the laws that hold for any counts."""

import subprocess
import sys
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.labels import (
    Basis,
    Evidence,
    SolutionLabel,
    Stopping,
    Tally,
    Value,
    difference,
    jeffreys,
    tally,
)
from labeler.model import (
    Finish,
    Graded,
    Rollout,
    Verdict,
)
from tests.labelled import (
    CUT,
    LIKELIEST,
    LOOK,
    RIGHT,
    UNGRADABLE,
    WRONG,
    ZERO,
    labelled,
    made,
)


def graded(verdict: Verdict, index: int = 0, n_tokens: int = 3) -> Graded:
    rollout = Rollout("k", 1, index, "c", None, "text", Finish.STOP, n_tokens, 5, 0.0)
    return Graded(rollout, verdict)


@st.composite
def tallies(draw: st.DrawFn, steps: int, complete: bool = False) -> dict[int, Tally]:
    found = {}
    for k in range(steps):
        if complete or draw(st.booleans()):
            n = draw(st.integers(1 if complete else 0, 12))
            found[k] = Tally(n, draw(st.integers(0, n)), 0, draw(st.integers(0, 3)), 7 * n)
    return found


@st.composite
def rows(draw: st.DrawFn, complete: bool = False) -> SolutionLabel:
    steps = draw(st.integers(1, 7))
    own = draw(st.sampled_from([RIGHT, WRONG] if complete else [RIGHT, WRONG, UNGRADABLE]))
    config = draw(st.sampled_from([ZERO, LOOK, LIKELIEST]))
    return labelled(Evidence(own, draw(tallies(steps, complete))), steps, config)


# -- counting -------------------------------------------------------------------------------


def test_a_tally_counts_each_kind() -> None:
    verdicts = [RIGHT, WRONG, CUT, UNGRADABLE, RIGHT]
    found = tally(graded(v, i) for i, v in enumerate(verdicts))
    assert found == Tally(n=4, correct=2, truncated=1, ungradable=1, n_tokens=15)
    assert found.n_rollouts == 5


def test_truncated_rollouts_leave_the_denominator_on_request() -> None:
    found = tally([graded(RIGHT), graded(CUT)], "ungradable")
    assert found == Tally(n=1, correct=1, truncated=1, ungradable=1, n_tokens=6)


@given(st.lists(st.sampled_from([RIGHT, WRONG, CUT, UNGRADABLE])), st.randoms())
def test_a_tally_ignores_order(verdicts: list[Verdict], shuffler: st.DataObject) -> None:
    there = [graded(v, i, n_tokens=i) for i, v in enumerate(verdicts)]
    back = list(there)
    shuffler.shuffle(back)
    assert tally(there) == tally(back)


# -- values ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("correct", "n", "low", "high"),
    [  # Brown, Cai and DasGupta 2001, table 5
        (0, 7, 0.0, 0.292),
        (1, 7, 0.016, 0.501),
        (2, 7, 0.065, 0.648),
        (3, 7, 0.139, 0.766),
        (7, 7, 0.708, 1.0),
    ],
)
def test_jeffreys_intervals_are_those_of_the_paper(
    correct: int, n: int, low: float, high: float
) -> None:
    assert jeffreys(correct, n, 0.95) == pytest.approx((low, high), abs=6e-4)


@given(st.integers(1, 3000), st.floats(0, 1), st.floats(0.5, 0.999))
def test_an_interval_holds_its_value(n: int, share: float, confidence: float) -> None:
    correct = round(n * share)
    low, high = jeffreys(correct, n, confidence)
    assert 0 <= low <= correct / n <= high <= 1
    assert (low == 0) == (correct == 0)
    assert (high == 1) == (correct == n)


def wilson(correct: int, n: int) -> Value:
    z, p = 1.959964, correct / n
    centre, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Value(n, correct, p, (centre - half) / scale, (centre + half) / scale)


def test_the_mover_interval_of_a_difference() -> None:
    # Newcombe 1998, table II, example (a), method 10: 56/70 - 48/80 from Wilson limits.
    found = difference(wilson(56, 70), wilson(48, 80))
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=6e-5)


# -- one row, by hand -----------------------------------------------------------------------


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


# -- laws -----------------------------------------------------------------------------------


@given(rows())
def test_null_exactly_where_nothing_was_measured(row: SolutionLabel) -> None:
    for step in row.labels:
        missing = {step.soft is None, step.low is None, step.high is None, step.hard is None}
        assert missing == {step.n == 0}
        assert (
            (step.progress is None) == (step.progress_low is None) == (step.progress_high is None)
        )
        if step.progress is not None:
            assert -1 <= step.progress_low <= step.progress <= step.progress_high <= 1


@given(rows())
def test_measured_and_inferred_never_share(row: SolutionLabel) -> None:
    for step in row.labels:
        assert (step.basis is Basis.UNDECIDED) == (step.target is None)
        if step.target is not None:
            assert (step.basis is Basis.MEASURED) == (step.n > 0)


@given(rows())
def test_targets_fall_once(row: SolutionLabel) -> None:
    targets = [s.target for s in row.labels]
    order = [{True: 0, None: 1, False: 2}[t] for t in targets]
    assert order == sorted(order)
    if row.first_error is None:
        assert None in targets
    else:
        alive = row.first_error - 1 if row.first_error else len(targets)
        assert targets == [True] * alive + [False] * (len(targets) - alive)


@given(rows(complete=True))
def test_progress_telescopes(row: SolutionLabel) -> None:
    total = sum(s.progress for s in row.labels)
    assert total == pytest.approx(row.labels[-1].soft - row.value_0.soft)


@given(rows())
def test_posteriors_are_there_as_soon_as_anything_is_known(row: SolutionLabel) -> None:
    known = row.is_correct is not None or row.value_0.n > 0 or any(s.n for s in row.labels)
    for step in row.labels:
        assert (step.soft_posterior is not None) == known
        if known:
            assert 0 <= step.credible_low <= step.credible_high <= 1


@given(rows())
def test_confidence_is_the_posterior_of_what_is_stated(row: SolutionLabel) -> None:
    if row.first_error_posterior is None:
        assert row.first_error_confidence is None
        return
    held = {e.step: e.probability for e in row.first_error_posterior}
    if row.first_error is None:
        assert row.first_error_confidence == max(held.values())
    elif row.first_error in held:
        assert row.first_error_confidence == held[row.first_error]
    else:
        assert row.first_error_confidence <= min(held.values())


@given(st.integers(1, 12), st.data())
def test_noiseless_counts_give_the_true_first_error(steps: int, data: st.DataObject) -> None:
    truth = data.draw(st.integers(1, steps))
    counts = {k: (4, 4 if k < truth else 0) for k in range(steps)}
    assert made(WRONG, counts, steps).first_error == truth
    searched = {k: counts[k] for k in (truth - 1, truth) if k < steps}
    more = data.draw(st.sets(st.integers(0, steps - 1)))
    searched |= {k: counts[k] for k in more}
    assert made(WRONG, searched, steps).first_error == truth


@given(st.integers(1, 8), st.data())
def test_labels_ignore_the_order_of_prefixes(steps: int, data: st.DataObject) -> None:
    held = data.draw(tallies(steps))
    turned = dict(data.draw(st.permutations(list(held.items()))))
    for config in (ZERO, LIKELIEST):
        one, other = (labelled(Evidence(WRONG, counts), steps, config) for counts in (held, turned))
        assert one == other


def test_importing_the_configuration_stays_light() -> None:
    code = "import labeler.labels, sys; print({'numpy', 'scipy', 'pyarrow'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
