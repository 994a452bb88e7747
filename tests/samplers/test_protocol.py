"""One protocol, one suite: what holds for every sampler, vLLM included.

A sampler joins by a case in `CASES`. Run without vLLM: pytest -m "not engine".
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import pytest_asyncio

from labeler.model import Completion, Finish, Prefix
from labeler.prompts import PromptConfig, Renderer, load_tokenizer
from labeler.samplers import (
    GENERATOR,
    EndpointConfig,
    PlantedConfig,
    RecordedConfig,
    Sampling,
    Source,
    VllmConfig,
)
from labeler.samplers.vllm_engine import VllmSettings
from tests.samplers.completion_server import serving
from tests.tiny_model import write_model, write_tokenizer

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUESTION = "Planted problem 17. Gold 423. Value 0.5."
PREFIXES = [
    Prefix(QUESTION, "", 0),
    Prefix(QUESTION, "Step 1. Value 0.5.\n", 1),
    Prefix(QUESTION, "Étape 1: 「∑ 😀」 Value 0.5.\n\n", 1),
    *(Prefix(QUESTION, f"Branch {i}. Value 0.5.\n", 1) for i in range(100)),
]
SAMPLING = Sampling(temperature=1.0, max_tokens=24)


@dataclass
class Case:
    source: Source
    prompt_tokens: Callable[[Prefix], int]
    samples: bool = True
    """Whether other sampling parameters change what comes back."""


def words(prefix: Prefix) -> int:
    return len((prefix.question + "\n" + prefix.text).split())


@asynccontextmanager
async def planted(folder: Path) -> AsyncIterator[Case]:
    async with PlantedConfig(sampling=SAMPLING).open(PromptConfig(), 1) as source:
        yield Case(source, words)


@asynccontextmanager
async def recorded(folder: Path) -> AsyncIterator[Case]:
    async with PlantedConfig(sampling=SAMPLING).open(PromptConfig(), 1) as source:
        await record(source, folder / "rollouts" / "a.parquet")
    async with RecordedConfig(path=folder).open(PromptConfig(), 2) as source:
        yield Case(source, words, samples=False)


@asynccontextmanager
async def endpoint_text(folder: Path) -> AsyncIterator[Case]:
    async with serving() as server:
        config = EndpointConfig(url=server.url, model="m", sampling=SAMPLING)
        async with config.open(PromptConfig(kind="raw"), 1) as source:
            yield Case(source, words)


@asynccontextmanager
async def endpoint_ids(folder: Path) -> AsyncIterator[Case]:
    tokenizer = write_tokenizer(folder)
    renderer = Renderer(load_tokenizer(tokenizer), PromptConfig())
    async with serving() as server:
        config = EndpointConfig(
            url=server.url, model="m", tokenizer=str(tokenizer), sampling=SAMPLING
        )
        async with config.open(PromptConfig(), 1) as source:
            yield Case(source, lambda p: len(renderer.ids(p)))


@asynccontextmanager
async def vllm_stepped(folder: Path) -> AsyncIterator[Case]:
    async with vllm(folder, "stepped") as case:
        yield case


@asynccontextmanager
async def vllm_async(folder: Path) -> AsyncIterator[Case]:
    async with vllm(folder, "async") as case:
        yield case


@asynccontextmanager
async def vllm(folder: Path, mode: str) -> AsyncIterator[Case]:
    model = write_model(folder)
    config = VllmConfig(
        model=str(model),
        dtype="float32",
        sampling=SAMPLING,
        engine=VllmSettings(mode=mode, max_num_seqs=64, kv_cache_memory_bytes=64 << 20),
    )
    renderer = Renderer(load_tokenizer(model), PromptConfig())
    async with config.open(PromptConfig(), 1) as source:
        yield Case(source, lambda p: len(renderer.ids(p)))


CASES = [
    planted,
    recorded,
    endpoint_text,
    endpoint_ids,
    pytest.param(vllm_stepped, marks=pytest.mark.engine),
    pytest.param(vllm_async, marks=pytest.mark.engine),
]


async def record(source: Source, file: Path) -> None:
    """Writes 32 rollouts of each prefix as a pool."""
    sampler = source.sampler()
    rows = [
        {
            "prefix_key": prefix.key,
            "problem_id": "p",
            "step": prefix.step,
            "index": i,
            "completer": sampler.completer,
            "seed": c.seed,
            "text": c.text,
            "finish": c.finish.value,
            "n_tokens": c.n_tokens,
            "prompt_tokens": c.prompt_tokens,
            "created_at": 0.0,
        }
        for prefix in PREFIXES
        for i, c in enumerate(await sampler.complete(prefix, range(32)))
    ]
    file.parent.mkdir()
    pq.write_table(pa.Table.from_pylist(rows), file)


@pytest_asyncio.fixture(
    scope="module", loop_scope="module", params=CASES, ids=lambda case: case.__name__
)
async def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Case]:
    async with request.param(tmp_path_factory.mktemp("case")) as case:
        yield case


async def test_one_completion_for_each_index_in_order(case: Case) -> None:
    sampler = case.source.sampler()
    asked = [7, 3, 0, 12]
    both = await sampler.complete(PREFIXES[1], asked)
    assert len(both) == 4
    each = [(await sampler.complete(PREFIXES[1], [i]))[0] for i in asked]
    assert [c.seed for c in both] == [c.seed for c in each]
    assert len({c.seed for c in both}) == 4
    assert await sampler.complete(PREFIXES[1], []) == []


async def test_the_same_index_gives_the_same_completion(case: Case) -> None:
    sampler = case.source.sampler()
    first = await sampler.complete(PREFIXES[0], range(8))
    again = await case.source.sampler().complete(PREFIXES[0], range(8))
    assert first == again


async def test_indices_prefixes_and_roles_have_luck_of_their_own(case: Case) -> None:
    sampler = case.source.sampler()
    here = await sampler.complete(PREFIXES[0], range(20))
    there = await sampler.complete(PREFIXES[1], range(20))
    assert len({c.text for c in here}) > 1
    assert [c.text for c in here] != [c.text for c in there]
    if case.samples:
        other = case.source.sampler(role=GENERATOR)
        assert other.completer != sampler.completer
        seeds = {c.seed for c in await other.complete(PREFIXES[0], range(20))}
        assert not seeds & {c.seed for c in here}


async def test_a_hundred_calls_at_once(case: Case) -> None:
    sampler = case.source.sampler()
    together = await asyncio.gather(*(sampler.complete(p, range(2)) for p in PREFIXES[3:]))
    assert [len(completions) for completions in together] == [2] * 100
    one = await sampler.complete(PREFIXES[50], range(2))
    assert [c.seed for c in together[47]] == [c.seed for c in one]


async def test_tokens_are_counted(case: Case) -> None:
    for prefix in PREFIXES[:3]:
        for c in await case.source.sampler().complete(prefix, range(8)):
            assert c.finish in (Finish.STOP, Finish.LENGTH)
            assert 0 < c.n_tokens <= SAMPLING.max_tokens
            assert c.prompt_tokens == case.prompt_tokens(prefix)


async def test_a_spent_budget_is_truncated(case: Case) -> None:
    if not case.samples:
        pytest.skip("a replay gives what was recorded")
    short = case.source.sampler(SAMPLING.model_copy(update={"max_tokens": 3}))
    assert short.completer != case.source.sampler().completer
    completions = await short.complete(PREFIXES[0], range(12))
    truncated = [c for c in completions if c.finish is Finish.LENGTH]
    assert truncated
    assert {c.n_tokens for c in truncated} == {3}


async def test_no_seed_is_sent_when_none_is_wanted(case: Case) -> None:
    if not case.samples:
        pytest.skip("a replay gives what was recorded")
    sampler = case.source.sampler(SAMPLING.model_copy(update={"seeded": False}))
    assert sampler.completer == case.source.sampler().completer
    completions = await sampler.complete(PREFIXES[0], range(3))
    assert [c.seed for c in completions] == [None] * 3
    assert all(c.finish is not Finish.ERROR for c in completions)


async def test_cancelling_one_call_leaves_the_others(case: Case) -> None:
    sampler = case.source.sampler()
    calls = [asyncio.ensure_future(sampler.complete(p, range(4))) for p in PREFIXES[3:23]]
    await asyncio.sleep(0)
    for call in calls[::2]:
        call.cancel()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(r, list) and len(r) == 4 for r in results[1::2])
    fresh: list[Completion] = list(await sampler.complete(PREFIXES[3], range(4)))
    assert all(c.finish is not Finish.ERROR for c in fresh)
