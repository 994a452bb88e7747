"""What labeler.prm cannot work with: one sentence that says so, or a count."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from train_prm_fresh import World
from train_prm_labels import Contender, labelled
from typer.testing import CliRunner, Result

from labeler.labels import SolutionLabel, StepLabel
from labeler.model import LabelerError
from labeler.prm.__main__ import app
from labeler.prm.examples import Example, read_run, read_truth
from labeler.prm.network import load, make_folder, start
from labeler.prm.settings import Settings
from labeler.prm.training import train
from labeler.shards import write_labels

MODEL = Path(__file__).parent.parent.parent / "data/testbed/model"
TRUTH = Contender("truth", "exhaustive", "truth", "target", "all")
EXAMPLES = tuple(
    Example(f"p{i}", f"How many are {i}?", ("One.", "Two."), (1.0, i % 2), 2 * (i % 2))
    for i in range(8)
)


@pytest.fixture(scope="module")
def rows() -> list[SolutionLabel]:
    return [row for one in labelled(TRUTH, World(0, 4)) for row in one.rows]


def write(run: Path, rows: Sequence[SolutionLabel], name: str = "0000") -> Path:
    (run / "labels").mkdir(parents=True, exist_ok=True)
    write_labels(run / f"labels/{name}.parquet", rows, "")
    return run


def with_steps(row: SolutionLabel, change: Callable[[StepLabel], StepLabel]) -> SolutionLabel:
    return replace(row, labels=tuple(map(change, row.labels)))


def settings(**more: object) -> Settings:
    return Settings.model_validate({"base": MODEL, "epochs": 1, "validation": 0, **more})


def told(*given: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in given])


def test_a_run_without_labels_says_what_it_lacks(rows: list[SolutionLabel], tmp_path: Path) -> None:
    undecided = [with_steps(row, lambda step: replace(step, target=None)) for row in rows]
    wrong = [with_steps(row, lambda step: replace(step, target=None, soft=1.5)) for row in rows]
    (tmp_path / "file").mkdir()
    (tmp_path / "file/labels").write_text("no folder")
    for run, message in {
        tmp_path / "nowhere": "has no labels",
        tmp_path / "file": "has no labels",
        write(tmp_path / "empty", []): "hold no solution",
        write(tmp_path / "undecided", undecided): "'target': choose another kind",
        write(tmp_path / "dropped", [replace(row, keep=False) for row in rows]): "dropped all",
    }.items():
        with pytest.raises(LabelerError, match=message):
            read_run(run, "target")
    with pytest.raises(LabelerError, match="from 0 to 1"):
        read_run(write(tmp_path / "wrong", wrong), "soft")


def test_a_file_that_is_no_label_file_is_named(rows: list[SolutionLabel], tmp_path: Path) -> None:
    other = write(tmp_path, rows) / "labels/0001.parquet"
    pq.write_table(pa.table({"question": ["How many?"]}), other)
    with pytest.raises(LabelerError, match=r"0001.parquet holds no labels.*no column .*labels"):
        read_run(tmp_path, "target")
    other.write_bytes(b"nonsense")
    with pytest.raises(LabelerError, match=r"0001.parquet cannot be read"):
        read_run(tmp_path, "target")


def test_solutions_without_the_kind_are_counted(rows: list[SolutionLabel], tmp_path: Path) -> None:
    mixed = [with_steps(row, lambda step: replace(step, soft=None)) for row in rows[::2]]
    mixed += rows[1::2]
    write(write(tmp_path, mixed), [], "0001")
    found = read_run(tmp_path, "soft")
    assert (len(found.examples), found.unlabelled) == (len(rows[1::2]), len(rows[::2]))
    assert len(read_run(tmp_path, "target").examples) == len(rows)


def test_labels_that_teach_nothing_are_refused() -> None:
    alike = [replace(e, targets=(1.0, 1.0)) for e in EXAMPLES]
    with pytest.raises(LabelerError, match="all 16 labelled steps have the same label, 1:"):
        train(alike, settings())
    with pytest.raises(LabelerError, match="set validation=0"):
        train(EXAMPLES[:1], settings(validation=0.999))


def test_a_loss_that_is_no_number_ends_the_training() -> None:
    with pytest.raises(LabelerError, match="epoch 1 is no number: lower the rate"):
        train(EXAMPLES, settings(rate=1e9, batch=1))


def test_a_threshold_that_could_not_be_chosen_says_why() -> None:
    undecided = [replace(e, first_error=None) for e in EXAMPLES]
    found = train(undecided, settings(validation=0.5)).model
    assert found.threshold == 0.5
    assert "0 have a first error by their labels and 0 have none" in found.threshold_from
    assert "no problem was kept out" in train(EXAMPLES, settings()).model.threshold_from


def test_settings_that_cannot_be_are_told(tmp_path: Path) -> None:
    for setting, message in {
        "epochs=0": "epochs: Input should be greater than 0",
        "rate=.inf": "rate: Input should be a finite number",
        "validation=1": "validation: Input should be less than 1",
        "epoch=1": "did you mean 'epochs'?",
    }.items():
        result = told("train", tmp_path, "--out", tmp_path / "prm", "--set", setting)
        assert (result.exit_code, message in result.output) == (1, True), result.output
    assert "--labels" in told("train", "--help").output


def test_a_place_that_cannot_be_written_is_told_before_training(
    rows: list[SolutionLabel], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    run = write(tmp_path / "run", rows)
    result = told("train", run, "--out", tmp_path / "file", "--base", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert "cannot be a directory to write a model into" in result.output


def test_a_base_that_is_no_model_is_told(tmp_path: Path) -> None:
    made: dict[str, Path] = {}
    for name in ("weights", "damaged", "tokenizer", "newline"):
        made[name] = Path(shutil.copytree(MODEL, tmp_path / name))
    (made["weights"] / "model.safetensors").unlink()
    (made["damaged"] / "model.safetensors").write_bytes(b"nonsense")
    (made["tokenizer"] / "tokenizer.json").unlink()
    for name, message in {
        "nowhere": "no such directory",
        "weights": "no model at",
        "damaged": "no model at",
        "tokenizer": "no tokenizer at",
    }.items():
        with pytest.raises(LabelerError, match=message):
            start(settings(base=tmp_path / name))
    with pytest.raises(LabelerError, match="reads 512 tokens at most: set max_length=512"):
        start(settings(max_length=513))
    _without_newline(made["newline"])
    with pytest.raises(LabelerError, match="has no token in this tokenizer"):
        train(EXAMPLES, settings(base=made["newline"]))


def test_a_base_that_sees_what_follows_is_refused(tmp_path: Path) -> None:
    from transformers import BertConfig, BertModel

    base = Path(shutil.copytree(MODEL, tmp_path / "base"))
    config = BertConfig(
        vocab_size=768, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32,
    )  # fmt: skip
    BertModel(config).save_pretrained(base)
    with pytest.raises(LabelerError, match="choose a causal language model"):
        start(settings(base=base))


def test_a_model_that_was_damaged_is_no_model(tmp_path: Path) -> None:
    start(settings()).save(tmp_path)
    head, about = tmp_path / "head.safetensors", tmp_path / "prm.json"
    said = json.loads(about.read_text())
    for path, content in [
        (head, b"nonsense"),
        (about, b"[]"),
        (about, json.dumps(said | {"threshold": 2}).encode()),
    ]:
        before = path.read_bytes()
        path.write_bytes(content)
        with pytest.raises(LabelerError, match="no process reward model"):
            load(tmp_path)
        path.write_bytes(before)
    assert load(tmp_path).settings == settings()


def test_a_truth_without_rows_is_told(tmp_path: Path) -> None:
    for content in ("", "[]"):
        (tmp_path / "truth.json").write_text(content)
        with pytest.raises(LabelerError, match="has no rows"):
            read_truth(tmp_path / "truth.json")


def _without_newline(base: Path) -> None:
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    made = PreTrainedTokenizerFast(tokenizer_object=core, unk_token="[UNK]")
    made.chat_template = "{{ messages[0].content }}"
    made.save_pretrained(base)


def test_no_model_is_written_over_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"a base")
    with pytest.raises(LabelerError, match="nothing is overwritten"):
        make_folder(tmp_path)
    make_folder(tmp_path / "new")
    assert (tmp_path / "new").is_dir()
