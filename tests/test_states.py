"""Rows of states and pairs: what makes a pair, and that order does not matter."""

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from labeler.labels import (
    Basis,
    Child,
    LabelConfig,
    Pair,
    Tally,
    Visited,
    jeffreys,
    pairs,
    state_label,
)
from labeler.labels.values import measured
from labeler.model import Problem
from labeler.shards import PAIRS, STATES, to_table

PROBLEM = Problem("p", "Question?", "42", "made up")


def child(parent: str, step: str, correct: int, n: int, *, reached: bool = False) -> Child:
    return Child(parent, ("before " + parent, step), measured(correct, n, 0.95), reached)


counts = st.integers(0, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
children = st.lists(
    st.builds(
        lambda parent, step, count, reached: child(parent, step, *count, reached=reached),
        st.sampled_from("ab"),
        st.sampled_from(["go left", "go right", "stay", "stop"]),
        counts,
        st.booleans(),
    ),
    max_size=8,
)


def made(found: list[Child], margin: float = 0.5) -> list[Pair]:
    return list(pairs(PROBLEM, "c", found, margin))


@given(children, st.floats(0, 1))
def test_a_pair_prefers_the_better_of_two_steps_after_one_prefix(
    found: list[Child], margin: float
) -> None:
    rows = made(found, margin)
    for row in rows:
        better, worse = row.preferred_value, row.rejected_value
        assert row.steps == ("before " + row.prefix_key,)
        assert row.preferred != row.rejected
        known = {(c.parent_key, c.steps, c.value): c.reached for c in found}
        assert (row.prefix_key, (*row.steps, row.preferred), better) in known
        assert (row.prefix_key, (*row.steps, row.rejected), worse) in known
        assert worse.soft is not None
        if row.basis is Basis.INFERRED:
            assert (better.n, worse.correct) == (0, 0)
            assert any(c.reached for c in found if c.steps[-1] == row.preferred)
        else:
            assert better.soft is not None
            assert better.soft > worse.soft
            assert better.soft - worse.soft >= margin or worse.correct == 0
    places = [(row.prefix_key, frozenset({row.preferred, row.rejected})) for row in rows]
    assert len(places) == len(set(places))


@given(children.flatmap(lambda c: st.tuples(st.just(c), st.permutations(c))))
def test_the_order_of_children_does_not_matter(both: tuple[list[Child], list[Child]]) -> None:
    one, other = both
    assert made(one) == made(other)


def test_what_makes_a_pair() -> None:
    found = [child("a", "good", 8, 8), child("a", "fair", 4, 8), child("a", "poor", 3, 8)]
    dead = child("a", "dead", 0, 8)
    assert [(p.preferred, p.rejected) for p in made(found)] == [("good", "fair"), ("good", "poor")]
    assert {(p.preferred, p.rejected) for p in made([*found, dead])} == {
        ("good", "fair"), ("good", "poor"), ("good", "dead"), ("fair", "dead"), ("poor", "dead"),
    }  # fmt: skip
    assert made([*found[:1], child("b", "dead", 0, 8), child("a", "unknown", 0, 0)]) == []


def test_a_step_that_a_right_rollout_passed_through_is_preferred_to_a_dead_one() -> None:
    passed, dead = child("a", "passed", 0, 0, reached=True), child("a", "dead", 0, 8)
    [row] = made([passed, dead, child("a", "poor", 1, 8), child("a", "unknown", 0, 0)])[-1:]
    assert (row.preferred, row.rejected, row.basis) == ("poor", "dead", Basis.MEASURED)
    [row] = made([passed, dead])
    assert (row.preferred, row.rejected, row.basis) == ("passed", "dead", Basis.INFERRED)
    assert made([passed, child("a", "dead", 0, 8, reached=True)]) == []


@given(counts, st.integers(0, 3), st.floats(0, 1))
def test_a_state_is_labelled_as_a_step_is(
    count: tuple[int, int], visits: int, at_least: float
) -> None:
    correct, n = count
    config = LabelConfig(hard_at_least=at_least)
    tally = Tally(n, correct, 1 if n else 0, 2, 30)
    row = state_label(PROBLEM, "c", Visited("key", ("one", "two"), visits, tally), config)
    assert (row.n, row.correct, row.ungradable, row.n_tokens, row.visits) == (
        n, correct, 2, 30, visits,
    )  # fmt: skip
    if n:
        assert row.soft == correct / n
        assert (row.low, row.high) == jeffreys(correct, n, 0.95)
        assert row.hard == (correct > 0 and correct / n >= at_least)
    else:
        assert (row.soft, row.low, row.high, row.hard) == (None, None, None, None)


def test_rows_survive_the_round_trip() -> None:
    state = state_label(PROBLEM, "c", Visited("key", ("one",), 3, Tally(8, 2)), LabelConfig())
    found = made([child("a", "good", 8, 8), child("a", "dead", 0, 8)])
    for rows, schema in (([state], STATES), (found, PAIRS)):
        sink = pa.BufferOutputStream()
        pq.write_table(to_table(rows, schema), sink)
        back = pq.read_table(pa.BufferReader(sink.getvalue()))
        assert back.schema == schema
        [plain] = back.to_pylist()
        assert plain["question"] == "Question?"
        assert plain["prefix_key"] == rows[0].prefix_key
    assert plain["preferred_value"]["soft"] == 1.0
