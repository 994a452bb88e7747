"""Promises of the package as a whole: its names, what importing it costs, and its command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import labeler
from tests.conftest import ROOT
from tests.processes import finished
from tests.runs import planted_config

HEAVY = ("vllm", "ray", "torch", "scipy", "sympy", "pyarrow", "transformers", "datasets", "numpy")


def test_the_public_names_are_exact() -> None:
    assert sorted(labeler.__all__) == sorted(labeler._HOME)
    for name in labeler.__all__:
        assert getattr(labeler, name).__module__ == labeler._HOME[name]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = labeler.nonsense


@pytest.mark.parametrize("module", ["labeler.cli", "labeler.config", "labeler.policies"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    script = f"import sys, {module}; print(*(m for m in {HEAVY} if m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == []


def test_help_names_every_command() -> None:
    code, output = finished("--help")
    assert code == 0
    for command in ("run", "label", "inspect", "plan", "doctor", "grade"):
        assert f" {command} " in output


def test_wrong_usage_and_wrong_config_exit_with_2(tmp_path: Path) -> None:
    assert finished("run")[0] == 2
    assert finished("run", tmp_path / "absent.yaml")[0] == 2
    code, output = finished("run", planted_config(tmp_path), "policy.nn=3")
    assert (code, "did you mean 'n'?" in output, "Traceback" in output) == (2, True, False)
    code, output = finished("label", tmp_path)
    assert (code, "is not a run directory" in output) == (2, True)


def test_another_identity_is_refused_with_the_difference(tmp_path: Path) -> None:
    config = planted_config(tmp_path, count=3)
    assert finished("run", config)[0] == 0
    code, output = finished("run", config, "seed=5", "completer.sampling.temperature=0.3")
    assert code == 2
    assert "seed: 0 there, 5 here" in output
    assert "completer.sampling.temperature: 0.7 there, 0.3 here" in output


def test_a_server_that_is_not_there_is_no_success(tmp_path: Path) -> None:
    server = {"kind": "endpoint", "model": "m", "engine": {"retries": 0}}
    config = planted_config(tmp_path, count=2, prompt={"kind": "raw"})
    for url, said in (("http://127.0.0.1:9/v1", "could not be rolled out"), ("nowhere", "url")):
        completer = json.dumps(server | {"url": url})
        code, output = finished("run", config, f"completer={completer}", f"name=x{len(url)}")
        assert (code, said in output, "Traceback" in output) == (1, True, False), output


def test_what_cannot_be_read_exits_with_1(tmp_path: Path) -> None:
    config = planted_config(tmp_path, count=3)
    (tmp_path / "problems.jsonl").unlink()
    code, output = finished("run", config)
    assert (code, "problems.jsonl" in output, "Traceback" in output) == (1, True, False)
