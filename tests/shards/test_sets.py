"""Labels as Parquet: what goes in comes out, and a set is never half."""

import os
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeler.files import FileError, RunDir
from labeler.labels import (
    Basis,
    Failure,
    ProverValue,
    SolutionLabel,
    StepLabel,
    StepProbability,
    Stopping,
    Value,
)
from labeler.shards import (
    LABELS,
    publish,
    recover,
    to_table,
    write_labels,
)
from tests.shards.staged import labelled, row, stage

NUMBER = st.none() | st.floats(-1, 1)
COUNT = st.integers(0, 1000)
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = {
    "n": COUNT, "correct": COUNT, "truncated": COUNT, "ungradable": COUNT, "soft": NUMBER,
    "low": NUMBER, "high": NUMBER, "soft_posterior": NUMBER, "credible_low": NUMBER,
    "credible_high": NUMBER, "hard": st.none() | st.booleans(), "progress": NUMBER,
    "progress_low": NUMBER, "progress_high": NUMBER,
}  # fmt: skip
PROVER = st.builds(ProverValue, prover=TEXT, **VALUES)
STEP = st.builds(
    StepLabel,
    **VALUES,
    stopping=st.sampled_from(Stopping),
    target=st.none() | st.booleans(),
    basis=st.sampled_from(Basis),
    rating=st.none() | st.sampled_from([-1, 0, 1]),
    weighted=NUMBER,
    provers=st.none() | st.lists(PROVER, max_size=2).map(tuple),
)

ROWS = st.builds(
    SolutionLabel,
    problem_id=TEXT, solution_id=TEXT, question=TEXT, gold=TEXT,
    steps=st.lists(TEXT, max_size=4).map(tuple),
    answer=st.none() | TEXT, is_correct=st.none() | st.booleans(), source=TEXT, generator=TEXT,
    value_0=st.builds(Value, COUNT, COUNT, NUMBER, NUMBER, NUMBER),
    first_error=st.none() | COUNT, first_error_confidence=NUMBER,
    first_error_posterior=st.none()
    | st.lists(st.builds(StepProbability, COUNT, st.floats(0, 1)), max_size=3).map(tuple),
    first_error_rule=TEXT, labels=st.lists(STEP, max_size=4).map(tuple),
    n_rollouts=COUNT, n_tokens=COUNT, judge_first_error=st.none() | COUNT,
    keep=st.none() | st.booleans(), drop_reason=st.none() | TEXT,
    failures=st.lists(st.builds(Failure, COUNT, TEXT), max_size=2).map(tuple),
    provers_0=st.none() | st.lists(PROVER, max_size=2).map(tuple),
)  # fmt: skip


def rebuilt(plain: dict) -> SolutionLabel:
    """The row that a trainer's dict stands for."""

    def provers(found: list | None) -> tuple | None:
        return None if found is None else tuple(ProverValue(**p) for p in found)

    def steps(found: list) -> tuple:
        return tuple(
            StepLabel(
                **{
                    **s,
                    "stopping": Stopping(s["stopping"]),
                    "basis": Basis(s["basis"]),
                    "provers": provers(s["provers"]),
                }
            )
            for s in found
        )

    posterior = plain["first_error_posterior"]
    plain = {
        **plain,
        "steps": tuple(plain["steps"]),
        "value_0": Value(**plain["value_0"]),
        "labels": steps(plain["labels"]),
        "first_error_posterior": None
        if posterior is None
        else tuple(StepProbability(**p) for p in posterior),
        "failures": tuple(Failure(**f) for f in plain["failures"]),
        "provers_0": provers(plain["provers_0"]),
    }
    return SolutionLabel(**plain)


# -- tables ---------------------------------------------------------------------------------


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ROWS, max_size=3))
def test_a_row_survives_the_round_trip(rows: list[SolutionLabel]) -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(to_table(rows), sink)
    back = pq.read_table(pa.BufferReader(sink.getvalue()))
    assert back.schema == LABELS
    for plain, given_row in zip(back.to_pylist(), rows, strict=True):
        assert plain == to_table([given_row]).to_pylist()[0]
        assert rebuilt(plain) == given_row


