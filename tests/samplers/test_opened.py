"""A run's completers on as few engines as can be, and two engines in one process."""

import asyncio
import shutil
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from labeler.model import Finish, LabelerError, Prefix
from labeler.prompts import PromptConfig
from labeler.samplers import GENERATOR, Opened, PlantedConfig, Sampling, VllmConfig
from labeler.samplers.vllm_engine import VllmSettings
from tests.tiny_model import write_model

RAW = PromptConfig(kind="raw", raw="{question}")
SMALL = VllmSettings(mode="stepped", max_num_seqs=32, kv_cache_memory_bytes=64 << 20)


async def test_completers_are_told_apart_by_model_sampling_and_role() -> None:
    own = PlantedConfig()
    async with AsyncExitStack() as stack:
        opened = Opened(own, RAW, 0, stack)
        first = await opened.sampler()
        again = await opened.sampler(PlantedConfig())
        hot = await opened.sampler(sampling=Sampling(temperature=1.0))
        weak = await opened.sampler(PlantedConfig(truncated=0.5))
        writer = await opened.sampler(role=GENERATOR)
    assert again.completer == first.completer
    assert len({s.completer for s in (first, hot, weak, writer)}) == 4


@pytest.mark.engine
async def test_two_engines_of_one_process_work_at_once(tmp_path: Path) -> None:
    """Without turns two engines that step at once abort the process."""
    model = str(write_model(tmp_path / "model"))
    own = VllmConfig(
        model=model,
        dtype="float32",
        sampling=Sampling(temperature=1.0, max_tokens=24),
        engine=SMALL,
    )
    other = own.model_copy(update={"dtype": "bfloat16"})
    torn = tmp_path / "torn"
    shutil.copytree(model, torn)
    (torn / "model.safetensors").write_bytes(b"torn")
    prefixes = [Prefix(f"Go on, {i}: ", "", 0) for i in range(8)]
    async with AsyncExitStack() as stack:
        opened = Opened(own, RAW, 0, stack)
        first = await opened.sampler()
        hot = await opened.sampler(sampling=Sampling(temperature=1.5, max_tokens=24))
        with pytest.raises(
            LabelerError, match=r"cannot start.* 1 engines .*gpu_memory_utilization"
        ):
            await opened.sampler(own.model_copy(update={"model": str(torn)}))
        longer = await opened.sampler(prompt=PromptConfig(kind="raw", raw="Q: {question}"))
        second = await opened.sampler(other)
        samplers = (first, hot, second)
        assert len({s.completer for s in samplers}) == 3
        found = await asyncio.gather(*(s.complete(p, range(8)) for s in samplers for p in prefixes))
        [plain] = await first.complete(prefixes[0], [0])
        [asked] = await longer.complete(prefixes[0], [0])
    assert asked.prompt_tokens == plain.prompt_tokens + len("Q: ")  # on the first engine
    assert len(found) == 24
    for completions in found:
        assert all(c.finish is not Finish.ERROR and c.n_tokens for c in completions)
