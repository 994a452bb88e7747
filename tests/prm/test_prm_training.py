"""The trainer on real label shards, with the testbed's model as its base."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from train_prm_fresh import World
from train_prm_labels import Contender, labelled, write
from typer.testing import CliRunner

from labeler.formats import ProcessBench, Record
from labeler.labels import SolutionLabel
from labeler.model import LabelerError
from labeler.prm.__main__ import app
from labeler.prm.encoding import Encoder
from labeler.prm.evaluation import evaluate
from labeler.prm.examples import Example, read_run, read_truth
from labeler.prm.network import RewardModel, load
from labeler.prm.scoring import scores_of
from labeler.prm.settings import Labels, Settings
from labeler.prm.training import Trained, encoded, loss_of, train
from labeler.prompts import Renderer, load_tokenizer
from labeler.shards import write_labels

ROOT = Path(__file__).parent.parent.parent
MODEL = ROOT / "data/testbed/model"
PROBLEMS = 8


def settings(**more: object) -> Settings:
    return Settings.model_validate({"base": MODEL, "epochs": 4, "batch": 8, **more})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labels of some problems of the pool, by their truth."""
    truth = Contender("truth", "exhaustive", "truth", "target", "all")
    return write(labelled(truth, World(0, PROBLEMS)), tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def trained(run: Path) -> Trained:
    return train(examples_of(run, "target"), settings(validation=0.4))


def examples_of(run: Path, kind: Labels) -> tuple[Example, ...]:
    return read_run(run, kind).examples


def rows_of(run: Path) -> list[SolutionLabel]:
    truth = Contender("truth", "exhaustive", "truth", "target", "all")
    return [row for one in labelled(truth, World(0, PROBLEMS)) for row in one.rows]


def test_labels_are_read_as_they_were_written(run: Path) -> None:
    for kind in ("target", "soft", "hard", "soft_posterior"):
        found = examples_of(run, kind)
        rows = rows_of(run)
        assert [e.steps for e in found] == [row.steps for row in rows]
        values = [tuple(getattr(step, kind) for step in row.labels) for row in rows]
        assert [e.targets for e in found] == values
    assert all(0 <= t <= 1 for e in examples_of(run, "sound") for t in e.targets if t is not None)


def test_a_row_that_filtering_dropped_is_left_out(run: Path, tmp_path: Path) -> None:
    rows = [replace(row, keep=i % 2 == 0) for i, row in enumerate(rows_of(run))]
    (tmp_path / "labels").mkdir()
    write_labels(tmp_path / "labels/0000.parquet", rows, "")
    kept = [row.steps for row in rows if row.keep]
    found = read_run(tmp_path, "target")
    assert [e.steps for e in found.examples] == kept
    assert (found.dropped, found.unlabelled) == (len(rows) - len(kept), 0)


def test_step_ends_are_the_separators_last_token(run: Path) -> None:
    tokenizer = load_tokenizer(MODEL)
    encoder = Encoder(Renderer(tokenizer, Settings().prompt), "\n", 512)
    for example in examples_of(run, "target"):
        text = encoder.encode(example.question, example.steps)
        ends = [*text.ends]
        assert len(ends) == len(example.steps)
        assert tokenizer.decode([text.ids[end] for end in ends]) == "\n" * len(ends)
        told = tokenizer.decode(text.ids).split("<|assistant|>")[1]
        assert told == "".join(step + "\n" for step in example.steps)


def test_what_is_too_long_loses_whole_steps(run: Path) -> None:
    tokenizer = load_tokenizer(MODEL)
    example = examples_of(run, "target")[0]
    renderer = Renderer(tokenizer, Settings().prompt)
    whole = Encoder(renderer, "\n", 512).encode(example.question, example.steps)
    short = Encoder(renderer, "\n", len(whole.ids) - 1).encode(example.question, example.steps)
    assert short.ends == whole.ends[:-1]
    with pytest.raises(LabelerError, match="raise max_length"):
        train([example], settings(max_length=10, validation=0))


def test_the_loss_looks_at_labelled_step_ends_alone(trained: Trained) -> None:
    example = Example("p", "How many?", ("One.", "Two.", "Three."), (1.0, None, 0.25))
    other = replace(example, steps=("One.", "Two.", "Three."), targets=(1.0, None, None))
    model = trained.model
    whole, part = (float(loss_of(model, encoded(model, [e])).detach()) for e in (example, other))
    scores = scores_of(model, [(example.question, example.steps)])[0]
    first = -math.log(scores[0])
    last = -0.25 * math.log(scores[2]) - 0.75 * math.log(1 - scores[2])
    assert part == pytest.approx(first, rel=1e-4)
    assert whole == pytest.approx((first + last) / 2, rel=1e-4)


def test_what_follows_a_first_error_can_be_left_out(run: Path) -> None:
    for example in examples_of(run, "target"):
        first = example.first_error or len(example.steps)
        assert example.cut.targets[:first] == example.targets[:first]
        assert set(example.cut.targets[first:]) <= {None}
    few = examples_of(run, "target")[:8]
    whole, cut = (
        train(few, settings(validation=0, epochs=1, after_error=a)) for a in ("keep", "cut")
    )
    assert (cut.good, cut.bad) == (whole.good, sum(bool(e.first_error) for e in few))


def test_padding_changes_no_score(trained: Trained, run: Path) -> None:
    pairs = [(e.question, e.steps) for e in examples_of(run, "target")[:6]]
    together = scores_of(trained.model, pairs)
    for pair, scores in zip(pairs, together, strict=True):
        assert scores_of(trained.model, [pair])[0] == pytest.approx(scores, abs=1e-4)


def test_it_learns_and_says_where_its_threshold_comes_from(trained: Trained, run: Path) -> None:
    assert trained.losses[-1] < trained.losses[0]
    assert trained.cut == 0
    assert trained.solutions < len(examples_of(run, "target"))
    assert "validation problems" in trained.model.threshold_from
    labelled = [t for e in examples_of(run, "target") for t in e.targets]
    assert 0 < trained.good < trained.good + trained.bad < len(labelled)


def test_the_same_seed_gives_the_same_model(run: Path) -> None:
    examples = examples_of(run, "target")[:8]
    losses = [train(examples, settings(epochs=1, validation=0, seed=s)).losses for s in (1, 1, 2)]
    assert losses[0] == losses[1] != losses[2]


def test_a_saved_model_is_the_same_when_loaded(trained: Trained, run: Path, tmp_path: Path) -> None:
    trained.model.save(tmp_path / "prm")
    again: RewardModel = load(tmp_path / "prm")
    pairs = [(e.question, e.steps) for e in examples_of(run, "target")[:4]]
    assert scores_of(again, pairs) == scores_of(trained.model, pairs)
    assert (again.threshold, again.threshold_from, again.settings) == (
        trained.model.threshold, trained.model.threshold_from, trained.model.settings,
    )  # fmt: skip
    with pytest.raises(LabelerError, match="no process reward model"):
        load(MODEL)


def test_an_evaluation_counts_trace_errors(trained: Trained, run: Path) -> None:
    records = [
        Record(e.question, e.steps, is_correct=e.is_correct, first_error=e.first_error)
        for e in examples_of(run, "target")
    ]
    found = evaluate(trained.model, [*records, replace(records[0], first_error=None)])
    assert (found.solutions, found.unknown, found.cut) == (len(records), 1, 0)
    true = sum(bool(r.is_correct and r.first_error) for r in records)
    assert found.trace.true == true
    assert f"trace_errors={true}" in found.lines()[-1]
    nothing = evaluate(trained.model, records, threshold=0.0)
    assert (nothing.score.error, nothing.score.right) == (0, 1)
    assert nothing.trace.true == true
    short = replace(trained.model, settings=settings(max_length=100))
    encoder = short.encoder
    lost = [len(encoder.encode(r.question, r.steps).ends) < len(r.steps) for r in records]
    assert 0 < evaluate(short, records).cut == sum(lost) < len(records)
    with pytest.raises(LabelerError, match="0 to 1"):
        evaluate(trained.model, records, threshold=math.nan)


def test_a_file_of_the_wrong_shape_names_its_row(tmp_path: Path) -> None:
    good = ProcessBench().write(
        Record("Q?", ("One.", "Two."), id="a", is_correct=True, first_error=0, generator="g")
    )
    path = tmp_path / "truth.jsonl"
    path.write_text(json.dumps(good) + "\n")
    assert read_truth(path)[0].first_error == 0
    path.write_text(json.dumps(good) + "\n" + json.dumps(good | {"label": 7}) + "\n")
    with pytest.raises(LabelerError, match=r"truth.jsonl:2: label"):
        read_truth(path)
    path.write_text("\n".join(json.dumps(good | {"label": n}) for n in (0, 1.0, -1)))
    with pytest.raises(LabelerError, match=r"truth.jsonl:2: label: 1.0 is no index"):
        read_truth(path)
    path.write_text("{not json")
    with pytest.raises(LabelerError, match=r"truth.jsonl:1 is no row: no JSON object"):
        read_truth(path)
    with pytest.raises(LabelerError, match="there is no such file"):
        read_truth(tmp_path / "nowhere.json")


def test_the_command_line_trains_and_evaluates(run: Path, tmp_path: Path) -> None:
    runner, truth = CliRunner(), tmp_path / "truth.json"
    records = [
        Record(e.question, e.steps, id=str(i), is_correct=e.is_correct, first_error=e.first_error)
        for i, e in enumerate(examples_of(run, "target"))
    ]
    truth.write_text(json.dumps([ProcessBench().write(record) for record in records]))
    folder, chosen = str(tmp_path / "prm"), ["--base", str(MODEL), "--set", "batch=8"]
    told = runner.invoke(app, ["train", str(run), "--out", folder, *chosen, "--set", "epochs=1"])
    assert told.exit_code == 0, told.output
    assert "loss by epoch" in told.output
    told = runner.invoke(app, ["evaluate", folder, str(truth)])
    assert "f1=" in told.stdout.splitlines()[-1]
    told = runner.invoke(app, ["train", str(run), "--out", folder, *chosen, "--set", "epoch=1"])
    assert told.exit_code == 1
    assert "did you mean 'epochs'?" in told.output


def test_importing_the_package_loads_nothing_heavy() -> None:
    script = (
        "import sys, labeler, labeler.prm, labeler.prm.training, labeler.prm.evaluation\n"
        "print([m for m in ('torch', 'transformers', 'datasets', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
