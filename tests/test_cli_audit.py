"""`labeler audit` and `labeler report` as commands: help, exit codes, and what machines read."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.apps.audits import planted
from tests.processes import START


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted(tmp_path_factory.mktemp("commands"))


def labeler(*args: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "COLUMNS": "100"}
    command = [sys.executable, "-c", START, *args]
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


def test_json_alone_is_json(root: Path) -> None:
    done = labeler("audit", str(root), "--sample", "0", "--json", "-", "--grid", "2,4")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run"]["name"] == "planted"
    assert not done.stderr


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["{root}/no"], 2, "is not a run directory"),
        (["{root}", "--grid", "none"], 2, "--grid"),
        (["{root}", "--truth", "{root}/no"], 2, "there is no file"),
        (["{root}", "{root}/no"], 2, "is not a run directory"),
    ],
)
def test_what_goes_wrong_is_one_message(root: Path, args: list[str], code: int, said: str) -> None:
    done = labeler("audit", *(arg.format(root=root) for arg in args))
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["audit", "report"])
def test_help_says_what_a_command_does(command: str) -> None:
    done = labeler(command, "--help")
    assert done.returncode == 0
    assert "--truth" in done.stdout
    assert f"labeler {command} runs/" in done.stdout
