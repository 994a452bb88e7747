"""vllm_engine.py - a completer that vLLM runs inside this process (or beside it).

Prefixes are rendered here and sent as token ids; each index is one request with its own seed.
A prefix that leaves no room in the model's context comes back truncated, with no text. What
must be set before torch is imported is told by `environment`, and set by whoever starts the
process; the rest is set when the source opens.
"""

import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from labeler.model import Completion, Finish, Prefix
from labeler.params import Params
from labeler.prompts import PromptConfig, Renderer, UnrenderableError, load_tokenizer
from labeler.samplers.base import COMPLETER, Luck, Sampling, Source, failed, fingerprint
from labeler.samplers.choices import Choices, chosen, ids_of
from labeler.samplers.engines import AsyncEngine, Engine, Job
from labeler.samplers.model_files import files_digest, model_directory
from labeler.samplers.stepped import SteppedEngine

if TYPE_CHECKING:
    from vllm.v1.engine.async_llm import AsyncLLM
    from vllm.v1.engine.llm_engine import LLMEngine


class VllmSettings(Params):
    """How vLLM runs: speed and memory, nothing that changes what is sampled."""

    mode: Literal["auto", "stepped", "async"] = "auto"
    """stepped: in this process, by one thread. async: AsyncLLM. auto: async where CUDA is."""
    max_num_seqs: PositiveInt = 256
    """Completions in flight. On a CPU 256 gives 1.7 times the tokens/s of 16."""
    max_num_batched_tokens: PositiveInt | None = None
    """Tokens of one step; None leaves it to vLLM."""
    kv_cache_memory_bytes: PositiveInt | None = None
    """Memory of the KV cache; None: 512 MiB on a CPU, on a GPU by gpu_memory_utilization."""
    gpu_memory_utilization: float = Field(default=0.9, gt=0, le=1)
    """Share of a GPU's memory that vLLM takes."""
    tensor_parallel_size: PositiveInt = 1
    """GPUs (or CPU workers) that one engine spreads over."""
    block_size: PositiveInt | None = None
    """Tokens of a KV block; None: 32 on a CPU (128, vLLM's default there, caches few prefixes)."""
    enable_prefix_caching: bool = True
    """Keep the KV blocks of shared prefixes."""
    enable_chunked_prefill: bool | None = None
    """None: off on a CPU, where a seeded request with a split prompt kills the engine."""
    enforce_eager: bool | None = None
    """None: on a CPU (compiling takes a minute there for a few per cent)."""
    threads: NonNegativeInt = 0
    """OpenMP threads of the CPU engine; 0 takes all cores that the process may use."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further arguments of vLLM's EngineArgs, by name. None that change what is sampled."""


class VllmConfig(Params):
    """A model that vLLM runs in the process that labels."""

    kind: Literal["vllm"] = "vllm"
    model: str
    """A directory in Hugging Face format, or a name on a hub."""
    revision: str | None = None
    """Revision on the hub."""
    tokenizer: str | None = None
    """Where the tokenizer is, if not with the model."""
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = "auto"
    """auto: the model's own. float32 repeats itself on a CPU, at 0.6 of the speed of bfloat16."""
    quantization: str | None = None
    """vLLM's name of a quantization; None: what the model's own configuration says."""
    max_model_len: PositiveInt | None = None
    """Room for prompt and completion; None: the model's own."""
    trust_remote_code: bool = False
    """Let vLLM run code that comes with the model."""
    sampling: Sampling = Sampling()
    engine: VllmSettings = VllmSettings()

    def open(self, prompt: PromptConfig, seed: int) -> AbstractAsyncContextManager[Source]:
        """Loads the model; it is freed at the end. Raises LabelerError where that fails."""
        return _open(self, prompt, seed)

    def environment(self) -> dict[str, str]:
        """See `environment`."""
        return environment(self)


