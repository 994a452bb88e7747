"""The studies in pipelines/ that need no model run from end to end: small, but as written."""

import asyncio
import re
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.samplers.completion_server import serving
from tests.tiny_model import write_tokenizer


async def told(story: str, folder: Path, *arguments: object) -> str:
    """Run a story in a folder that sees the configs and the data; returns what it prints."""
    for name in ("configs", "data"):
        (folder / name).symlink_to(ROOT / name)
    command = [sys.executable, ROOT / "pipelines" / story, *arguments]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*map(str, command), cwd=folder, stdout=pipe)
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()


async def test_the_noise_study(tmp_path: Path) -> None:
    text = await told("noise_audit.py", tmp_path, 30)
    [first, *_] = text.split("\n\n")
    good = [float(cell) for cell in re.findall(r"^\| \d+ \| ([\d.]+)", first, re.MULTILINE)]
    assert len(good) == 7  # N = 1 to 64
    assert good == sorted(good)  # more rollouts bring more dead prefixes to life, never fewer
    errors = dict(re.findall(r"^\| (soft\w*) \| ([\d.]+)", text, re.MULTILINE))
    assert 0 < float(errors["soft_posterior"]) < float(errors["soft"])
    assert "| adaptive, posterior |" in text


async def test_processbench_through_a_server(tmp_path: Path, shared_data: Path) -> None:
    """Its answers are nonsense: what counts is that every row comes back with people's label."""
    tokenizer = write_tokenizer(tmp_path / "tokenizer")
    async with serving() as server:
        text = await told("processbench.py", tmp_path, shared_data, server.url, "m", tokenizer, 3)
    assert len(server.bodies) > 100
    assert text.count("solutions: 3 matched, of 3 problems; 0 ambiguous, 0 only ours") == 2
    assert text.count("No rollout reached a gold answer") == 2
