"""`labeler report` without a browser: the sample, the escapes, what is there and what is not."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from labeler.apps.label import label, read_config
from labeler.apps.report import report
from labeler.apps.report.advised import unaudited
from labeler.apps.report.holding import Wanted, held
from labeler.apps.report.logged import Logged, logged
from labeler.apps.report.making import write
from labeler.apps.report.page import policy
from labeler.apps.report.sample import Sample, embedded
from labeler.apps.report.savings import Spent
from labeler.apps.report.sections import WHY, sampled
from labeler.apps.run import run
from labeler.config import ConfigError, load
from labeler.files import RunDir, parts, read_rows
from labeler.model import LabelerError
from tests.apps.reported import block, evil_run, made
from tests.conftest import ROOT
from tests.runs import label_rows, planted_config

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)  # fmt: skip


@given(JSON)
def test_nothing_breaks_out_of_a_block(value: object) -> None:
    text = embedded(value)
    assert json.loads(text) == value
    assert not re.search("[<>&\u2028\u2029]", text)


ROWS = st.dictionaries(st.text(max_size=4), st.text(max_size=40), max_size=30)


@given(ROWS, st.floats(1e-6, 1e-3), st.randoms(use_true_random=False), st.sets(st.text(max_size=4)))
def test_a_sample_depends_on_rows_and_size_alone(
    rows: dict[str, str], size: float, order: object, first: set[str]
) -> None:
    def drawn(names: list[str], mb: float) -> Sample:
        sample = Sample(mb, 7, first)
        for name in names:
            sample.offer(name, {"text": rows[name]})
        return sample

    names = sorted(rows)
    order.shuffle(names)  # type: ignore[attr-defined]
    sample = drawn(names, size)
    held = dict(sample.rows())
    assert held == dict(drawn(sorted(rows), size).rows())
    assert sum(len(text.encode()) for text in held.values()) <= size * 1e6
    assert sample.offered == len(rows)
    assert held.items() <= dict(drawn(names, 2 * size).rows()).items()
    assert len(drawn(names, 1.0)) == len(rows)
    assert set(held) <= first or (first & set(rows)) <= set(held)
    assert json.loads(sample.as_object()) == {n: {"text": rows[n]} for n in held}


def test_costs_of_policies() -> None:
    """By hand: K = 4, first error 2; K = 5, undecided; K = 3, right."""
    spent = Spent()
    spent.add([(4, False, 2, 9), (5, False, None, 12), (3, True, 0, 24)])
    assert dict(spent.costs("scan", 4)) == {
        "this run (scan)": 45, "exhaustive, N = 4": 48, "exhaustive, N = 8": 96,
        "scan, N = 4": 4 * (2 + 4), "bisection, N = 4": 4 * (2 + 3),
    }  # fmt: skip
    assert [name for name, _ in spent.costs("exhaustive", 8)].count("exhaustive, N = 8") == 1


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evil_run(tmp_path_factory.mktemp("reported"))


@pytest.fixture(scope="module")
def page(root: Path) -> Path:
    return made(root, root / "report.html")


def test_a_page_holds_every_label(root: Path, page: Path) -> None:
    assert "All 60 solutions are in this page." in page.read_text()
    labels = {row["solution_id"]: row for row in label_rows(root)}
    assert [row["id"] for row in block(page, "rows")] == sorted(labels)
    for row in block(page, "rows"):
        assert row["first"] == labels[row["id"]]["first_error"]
        assert row["steps"] == labels[row["id"]]["steps"]


def test_beyond_its_size_a_page_is_a_sample_and_says_so(root: Path) -> None:
    run = RunDir(root)
    wanted = Wanted(0.05, 0, ["no such solution", label_rows(root)[7]["solution_id"]], {})
    some = held(run, read_config(run), wanted)
    rows = json.loads(some.blocks()["rows"])
    assert 0 < len(rows) < 60
    assert label_rows(root)[7]["solution_id"] in {row["id"] for row in rows}
    assert f"{len(rows)} of 60 solutions, sampled" in sampled(len(rows), 60, wanted)
    assert 0 < some.rows.bytes + some.texts.bytes <= 50_000
    assert {name for name, _ in some.texts.rows()} < {row["id"] for row in rows}
    assert "kept small" in json.loads(some.blocks()["meta"])["more_texts"]
    assert some.spent.solutions == 60


def test_rollouts_are_those_of_the_log(root: Path, page: Path) -> None:
    texts = block(page, "texts")
    logged = {r["text"] for r in read_rows(parts(RunDir(root).rollouts))}
    assert {seen[5] for by in texts.values() for of in by.values() for seen in of} <= logged
    for row in label_rows(root):
        for k, step in enumerate([row["value_0"], *row["labels"][:-1]]):
            of = texts[row["solution_id"]][str(k)]
            assert [seen[0] for seen in of] == [0, 1, 2, 3]
            assert sum(seen[1] == "correct" for seen in of) == step["correct"]  # N is 4


def test_a_page_is_the_same_every_time_and_names_all_that_runs(
    root: Path, page: Path, tmp_path: Path
) -> None:
    text = page.read_text()
    assert made(root, tmp_path / "again.html").read_text() == text
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert policy(style, script).replace("'", "&#39;") in text
    assert not re.search(r"\son\w+=|javascript:|https?://", script + style)


def test_without_texts_judge_or_pool_the_page_says_why(tmp_path: Path) -> None:
    pool = str(ROOT / "data/testbed/pool.parquet")
    config = planted_config(
        tmp_path,
        problems={"path": pool, "limit": 3},
        completer={"kind": "recorded", "path": pool},
        policy={"kind": "scan", "n": 1},
    )
    run(load(config))
    page = report(tmp_path / "run", None, None, 16.0, None, Console(quiet=True))
    assert page == tmp_path / "run/report.html"
    assert "recorded pool of verdicts" in block(page, "meta")["no_texts"]
    assert block(page, "texts") == {}
    text = page.read_text()
    for said in ("No judge was asked in", "No input row was refused", "Calibration needs labels"):
        assert said in text


def test_without_an_audit_the_labels_are_there_all_the_same(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write(RunDir(root), unaudited("it has <nothing>"), Wanted(16.0, 0, (), {}), path, None)
    text = path.read_text()
    assert "It has &lt;nothing&gt;." in text
    assert len(block(path, "rows")) == 60
    for section in ("finding", "noise", "labels", "calibration", "advice", "causes"):
        assert WHY[section].split("(")[0] in text
    assert "Kept, by source" in text


def test_it_speaks_of_the_labels_as_they_are_now(tmp_path: Path) -> None:
    """Not of the configuration that the run was made with."""
    run(load(planted_config(tmp_path, 4)))
    label(tmp_path / "run", ["labels.n=2", "labels.neutral=0.9"])
    text = unaudited_page(tmp_path)
    assert "labels use 2 a prefix" in text
    assert "Ratings of steps" in text
    label(tmp_path / "run", ["labels.neutral=null"])
    assert "Ratings of steps" not in unaudited_page(tmp_path)


def unaudited_page(folder: Path) -> str:
    """The page of the run in a folder, without an audit."""
    path = folder / "page.html"
    write(RunDir(folder / "run"), unaudited("not here"), Wanted(1, 0, set(), {}), path, None)
    return path.read_text()


def test_branches_of_a_tree_show_the_rollouts_of_its_states(tmp_path: Path) -> None:
    config = planted_config(
        tmp_path,
        count=4,
        completer={"kind": "planted", "steps": 5},
        policy={"kind": "omega", "searches": 4, "n": 4},
    )
    done = run(load(config))
    assert done.facts.trees is not None
    page = unaudited_page(tmp_path)
    assert re.search(rf"tree states<.*?>{done.facts.trees.states:,}<", page, re.DOTALL)
    assert f"and {done.facts.trees.pairs:,} pairs of next steps" in page
    where = RunDir(tmp_path / "run")
    shown = held(where, read_config(where), Wanted(16.0, 0, (), {}))
    texts = json.loads(shown.blocks()["texts"])
    given = {row["solution_id"] for row in read_rows(parts(where.solutions))}
    branches = [row for row in label_rows(where.root) if row["solution_id"] not in given]
    assert branches
    for row in branches:
        values = [row["value_0"], *row["labels"][:-1]]
        rolled = {str(k): value["correct"] for k, value in enumerate(values) if value["n"]}
        of = texts[row["solution_id"]]
        assert {k: sum(seen[1] == "correct" for seen in of[k]) for k in of} == rolled


def test_what_cannot_be_shown_is_explained(root: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--max-mb"):
        made(root, tmp_path / "page.html", max_mb=0)
    with pytest.raises(LabelerError, match="no labels yet"):
        made(tmp_path, tmp_path / "page.html")


def test_the_log_is_counted_whole(root: Path) -> None:
    """The run's own completer's rollouts, the prover's and the judge's answers."""
    rows = list(read_rows(parts(RunDir(root).rollouts)))
    assert logged(RunDir(root)) == Logged(len(rows), sum(row["n_tokens"] for row in rows))
    assert len({row["completer"] for row in rows}) == 3
