"""What is particular to vLLM: the context's edge, a dying engine, fingerprints, the environment."""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from labeler.model import Finish, LabelerError, Prefix
from labeler.prompts import PromptConfig, Renderer, load_tokenizer
from labeler.samplers import EngineDiedError, Sampling, Source, VllmConfig
from labeler.samplers.model_files import files_digest
from labeler.samplers.vllm_engine import VllmSettings, engine_arguments, environment
from tests.tiny_model import CONTEXT, write_model, write_tokenizer

module_loop = pytest.mark.asyncio(loop_scope="module")
SMALL = VllmSettings(mode="stepped", max_num_seqs=32, kv_cache_memory_bytes=64 << 20)
SAMPLING = Sampling(temperature=1.0, max_tokens=24)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def source(model: Path) -> AsyncIterator[Source]:
    config = VllmConfig(model=str(model), dtype="float32", sampling=SAMPLING, engine=SMALL)
    async with config.open(PromptConfig(kind="raw", raw="{question}"), 1) as source:
        yield source


@pytest.mark.engine
@module_loop
async def test_the_budget_is_cut_to_the_room_that_is_left(source: Source) -> None:
    sampler = source.sampler()
    for prompt_tokens, most in [(CONTEXT - 5, 5), (CONTEXT, 0), (CONTEXT + 99, 0)]:
        prefix = Prefix("a" * (prompt_tokens - 1), "", 0)  # and the BOS
        for c in await sampler.complete(prefix, range(8)):
            assert c.prompt_tokens == prompt_tokens
            assert c.n_tokens <= most
            assert c.finish is (Finish.LENGTH if c.n_tokens == most else Finish.STOP)


@pytest.mark.engine
@module_loop
async def test_choices_have_the_models_own_log_probabilities(source: Source, model: Path) -> None:
    """In float32: as transformers has them, whatever the temperature, and the same each time."""
    import torch
    from transformers import AutoModelForCausalLM

    renderer = Renderer(load_tokenizer(model), PromptConfig(kind="raw", raw="{question}"))
    prefixes = [Prefix(f"{i} steps. Is every step right? ", "So it is: ", 0) for i in range(8)]
    reference = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    for temperature in (1.0, 0.3):
        sampling = Sampling(temperature=temperature, max_tokens=24)
        sampler = source.sampler(sampling, "judge", ("Y", "N"))
        for prefix in prefixes:
            [told] = await sampler.complete(prefix, [0])
            ids = renderer.ids(prefix)
            with torch.no_grad():
                logits = reference(torch.tensor([ids])).logits[0, -1]
            logprobs = torch.log_softmax(logits, 0)
            y, n = (float(logprobs[renderer.tokenizer.encode(c)[-1]]) for c in "YN")
            assert json.loads(told.text) == pytest.approx({"Y": y, "N": n}, abs=2e-3)
            assert (told.finish, told.n_tokens, told.prompt_tokens) == (Finish.STOP, 1, len(ids))
    assert source.sampler(sampling, "judge").completer != sampler.completer
    with pytest.raises(LabelerError, match="no token of its own"):
        source.sampler(sampling, "judge", ("Yes", "No"))


@pytest.mark.engine
@module_loop
async def test_a_completion_ends_at_a_stop_text_and_at_the_end_of_turn(source: Source) -> None:
    prefix = Prefix("Go on: ", "", 0)
    free = await source.sampler().complete(prefix, range(32))
    assert any(c.finish is Finish.STOP and "<|end|>" not in c.text for c in free)
    stop = next(c.text[4] for c in free if len(c.text) > 6)
    stopping = source.sampler(SAMPLING.model_copy(update={"stop": (stop,)}))
    assert stopping.completer != source.sampler().completer
    stopped = await stopping.complete(prefix, range(32))
    assert all(stop not in c.text for c in stopped)
    assert any(stop in c.text for c in free)


@pytest.mark.engine
@module_loop
async def test_greedy_completions_are_all_the_same(source: Source) -> None:
    greedy = source.sampler(Sampling(temperature=0.0, max_tokens=16))
    completions = await greedy.complete(Prefix("Go on: ", "", 0), range(6))
    assert len({c.text for c in completions}) == 1