def environment(config: VllmConfig) -> dict[str, str]:
    """Variables that must stand before torch is imported, for a process that will open it."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    env = {
        "OMP_NUM_THREADS": str(config.engine.threads or cores or 1),
        "TOKENIZERS_PARALLELISM": "false",
        "VLLM_LOGGING_LEVEL": os.environ.get("VLLM_LOGGING_LEVEL", "ERROR"),
        "VLLM_NO_USAGE_STATS": "1",
    }
    if config.engine.mode != "async":
        env["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    if Path(config.model).expanduser().is_dir():
        env["HF_HUB_OFFLINE"] = "1"
    openmp = Path(sys.prefix) / "lib" / "libiomp5.so"
    if openmp.exists():
        env["LD_PRELOAD"] = ":".join(filter(None, [str(openmp), os.environ.get("LD_PRELOAD")]))
    else:
        env["OMP_WAIT_POLICY"] = "passive"
    return env


@asynccontextmanager
async def _open(config: VllmConfig, prompt: PromptConfig, seed: int) -> AsyncIterator[Source]:
    directory = model_directory(config.model, config.revision)
    tokenizer = directory if config.tokenizer is None else model_directory(config.tokenizer)
    parts = {
        "kind": "vllm",
        "weights": files_digest(directory),
        "tokenizer": files_digest(tokenizer, weights=False),
        "dtype": config.dtype,
        "quantization": config.quantization or "",
        "max_model_len": str(config.max_model_len or ""),
    }
    renderer = Renderer(load_tokenizer(tokenizer), prompt)
    engine = await _start(config, directory, tokenizer)
    try:
        yield VllmSource(engine, renderer, parts, (config.sampling, seed))
    finally:
        await engine.close()


async def _start(config: VllmConfig, model: Path, tokenizer: Path) -> Engine:
    import torch

    cuda = torch.cuda.is_available()
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    arguments = engine_arguments(config, model, tokenizer, cuda=cuda)
    stepped = config.engine.mode == "stepped" or (config.engine.mode == "auto" and not cuda)
    if stepped:
        return await SteppedEngine(lambda: _stepped(arguments)).start()
    return await AsyncEngine(lambda: _async(arguments)).start()


def engine_arguments(
    config: VllmConfig, model: Path, tokenizer: Path, *, cuda: bool
) -> dict[str, Any]:
    """What vLLM's EngineArgs are made of: the settings, and the defaults that a CPU needs."""
    s = config.engine
    cpu = {
        "kv_cache_memory_bytes": 512 << 20,
        "block_size": 32,
        "enable_chunked_prefill": False,
        "enforce_eager": True,
    }
    chosen = {
        "max_num_batched_tokens": s.max_num_batched_tokens,
        "kv_cache_memory_bytes": s.kv_cache_memory_bytes,
        "block_size": s.block_size,
        "enable_chunked_prefill": s.enable_chunked_prefill,
        "enforce_eager": s.enforce_eager,
        "max_model_len": config.max_model_len,
        "quantization": config.quantization,
    }
    return {
        "model": str(model),
        "tokenizer": str(tokenizer),
        "dtype": config.dtype,
        "trust_remote_code": config.trust_remote_code,
        "max_num_seqs": s.max_num_seqs,
        "gpu_memory_utilization": s.gpu_memory_utilization,
        "tensor_parallel_size": s.tensor_parallel_size,
        "enable_prefix_caching": s.enable_prefix_caching,
        "disable_log_stats": True,
        **({} if cuda else cpu),
        **{name: value for name, value in chosen.items() if value is not None},
        **s.extra,
    }


def _stepped(arguments: dict[str, Any]) -> "LLMEngine":
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"  # vLLM reads it when an engine is made
    from vllm import EngineArgs
    from vllm.v1.engine.llm_engine import LLMEngine

    return LLMEngine.from_engine_args(EngineArgs(**arguments))


def _async(arguments: dict[str, Any]) -> "AsyncLLM":
    from vllm import AsyncEngineArgs
    from vllm.v1.engine.async_llm import AsyncLLM

    return AsyncLLM.from_engine_args(AsyncEngineArgs(**arguments))


class VllmSource:
    """Samplers on one engine."""

    def __init__(
        self,
        engine: Engine,
        renderer: Renderer,
        parts: dict[str, str],
        luck: tuple[Sampling, int],
    ) -> None:
        self._engine = engine
        self._renderer = renderer
        self._parts = parts
        self._sampling, self._seed = luck

    def sampler(
        self,
        sampling: Sampling | None = None,
        role: str = COMPLETER,
        choices: Choices = (),
        prompt: PromptConfig | None = None,
    ) -> "VllmSampler":
        """A sampler on this engine. Raises LabelerError for choices that are no tokens."""
        sampling = sampling or self._sampling
        name = fingerprint(sampling, role, self._parts, choices)
        tokenizer = self._renderer.tokenizer
        ids = ids_of(tokenizer, choices)
        renderer = Renderer(tokenizer, prompt) if prompt else self._renderer
        luck = (self._seed, role)
        return VllmSampler(name, (self._engine, renderer), sampling, luck, ids)


class VllmSampler:
    """Completes prefixes on a shared engine."""

    def __init__(
        self,
        completer: str,
        via: tuple[Engine, Renderer],
        sampling: Sampling,
        luck: tuple[int, str],
        choices: Mapping[str, int],
    ) -> None:
        self.completer = completer
        self._engine, self._renderer = via
        self._sampling = sampling
        self._luck = luck
        self._choices = choices

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> list[Completion]:
        """One completion for each index. Raises EngineDiedError when the engine is gone."""
        try:
            ids = self._renderer.ids(prefix)
        except UnrenderableError as e:
            return [failed(str(e)) for _ in indices]
        luck = Luck(*self._luck, prefix.key)
        seeds = [luck.seed(i) if self._sampling.seeded else None for i in indices]
        room = min(self._sampling.max_tokens, self._engine.max_model_len - len(ids))
        if room < 1:
            return [Completion("", Finish.LENGTH, 0, len(ids), seed) for seed in seeds]
        if not self._choices:
            return await self._engine.generate([Job(ids, self._sampling, room, s) for s in seeds])
        wanted = tuple(self._choices.values())
        told = await self._engine.generate([Job(ids, self._sampling, 1, s, wanted) for s in seeds])
        return [chosen(completion, self._choices) for completion in told]
