"""The command line: an exit code and one message for whatever goes wrong, and never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import START
from tests.runs import planted_config


def labeler(*args: str, encoding: str = "utf-8") -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, whose output has this encoding."""
    env = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [sys.executable, "-c", START, *args]
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


@pytest.mark.parametrize(
    ("override", "code", "said"),
    [
        ("name=..", 2, "name"),
        ("problems.path=/no/such.jsonl", 1, "/no/such.jsonl"),
        ("problems.path=" + "a" * 300 + ".jsonl", 1, "name too long"),
        ("run_dir={config}/run", 1, "Not a directory"),
        ("run_dir={folder}", 2, "is no run directory"),
        ("run_dir={folder}/" + "a" * 300, 1, "name too long"),
        ("problems.path={folder}", 1, "no row"),
    ],
)
def test_what_goes_wrong_is_one_message(
    tmp_path: Path, override: str, code: int, said: str
) -> None:
    config = planted_config(tmp_path)
    (tmp_path / "problems.jsonl").write_text("no JSON\n")
    result = labeler("run", str(config), override.format(config=config, folder=tmp_path))
    assert result.returncode == code
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_an_output_that_is_not_utf8_still_gets_the_text(tmp_path: Path) -> None:
    config = planted_config(tmp_path, count=1)
    source = tmp_path / "problems.jsonl"
    row = json.loads(source.read_text())
    source.write_text(json.dumps({**row, "question": row["question"] + " \u2200 \x1b[31m"}))
    for args in (["run", str(config)], ["inspect", str(tmp_path / "run")]):
        result = labeler(*args, encoding="ascii")
        assert (result.returncode, result.stderr) == (0, "")
    assert "\\u2200" in result.stdout


def test_help_is_wrapped_by_the_terminal_alone() -> None:
    """A line end inside a paragraph of a docstring is none of the help's."""
    result = labeler("audit", "--help")
    assert "of it (the pool) and, with --truth" in " ".join(result.stdout.split())
    broken = [line for line in result.stdout.splitlines() if line.strip().endswith("(the pool)")]
    assert not broken
