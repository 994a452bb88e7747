"""A judge behind a server that misbehaves: what it says, what it does not, and when it dies."""

import asyncio
import json
from pathlib import Path

import pytest

from labeler.apps.run import Watcher, run
from labeler.config import load
from labeler.ingest import Ingested
from tests.processes import labeler, until
from tests.runs import doubles, label_rows, planted_config, rollout_rows
from tests.samplers.completion_server import Reply, serving

LOST = {"judge_incomplete", "not_judged"}
"""Why a judge that failed names nothing."""


def says(text: str, finish: str = "stop", **more: object) -> Reply:
    choice = {"text": text, "finish_reason": finish, **more}
    usage = {"prompt_tokens": 9, "completion_tokens": 4}
    return Reply(200, json.dumps({"choices": [choice], "usage": usage}))


def chooses(**logprobs: float) -> Reply:
    return says("Yes", "length", logprobs={"top_logprobs": [logprobs]})


def served(folder: Path, url: str, **judge: object) -> Path:
    """A planted run whose judge is a server."""
    settings = {"retries": 0, "backoff_s": 0.001, "concurrency": 4}
    judge["prompt"] = {"kind": "raw"}
    judge["completer"] = {"kind": "endpoint", "url": url, "model": "j", "engine": settings}
    return planted_config(folder, 4, judge=judge, seed=3)


async def test_a_judge_behind_a_server(tmp_path: Path) -> None:
    async with serving(script=[says(r"Wrong. \boxed{1}")] * 500) as server:
        summary = await asyncio.to_thread(run, load(served(tmp_path, server.url)))
    rows = [r for r in label_rows(tmp_path / "run") if r["first_error"] is not None]
    assert rows
    assert len(server.bodies) == len(rows)
    assert {row["judge_first_error"] for row in rows} == {1}
    assert all(row["keep"] == (row["first_error"] == 1) for row in rows)
    assert all("Step 1: " in body["prompt"] for body in server.bodies)
    assert not summary.given_up


async def test_a_judge_that_dies_is_asked_again(tmp_path: Path) -> None:
    """What it said before stays; the rest is missing, says so, and is asked for by the next run."""
    async with serving(script=[says(r"\boxed{1}")] * 2 + [Reply(500, "gone")] * 999) as server:
        first = await asyncio.to_thread(run, load(served(tmp_path, server.url, samples=2)))
    rows = [r for r in label_rows(tmp_path / "run") if r["first_error"] is not None]
    assert first.given_up
    assert all("gone" in why for why in first.given_up.values())
    assert {r["drop_reason"] for r in rows if not r["judge_first_error"]} <= LOST
    assert "not_judged" in {r["drop_reason"] for r in rows}
    async with serving(script=[says(r"\boxed{1}")] * 500) as server:
        again = await asyncio.to_thread(run, load(served(tmp_path, server.url, samples=2)))
    assert not again.given_up
    assert again.counters.rollouts == 2 * len(rows) - 2
    rows = [r for r in label_rows(tmp_path / "run") if r["first_error"] is not None]
    assert {row["judge_first_error"] for row in rows} == {1}


NONSENSE = [
    "",
    "Step 1.",
    "\\boxed{99}",
    "\\boxed{1",
    "\x00\ud800",
    "\\boxed{1} \\boxed{\\text{1}}",
]


@pytest.mark.parametrize("nonsense", [*NONSENSE, "\\boxed{" + " " * 10**5])
async def test_a_judge_that_talks_nonsense_names_nothing(tmp_path: Path, nonsense: str) -> None:
    async with serving(script=[says(nonsense)] * 500) as server:
        await asyncio.to_thread(run, load(served(tmp_path, server.url)))
    rows = [r for r in label_rows(tmp_path / "run") if r["first_error"] is not None]
    assert {row["drop_reason"] for row in rows} == {"judge_unparsed"}


UNTOLD = [None, {"content": []}]


