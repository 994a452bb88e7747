"""TRL's own trainer on our `trl` rows: it learns from them, and labels the tokens we say it does.

trl 1.13.0 is the last with a PRMTrainer. It is no part of the usual environment: it stands in a
folder of its own, which this test gives to a fresh process alone.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labeler.formats import Record, Trl
from labeler.prompts import load_tokenizer
from labeler.testbed.pool import load

ROOT = Path(__file__).parent.parent.parent
MODEL = ROOT / "data/testbed/model"
FOLDER = Path(os.environ.get("LABELER_TRL", Path(sys.prefix) / "trl"))
SOLUTIONS, BATCH = 160, 8
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

model, rows, out, batch = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
torch.set_num_threads(1)
torch.manual_seed(0)
data = load_dataset("parquet", data_files=rows, split="train", cache_dir=out)
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
def rows() -> list[dict[str, Any]]:
    """Solutions of the pool with their exact truth, as the format writes them."""
    made = [
        Record(
            question=problem.task.problem.question,
            steps=tuple(step.text for step in solution.steps),
            hard=tuple(
                first is None or k < first for k in range(1, len(solution.steps) + 1)
            ),
        )
        for problem in load(ROOT / "data/testbed/pool.parquet")[:60]
        for solution in problem.task.solutions
        for first in [problem.truths[solution.id].state]
    ]  # fmt: skip
    return [Trl().write(record) for record in made[:SOLUTIONS]]


@pytest.fixture(scope="module")
def trained(rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("trl")
    pq.write_table(pa.Table.from_pylist(rows), folder / "train.parquet")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, MODEL, folder / "train.parquet", folder / "out", str(BATCH)],
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