def test_a_file_says_where_it_comes_from(run: RunDir) -> None:
    write_labels(run.staged / "a.parquet", [row("a")], "the hash")
    metadata = pq.read_schema(run.staged / "a.parquet").metadata
    assert metadata[b"labeler.config_hash"] == b"the hash"


def test_datasets_reads_the_set(run: RunDir, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    publish(run, {"labels": stage(run, "a", "b")})
    found = datasets.load_dataset(
        "parquet", data_files=str(run.labels / "*.parquet"), cache_dir=str(tmp_path / "cache")
    )["train"]
    assert found["solution_id"][:] == ["a", "b"]
    assert found[0]["labels"][0]["soft"] == 0.5
    assert found[0]["labels"][0]["basis"] == "measured"


# -- publishing -----------------------------------------------------------------------------


def test_a_set_replaces_the_one_before(run: RunDir) -> None:
    publish(run, {"labels": stage(run, "a", "b")})
    assert sorted(p.name for p in run.labels.iterdir()) == ["0000.parquet", "0001.parquet"]
    publish(run, {"labels": stage(run, "b", "c", "d")})
    assert labelled(run) == ["b", "c", "d"]
    publish(run, {"labels": stage(run, "b", "c", "d")})
    assert labelled(run) == ["b", "c", "d"]
    assert not list(run.root.glob(".published*"))


def test_an_empty_set_still_has_its_columns(run: RunDir) -> None:
    publish(run, {})
    assert pads.dataset(run.labels).to_table().schema.names == LABELS.names


def test_order_of_names_is_order_of_parts_beyond_four_digits(run: RunDir) -> None:
    [part] = stage(run, "a")
    publish(run, {"labels": [part] * 10_001})
    names = sorted(p.name for p in run.labels.iterdir())
    assert (names[0], names[-1], len(names)) == ("00000.parquet", "10000.parquet", 10_001)


def test_a_missing_part_leaves_the_old_set(run: RunDir) -> None:
    publish(run, {"labels": stage(run, "a")})
    with pytest.raises(FileError, match="cannot publish"):
        publish(run, {"labels": [*stage(run, "b"), run.staged / "gone.parquet"]})
    assert labelled(run) == ["a"]
    publish(run, {"labels": stage(run, "b")})
    assert labelled(run) == ["b"]


OLD, NEW = (2, 1, 0), (3, 0, 2)


def published(run: RunDir) -> tuple[int, int, int]:
    """Parts that a plain reader of each folder sees."""
    labels, states, pairs = (
        len(list(folder.glob("*.parquet"))) for folder in (run.labels, run.states, run.pairs)
    )
    return labels, states, pairs


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("at", range(28))
def test_a_publisher_killed_at_any_moment(run: RunDir, first: bool, at: int) -> None:
    """A child publishes and ends itself, hard, before its at-th change to the directory."""
    [a, b, c, d] = stage(run, "a", "b", "c", "d")
    old = (0, 0, 0) if first else OLD
    if not first:
        publish(run, {"labels": [a, b], "states": [a]})
    pid = os.fork()
    if pid == 0:
        _die_at(run, {"labels": [b, c, d], "pairs": [a, b]}, at)
    os.waitpid(pid, 0)
    for found, was, now in zip(published(run), old, NEW, strict=True):
        assert found in (was, now, 0)
    recover(run)
    assert not list(run.root.glob(".published*"))
    assert published(run) in (old, NEW)
    publish(run, {"labels": [b, c, d], "pairs": [a, b]})
    assert published(run) == NEW
    assert labelled(run) == ["b", "c", "d"]


def _die_at(run: RunDir, staged: dict[str, list[Path]], at: int) -> None:
    """Ends the process before the at-th system call of its publishing that changes files."""
    seen = 0

    def count(event: str, _: tuple) -> None:
        nonlocal seen
        if event in ("os.mkdir", "os.link", "os.rename", "shutil.rmtree", "os.remove", "os.rmdir"):
            if seen == at:
                os._exit(9)
            seen += 1

    sys.addaudithook(count)
    try:
        publish(run, staged)
    finally:
        os._exit(0)