@pytest.mark.parametrize("logprobs", UNTOLD)
async def test_a_server_that_tells_no_log_probabilities_is_no_judge(
    tmp_path: Path, logprobs: object
) -> None:
    """It says so, and nothing of it stays: another server is asked all of it."""
    async with serving(script=[says("Yes", "length", logprobs=logprobs)] * 999) as server:
        first = await asyncio.to_thread(run, load(served(tmp_path, server.url, kind="verify")))
    assert all("tells no log probabilities" in why for why in first.given_up.values())
    assert {r["drop_reason"] for r in label_rows(tmp_path / "run")} <= {None, *LOST}
    async with serving(script=[chooses(Yes=-2.0, No=-0.1)] * 500) as server:
        again = await asyncio.to_thread(run, load(served(tmp_path, server.url, kind="verify")))
    assert not again.given_up
    rows = [r for r in label_rows(tmp_path / "run") if r["first_error"] is not None]
    assert {row["judge_first_error"] for row in rows} == {1}


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ({"Yes": float("-inf"), "No": -0.1}, 1),
        ({"Yes": -0.1}, "judge_unparsed"),  # how unlikely No is was not told
        ({"Yes": float("nan"), "No": -0.1}, "judge_unparsed"),
        ({"Yes": 3.0, "No": -0.1}, "not_judged"),
    ],
)
async def test_log_probabilities_of_all_kinds(
    tmp_path: Path, told: dict[str, float], named: object
) -> None:
    async with serving(script=[chooses(**told)] * 999) as server:
        await asyncio.to_thread(run, load(served(tmp_path, server.url, kind="verify")))
    rows = [r for r in label_rows(tmp_path / "run") if r["first_error"] is not None]
    said = {r["drop_reason"] if r["judge_first_error"] is None else r["judge_first_error"]
            for r in rows}  # fmt: skip
    assert said == {named}


class Counting(Watcher):
    """Counts the units that a run finds to do."""

    todo = 0

    def start(self, ingested: Ingested, todo: int) -> None:
        self.todo = todo


async def test_another_address_of_the_judge_is_no_other_judge(tmp_path: Path) -> None:
    async with serving(script=[says(r"\boxed{1}")] * 500) as server:
        await asyncio.to_thread(run, load(served(tmp_path, server.url)))
    watcher = Counting()
    moved = load(served(tmp_path, "http://127.0.0.1:9/v1"))
    assert run(moved, watcher).counters.rollouts == 0
    assert watcher.todo == 0


def asked_on_disk(root: Path) -> int:
    """How many of the judge's questions, 9 tokens long, are in the log of a run at work."""
    rows = rollout_rows(root).values() if (root / "rollouts").exists() else []
    return sum(row["prompt_tokens"] == 9 for row in rows)


async def test_killed_while_it_judges(tmp_path: Path) -> None:
    """What was flushed is not asked again, and the labels are those of a run that nobody killed."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    judge = {"kind": "verify", "chains": 1, "yes": "Thus,"}
    async with serving(delay_s=0.02) as server:
        server.answer = lambda _, body: (  # type: ignore[method-assign]
            chooses(**{"Thus,": -len(body["prompt"]) % 7 - 7.0, "No": -3.5})
            if "logprobs" in body
            else says("hm")
        )
        config = load(served(whole, server.url, **judge))
        await asyncio.to_thread(run, config)
        asked = [json.dumps(body, sort_keys=True) for body in server.bodies]
        server.bodies.clear()
        path = served(killed, server.url, **judge)
        path.write_text(path.read_text() + "flush_seconds: 0.05\n")
        server.delay_s = 0.1
        with labeler("run", path) as command:
            await asyncio.to_thread(until, lambda: asked_on_disk(killed / "run"))
            for pid in command.pids():
                command.kill(pid)
            await asyncio.to_thread(command.wait)
        flushed = asked_on_disk(killed / "run")
        assert 0 < flushed < len(asked)
        server.bodies.clear()
        await asyncio.to_thread(run, load(path))
        assert len(server.bodies) == len(asked) - flushed
    assert label_rows(killed / "run") == label_rows(whole / "run")
    assert doubles(killed / "run") == 0
