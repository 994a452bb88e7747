"""TRL's own trainer on a `trl` export: it learns from it, and labels the tokens we say it does.

trl 1.13.0 is the last with a PRMTrainer. It is no part of the usual environment: it stands in a
folder of its own, which this test gives to a fresh process alone.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from labeler.apps.run import run
from labeler.config import load
from labeler.prompts import load_tokenizer
from tests.processes import finished

ROOT = Path(__file__).parent.parent.parent
MODEL = ROOT / "data/testbed/model"
FOLDER = Path(os.environ.get("LABELER_TRL", Path(sys.prefix) / "trl"))
PROBLEMS, BATCH = 50, 8
pytestmark = [
    pytest.mark.skipif(not (FOLDER / "trl").is_dir(), reason="no folder with trl 1.13.0"),
    pytest.mark.timeout(400),
]  # fmt: skip

SCRIPT = r"""
import json, sys
import torch
from datasets import load_dataset
from transformers import AutoModelForTokenClassification, AutoTokenizer
from trl.experimental.prm import PRMConfig, PRMTrainer

model, folder, out, batch = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
torch.set_num_threads(1)
torch.manual_seed(0)
data = load_dataset(folder, split="train", cache_dir=out)
trainer = PRMTrainer(
    model=AutoModelForTokenClassification.from_pretrained(model, num_labels=2),
    args=PRMConfig(
        output_dir=out, num_train_epochs=1, per_device_train_batch_size=batch, learning_rate=1e-3,
        use_cpu=True, bf16=False, gradient_checkpointing=False, seed=0, save_strategy="no",
        per_device_eval_batch_size=batch, report_to="none", disable_tqdm=True,
    ),
    train_dataset=data,
    eval_dataset=data,
    processing_class=AutoTokenizer.from_pretrained(model),
)
before = trainer.evaluate()["eval_loss"]
epochs = trainer.train().metrics["epoch"]
after = trainer.evaluate()["eval_loss"]
tokens = [{name: row[name] for name in ("input_ids", "labels")} for row in trainer.train_dataset]
print(json.dumps({"before": before, "after": after, "epochs": epochs, "tokens": tokens}))
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `labeler export` makes of recorded problems that were labelled by their rollouts."""
    folder = tmp_path_factory.mktemp("exported")
    chosen = [f"run_dir={folder}/run", f"problems.limit={PROBLEMS}"]
    policy = "policy={kind: exhaustive, n: 8}"
    run(load(ROOT / "configs/pool.yaml", [*chosen, policy]))
    code, said = finished("export", folder / "run", "--format", "trl", "--out", folder / "out")
    assert code == 0, said
    code, said = finished("validate", folder / "out", "--format", "trl", "--tokenizer", MODEL)
    assert code == 0, said
    return folder / "out"


@pytest.fixture(scope="module")
def rows(exported: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(exported / "train.parquet").to_pylist()
    return found


@pytest.fixture(scope="module")
def trained(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("trl")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, MODEL, exported, out, str(BATCH)],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(FOLDER), "TRL_EXPERIMENTAL_SILENCE": "1",
             "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_its_loss_falls_in_one_epoch(trained: dict[str, Any]) -> None:
    assert trained["epochs"] == 1
    assert trained["after"] < trained["before"]


def test_the_tokens_that_carry_labels_are_those_of_the_format(
    rows: list[dict[str, Any]], trained: dict[str, Any]
) -> None:
    tokenizer = load_tokenizer(MODEL)
    assert len(trained["tokens"]) == len(rows)
    for row, told in zip(rows, trained["tokens"], strict=True):
        ids = [tokenizer.bos_token_id, *tokenizer.encode(row["prompt"], add_special_tokens=False)]
        labels = [-100] * len(ids)
        for step, label in zip(row["completions"], row["labels"], strict=True):
            text = tokenizer.encode(step, add_special_tokens=False)
            separator = tokenizer.encode("\n", add_special_tokens=False)
            ids += [*text, *separator]
            labels += [-100] * (len(text) + len(separator) - 1) + [int(label)]
        assert told == {"input_ids": ids, "labels": labels}
