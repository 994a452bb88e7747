"""Labels as Parquet: what goes in comes out, a set is never half, and the card adds up."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
import yaml
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
    Facts,
    LabelCounts,
    card,
    count_labels,
    publish,
    recover,
    to_table,
    write_card,
    write_labels,
)

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


def step(
    target: bool | None, basis: Basis, n: int = 8, truncated: int = 0, ungradable: int = 0
) -> StepLabel:
    soft = 0.5 if n else None
    return StepLabel(
        n, n // 2, truncated, ungradable, soft, soft, soft, 0.5, 0.1, 0.9, None if not n else True,
        None, None, None, Stopping.FIXED, target, basis,
    )  # fmt: skip


def row(name: str, is_correct: bool | None = False, first_error: int | None = 2) -> SolutionLabel:
    """Two steps: one rolled out (8 graded, 2 of them truncated, 1 ungradable), and the last."""
    last = step(False, Basis.MEASURED, n=0 if is_correct is None else 1)
    return SolutionLabel(
        "p", name, "Question?", "42", ("a", "b"), "41", is_correct, "made up", "someone",
        Value(8, 4, 0.5, 0.2, 0.8), first_error, None, None, "first_zero",
        (step(True, Basis.MEASURED, 8, 2, 1), last), 17, 170,
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


def labelled(run: RunDir) -> list[str]:
    """Solution ids that a plain reader of labels/ sees."""
    return pads.dataset(run.labels).to_table(columns=["solution_id"])["solution_id"].to_pylist()


def stage(run: RunDir, *names: str) -> list[Path]:
    paths = [run.staged / f"{name}.parquet" for name in names]
    for name, path in zip(names, paths, strict=True):
        write_labels(path, [row(name)], "hash")
    return paths


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


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
"""Parts of labels, states and pairs; a table without parts is not there."""


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


# -- counts and card ------------------------------------------------------------------------


def test_counts_add_up_over_files(run: RunDir) -> None:
    rows = [row("a"), row("b", is_correct=True, first_error=0), row("c", None, None), row("d")]
    write_labels(run.staged / "1.parquet", rows[:1], "")
    write_labels(run.staged / "2.parquet", rows[1:], "")
    write_labels(run.staged / "3.parquet", [], "")
    found = count_labels(sorted(run.staged.iterdir()))
    assert found == LabelCounts(
        solutions=4,
        right=1,
        wrong=2,
        steps=8,
        targets={"true": 4, "false": 4},
        bases={"measured": 8},
        first_errors={2: 2, 0: 1, None: 1},
        rollouts=68,
        tokens=680,
        step_rollouts=4 * 9,
        truncated=8,
        ungradable=4,
    )
    assert found.share(found.truncated) == pytest.approx(8 / 36)
    assert count_labels([]) == LabelCounts()


def facts(counts: LabelCounts) -> Facts:
    return Facts(
        name="demo",
        counts=counts,
        rows_in=10,
        policy="exhaustive",
        n=8,
        completer="abc",
        grader="v1",
        sampling={"temperature": 0.7},
        quarantined={"no gold": 3},
        failed=3,
    )


def test_the_card_says_what_became_of_the_rows(run: RunDir) -> None:
    publish(run, {"labels": stage(run, "a", "b", "c", "d")})
    write_card(run, facts(count_labels(sorted(run.labels.iterdir()))))
    text = run.card.read_text(encoding="utf-8")
    front = yaml.safe_load(text.split("---")[1])
    assert front["configs"][0]["data_files"] == [{"split": "train", "path": "labels/*.parquet"}]
    assert front["size_categories"] == ["n<1K"]
    assert "license" not in front
    for line in (
        "| rows in | 10 |",
        "| labelled | 4 |",
        "| quarantined: no gold | 3 |",
        "| failed | 3 |",
        "| target true | 4 (50.0%) |",
        "| step 2 | 4 (100.0%) |",
        "| truncated | 22.2% |",
    ):
        assert line in text
    assert "**Warning:** 22.2% of rollouts ran out of tokens" in text


def test_the_card_warns_above_five_percent_only() -> None:
    quiet = card(facts(LabelCounts(step_rollouts=100, truncated=5, ungradable=5)))
    assert "Warning" not in quiet
    loud = card(facts(LabelCounts(step_rollouts=100, truncated=5, ungradable=6)))
    assert "6.0% of rollouts could not be graded" in loud


def test_the_card_explains_the_columns_that_were_asked_for() -> None:
    plain = card(facts(LabelCounts()))
    assert not any(word in plain for word in ("provers", "`rating`", "`weighted`"))
    told = {"hot": "`abc`, 8 rollouts a prefix", "hot/best_of_4": "Best-of-4 of hot"}
    text = card(replace(facts(LabelCounts()), provers=told, neutral=0.1, weighted=True))
    assert "| hot/best_of_4 | Best-of-4 of hot |" in text
    assert "lies within 0.1 of zero" in text
    assert "`weighted` is" in text


def test_a_card_without_labels_still_reads() -> None:
    assert "| labelled | 0 |" in card(facts(LabelCounts()))
