"""Labels: the laws that hold for any counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.labels import Basis, Evidence, SolutionLabel, Tally
from tests.labelled import LIKELIEST, LOOK, RIGHT, UNGRADABLE, WRONG, ZERO, labelled, made


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