@pytest.mark.engine
@module_loop
async def test_a_cancelled_call_frees_the_engine_for_others(source: Source) -> None:
    sampler = source.sampler(Sampling(temperature=1.0, max_tokens=400))
    calls = [
        asyncio.ensure_future(sampler.complete(Prefix(f"q{i}", "", 0), range(8))) for i in range(20)
    ]
    await asyncio.sleep(0.05)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    [one] = await sampler.complete(Prefix("after", "", 0), [0])
    assert one.finish is not Finish.ERROR


@pytest.mark.engine
async def test_an_engine_that_dies_tells_all_who_wait_and_come_later(model: Path) -> None:
    """By the real trap: on a CPU a seeded request whose prompt is split kills the engine."""
    settings = SMALL.model_copy(
        update={"enable_chunked_prefill": True, "max_num_batched_tokens": 64}
    )
    config = VllmConfig(model=str(model), dtype="float32", sampling=SAMPLING, engine=settings)
    async with config.open(PromptConfig(kind="raw"), 1) as source:
        sampler = source.sampler()
        calls = [sampler.complete(Prefix("a" * n, "", 0), range(4)) for n in (10, 300, 20)]
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert any(isinstance(r, EngineDiedError) for r in results)
        with pytest.raises(EngineDiedError, match="the vLLM engine died"):
            await sampler.complete(Prefix("later", "", 0), [0])
    with pytest.raises(EngineDiedError):
        await sampler.complete(Prefix("closed", "", 0), [0])


@pytest.mark.engine
async def test_a_model_that_cannot_be_loaded_is_a_clear_error(model: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(model, broken)
    (broken / "model.safetensors").write_bytes(b"torn")
    config = VllmConfig(model=str(broken), engine=SMALL)
    with pytest.raises(LabelerError, match="vLLM cannot start"):
        async with config.open(PromptConfig(), 1):
            pass


async def test_a_model_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    for missing in (str(tmp_path / "none"), "./none"):
        with pytest.raises(LabelerError, match="no model directory"):
            async with VllmConfig(model=missing).open(PromptConfig(), 1):
                pass


def test_the_fingerprint_follows_the_files(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"\0" * (70 << 20))
    whole, tokenizer = files_digest(tmp_path), files_digest(tmp_path, weights=False)
    (tmp_path / "README.md").write_text("not part of it")
    os.utime(weights)
    assert files_digest(tmp_path) == whole
    with weights.open("r+b") as f:
        f.seek(-5, 2)
        f.write(b"!")
    assert files_digest(tmp_path) != whole
    assert files_digest(tmp_path, weights=False) == tokenizer
    (tmp_path / "chat_template.jinja").write_text("another")
    assert files_digest(tmp_path, weights=False) != tokenizer


def test_a_cpu_gets_the_settings_that_it_needs_and_a_choice_wins() -> None:
    config = VllmConfig(model="m", max_model_len=256)
    here = engine_arguments(config, Path("m"), Path("m"), cuda=False)
    assert here["block_size"] == 32
    assert here["kv_cache_memory_bytes"] == 512 << 20
    assert (here["enable_chunked_prefill"], here["enforce_eager"]) == (False, True)
    there = engine_arguments(config, Path("m"), Path("m"), cuda=True)
    assert not {"block_size", "kv_cache_memory_bytes", "enforce_eager"} & set(there)
    chosen = VllmSettings(block_size=64, enforce_eager=False, extra={"max_logprobs": 1})
    config = config.model_copy(update={"engine": chosen})
    mine = engine_arguments(config, Path("m"), Path("m"), cuda=False)
    assert (mine["block_size"], mine["enforce_eager"], mine["max_logprobs"]) == (64, False, 1)
    assert mine["max_model_len"] == 256


def test_the_environment_of_an_engine(tmp_path: Path) -> None:
    env = environment(VllmConfig(model=str(tmp_path), engine=VllmSettings(threads=3)))
    assert env["OMP_NUM_THREADS"] == "3"
    assert env["VLLM_ENABLE_V1_MULTIPROCESSING"] == "0"
    assert env["HF_HUB_OFFLINE"] == "1"
    assert ("libiomp5" in env.get("LD_PRELOAD", "")) != ("OMP_WAIT_POLICY" in env)
    remote = environment(VllmConfig(model="some/model", engine=VllmSettings(mode="async")))
    assert not {"HF_HUB_OFFLINE", "VLLM_ENABLE_V1_MULTIPROCESSING"} & set(remote)
