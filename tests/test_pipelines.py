"""The stories in pipelines/ run as they are written, on the embedded model."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = [pytest.mark.engine, pytest.mark.cluster, pytest.mark.timeout(900)]


def told(story: str, folder: Path, *arguments: str) -> str:
    """Run a story in a folder that sees the configs and the data; returns what it prints."""
    for name in ("configs", "data"):
        (folder / name).symlink_to(ROOT / name)
    done = subprocess.run(
        [sys.executable, ROOT / "pipelines" / story, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def test_math_shepherd(tmp_path: Path) -> None:
    text = told("math_shepherd.py", tmp_path)
    assert "rollouts sampled, 0 replayed" in text
    assert "soft 0.00  hard False" in text


def test_bisection_spends_less_and_says_what_it_inferred(tmp_path: Path) -> None:
    text = told("bisection.py", tmp_path)
    spent = re.search(r"'exhaustive': (\d+), 'bisection': (\d+)", text)
    assert spent is not None
    assert int(spent[2]) < int(spent[1]) / 2
    assert "'measured'" in text
    assert "'inferred'" in text


def test_progress_telescopes(tmp_path: Path) -> None:
    text = told("progress_labels.py", tmp_path)
    *blocks, pooled = text.strip().split("\n\n")
    for block in blocks:
        lines = block.splitlines()
        v0 = float(lines[0].split()[2])
        parts = [float(line.split()[0]) for line in lines[1:-1]]
        together = float(lines[-1].split()[1])
        assert abs(sum(parts) - together) < 0.01 * len(parts)
        assert min(abs(v0 + together), abs(v0 + together - 1)) < 0.01
    [size] = re.findall(r"repeats the number before it: \|progress\| mean ([\d.]+)", pooled)
    assert float(size) < 0.02


def test_omegaprm_shows_states_and_pairs(tmp_path: Path) -> None:
    text = told("omegaprm.py", tmp_path)
    counted = re.search(r"(\d+) states from (\d+) rollouts", text)
    assert counted is not None
    assert int(counted[2]) >= 8 * int(counted[1])
    assert re.search(r"(\d+) wrong rollouts followed, the first error of [1-9]", text)
    assert re.search(r"[1-9]\d* pairs, such as:\n  after \d+ steps\n    \+ .+\n    - .+", text)


def test_adaptive_spends_less_and_mostly_agrees(tmp_path: Path) -> None:
    text = told("adaptive.py", tmp_path)
    every, chosen = (int(n) for n in re.findall(r"(\d+) rollouts, the solutions", text))
    assert chosen < every / 3
    same, both = map(int, re.findall(r"same first error: (\d+) of (\d+)", text)[0])
    assert same > 0.6 * both > 0
    assert "first_zero on the same log, 0 rollouts sampled" in text
    assert "least sure: first error" in text
