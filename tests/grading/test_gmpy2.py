r"""Grading where gmpy2 does sympy's arithmetic: there no signal interrupts it and it can abort.

gmpy2 changes sympy's ground types wherever it is importable, so it is no part of the usual
environment: `make test` puts it into a folder of its own, and these tests give that folder to
fresh processes alone.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("LABELER_GMPY2", Path(sys.prefix) / "gmpy2"))
pytestmark = [
    pytest.mark.skipif(not (FOLDER / "gmpy2").is_dir(), reason="no folder with gmpy2"),
    pytest.mark.timeout(500),
]  # fmt: skip

BOMBS = [
    "2^{16^{16}}", "2**16**16", "9^{9^{9^9}}", "9^9^9^9", "10^{10^{10}}", "2^{2^{2^{2^{2^{2}}}}}",
    "1.3^{6472416997}", "(1+10^{-9})^{10^{18}}", "100000000!", "(9!)!", "((3!)!)!", "10^{8}!",
    "\\frac{100000000!}{99999999!}", "\\binom{10^6}{5 \\cdot 10^5}",
    "\\binom{1000000000}{500000000}", "\\sum_{k=1}^{100000000} \\frac{1}{k^2+1}",
    "\\prod_{k=1}^{1000000} (k^2+1)", "3^{1000001} \\bmod 10", "\\sin(10^{10^{10}})",
    "10^{10^{10}}+1", "(x+y+z+w)^{200}-(w+z+y+x)^{200}", "(a+b+c+d)^{30}",
    "\\sqrt{2}^{\\sqrt{3}^{40^{40}}}", "e^{e^{e^{e^{e}}}}", "\\log_{2}(2^{2^{64}})",
    "\\int_0^1 x^{x^{x}} dx", "\\gcd(10^{10^{9}}, 6)", "0.5^{-10^{12}}", "(-8)^{10^{11}/3}",
]  # fmt: skip
GOLDS = ["1", "\\sqrt{2}", "x+1"]

SCRIPT = r"""
import asyncio, json, sys
from pathlib import Path
from labeler.grading import AnswerGrader, GradingConfig
from labeler.model import Finish

async def main(bombs, golds):
    said = {}
    async with AnswerGrader(GradingConfig(timeout_s=2.0)) as grader:
        async def grade(gold, answer):
            (verdict,) = await grader.grade(gold, [(rf"\boxed{{{answer}}}", Finish.STOP)])
            return verdict.outcome, verdict.reason

        probes = iter(range(10**6))
        async def still_works():
            n = 2 * next(probes) + 3
            return (await grade(rf"{n}+\sqrt{{8}}", rf"2\sqrt{{2}}+{n}"))[0] == "correct" and (
                await grade(rf"{n}+\sqrt{{8}}", rf"3\sqrt{{2}}+{n}"))[0] == "incorrect"

        assert await still_works()
        loaded = [Path(f"/proc/{pid}/maps").read_text() for pid in grader.pids]
        assert loaded and all("gmpy2" in maps for maps in loaded), "gmpy2 is not in the workers"
        for bomb in bombs:
            for gold, answer in [*((gold, bomb) for gold in golds), (bomb, "1"), (bomb, bomb)]:
                said[f"{gold} | {answer}"] = await grade(gold, answer)
            assert await still_works(), bomb
    assert "gmpy2" not in sys.modules
    return said

print(json.dumps(asyncio.run(main(*json.loads(sys.argv[1])))))
"""


def with_gmpy2(script: str, *args: str) -> str:
    """What a script prints in a process whose path holds gmpy2."""
    done = subprocess.run(
        [sys.executable, "-c", script, *args], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(FOLDER), str(Path.cwd())])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_sympy_counts_with_gmpy2_there_and_only_there() -> None:
    told = "from sympy.external.gmpy import GROUND_TYPES; print(GROUND_TYPES)"
    assert with_gmpy2(told).strip() == "gmpy"
    here = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert here.stdout.strip() == "python"


def test_every_bomb_gets_its_verdict_and_the_next_answer_is_graded() -> None:
    said: dict[str, tuple[str, str]] = json.loads(with_gmpy2(SCRIPT, json.dumps([BOMBS, GOLDS])))
    assert len(said) == 5 * len(BOMBS)
    wrongly_right = [
        pair for pair, (outcome, _) in said.items()
        if outcome == "correct" and len(set(pair.split(" | "))) == 2
    ]  # fmt: skip
    assert wrongly_right == []
    died = [pair for pair, (_, reason) in said.items() if reason == "grader_died"]
    assert len(died) <= 1, died
