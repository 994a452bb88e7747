"""The testbed's truth is cheap to ask: no engine comes with it."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "transformers", "tokenizers", "vllm", "ray", "pyarrow", "numpy")


@pytest.mark.parametrize(
    "module", ["problems", "truth", "flaws", "measure", "tokens", "train", "report"]
)
def test_importing_a_module_leaves_heavy_ones_out(module: str) -> None:
    code = (
        f"import sys, labeler.testbed.{module}; "
        f"print(*(name for name in {HEAVY!r} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
