"""Columns of further provers: as the main ones for equal counts, and telescoping under each."""

from collections.abc import Mapping
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.labels import (
    Evidence,
    LabelConfig,
    ProverEvidence,
    SolutionLabel,
    Stopping,
    Tally,
    believe,
)
from labeler.model import Verdict
from tests.labelled import RIGHT, UNGRADABLE, WRONG, ZERO, labelled

BEST = ZERO.model_copy(update={"best_of": (1, 2, 4)})


@st.composite
def counts(draw: st.DrawFn, steps: int, least: int = 0) -> Mapping[int, Tally]:
    found = {}
    for k in range(steps):
        n = draw(st.integers(least, 8))
        found[k] = Tally(n, draw(st.integers(0, n)), draw(st.integers(0, n)), draw(COUNT), 3 * n)
    return found


COUNT = st.integers(0, 3)
OWN = st.sampled_from([RIGHT, WRONG, UNGRADABLE])


def believed(tallies: Mapping[int, Tally], own: Verdict, config: LabelConfig) -> object:
    """What a belief of a solution alone says."""
    right = Evidence(own, {}).is_correct
    keys = [str(k) for k in range(len(tallies))]
    named = {str(k): t for k, t in tallies.items()}
    return believe([keys], [right], named, config.value_model, config.confidence)[0]


@st.composite
def rows(draw: st.DrawFn, least: int = 0, own: st.SearchStrategy[Verdict] = OWN) -> SolutionLabel:
    """A row with two further completers, and the Best-of-J of all three."""
    steps = draw(st.integers(1, 6))
    provers = tuple(ProverEvidence(name, draw(counts(steps, least))) for name in ("a", "b"))
    evidence = Evidence(draw(own), draw(counts(steps, least)), provers=provers)
    return labelled(evidence, steps, BEST)


NAMES = [
    "best_of_1", "best_of_2", "best_of_4",
    "a", "a/best_of_1", "a/best_of_2", "a/best_of_4",
    "b", "b/best_of_1", "b/best_of_2", "b/best_of_4",
]  # fmt: skip


def test_without_further_provers_there_are_none() -> None:
    row = labelled(Evidence(WRONG, {0: Tally(8, 4)}), 2)
    assert row.provers_0 is None
    assert {step.provers for step in row.labels} == {None}


@given(rows())
def test_every_prefix_has_every_prover_in_one_order(row: SolutionLabel) -> None:
    for provers in (row.provers_0, *(step.provers for step in row.labels)):
        assert provers is not None
        assert [p.prover for p in provers] == NAMES


@given(st.integers(1, 6), OWN, st.data())
def test_equal_counts_give_equal_columns(steps: int, own: Verdict, data: st.DataObject) -> None:
    tallies = data.draw(counts(steps))
    again = ProverEvidence("again", tallies, believed(tallies, own, ZERO))
    row = labelled(Evidence(own, tallies, provers=(again,)), steps)
    for step in row.labels:
        [prover] = step.provers
        columns = asdict(prover)
        assert columns.pop("prover") == "again"
        assert columns == {name: getattr(step, name) for name in columns}
    [start] = row.provers_0
    for name in ("n", "correct", "soft", "low", "high"):
        assert getattr(start, name) == getattr(row.value_0, name)
    assert (start.progress, start.progress_low, start.progress_high) == (None, None, None)


@given(rows(least=4, own=st.sampled_from([RIGHT, WRONG])))
def test_progress_telescopes_under_each_prover(row: SolutionLabel) -> None:
    for i, start in enumerate(row.provers_0):
        under = [step.provers[i] for step in row.labels]
        assert under[-1].soft == float(row.is_correct)
        assert sum(p.progress for p in under) == pytest.approx(under[-1].soft - start.soft)
        assert all(-1 <= p.progress_low <= p.progress <= p.progress_high <= 1 for p in under)


@given(rows())
def test_values_under_a_prover_rest_on_its_own_counts(row: SolutionLabel) -> None:
    """Best-of-1 is the completer itself; Best-of-4 is worth no less; null where n is too small."""
    for start_or_step in (row.provers_0, *(step.provers for step in row.labels[:-1])):
        for name in ("a", "b"):
            single, one, two, four = (
                next(p for p in start_or_step if p.prover == wanted)
                for wanted in (name, *(f"{name}/best_of_{j}" for j in (1, 2, 4)))
            )
            assert {(p.n, p.correct) for p in (one, two, four)} == {(single.n, single.correct)}
            assert one.soft == single.soft
            assert (four.soft is None) == (single.n < 4)
            if four.soft is not None:
                assert single.soft <= two.soft <= four.soft <= 1


def test_best_of_is_null_where_stopping_was_optional() -> None:
    tallies = {0: Tally(4, 1), 1: Tally(4, 0)}
    evidence = Evidence(
        WRONG, tallies, Stopping.ADAPTIVE, provers=(ProverEvidence("fixed", tallies),)
    )
    config = ZERO.model_copy(update={"best_of": (2,)})
    row = labelled(evidence, 2, config)
    own, _, theirs = row.provers_0
    assert (own.n, own.correct, own.soft, own.hard) == (4, 1, None, None)
    assert theirs.soft == 0.5
    first, last = row.labels
    assert [p.soft for p in first.provers] == [None, 0.0, 0.0]
    assert [p.progress for p in first.provers] == [None, -0.25, -0.5]
    assert [p.soft for p in last.provers] == [0.0, 0.0, 0.0]


def test_a_prover_without_a_value_model_has_no_posterior() -> None:
    tallies = {0: Tally(8, 4), 1: Tally(8, 2)}
    provers = (
        ProverEvidence("without", tallies),
        ProverEvidence("with", tallies, believed(tallies, WRONG, ZERO)),
    )
    row = labelled(Evidence(WRONG, tallies, provers=provers), 2)
    without, own = row.labels[0].provers
    assert (without.soft_posterior, without.credible_low, without.credible_high) == (None,) * 3
    assert own.soft_posterior == row.labels[0].soft_posterior


def test_a_provers_tally_beyond_the_solution_is_refused() -> None:
    with pytest.raises(ValueError, match="prefixes"):
        labelled(Evidence(WRONG, {}, provers=(ProverEvidence("a", {2: Tally(1, 1)}),)), 2)
