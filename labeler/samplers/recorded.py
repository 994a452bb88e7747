"""recorded.py - replays a pool of rollouts.

Any policy can be replayed against one pool, on identical luck. The pool is a run's rollouts (or
one Parquet file of the same columns), read whole when the source opens; the fingerprint is the
one in its rows, so a log that is filled from a pool cannot be told from the log that was
recorded. An index that the pool lacks comes back as an error, never as something made up.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field

from labeler.model import Completion, Finish, LabelerError, Prefix, SamplerError
from labeler.params import Params
from labeler.prompts import PromptConfig
from labeler.samplers.base import COMPLETER, GENERATOR, Sampling, Source, failed

_COLUMNS = (
    "prefix_key", "index", "completer", "seed", "text", "finish", "n_tokens", "prompt_tokens"
)  # fmt: skip


class RecordedConfig(Params):
    """Rollouts that were recorded before."""

    kind: Literal["recorded"] = "recorded"
    path: Path
    """A run directory (its rollouts/ is read), a directory of Parquet files, or one such file."""
    completer: str | None = None
    """Fingerprint of the completer to replay; needed where the pool holds several."""
    generator: str | None = None
    """Fingerprint to replay in the generator's role; without it that role is refused."""
    delay_ms: float = Field(default=0.0, ge=0)
    """Milliseconds that each call takes."""
    sampling: Sampling = Sampling()
    """What the pool was sampled with, for the record: a replay changes nothing."""

    def open(self, prompt: PromptConfig, seed: int) -> AbstractAsyncContextManager[Source]:
        """The pool as a source. `prompt` and `seed` do not matter: the rows say both.

        Raises LabelerError where the path holds no rollouts.
        """
        return _open(self)

    def environment(self) -> dict[str, str]:
        """Nothing needs to stand before a process starts."""
        return {}


@asynccontextmanager
async def _open(config: RecordedConfig) -> AsyncIterator[Source]:
    yield RecordedSource(config, await asyncio.to_thread(_load, config.path))


_Pool = dict[str, dict[int, Completion]]
"""Prefix key, then index."""


def _load(path: Path) -> dict[str, _Pool]:
    """The pools of a path, by completer. Of two rows with one place the first stays."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    finishes = {f.value: f for f in Finish}
    pools: dict[str, _Pool] = {}
    for file in _files(path):
        try:
            table = pq.read_table(file, columns=list(_COLUMNS))
            columns = [table.column(name).to_pylist() for name in _COLUMNS]
            for key, index, completer, seed, text, finish, n, prompt in zip(*columns, strict=True):
                rows = pools.setdefault(completer, {}).setdefault(key, {})
                if index not in rows:
                    rows[index] = Completion(text, finishes[finish], n, prompt, seed)
        except (pa.ArrowException, KeyError) as e:
            raise LabelerError(f"{file} does not hold rollouts: {e}") from e
    if not pools:
        raise LabelerError(f"{path} holds no rollouts")
    return pools


def _files(path: Path) -> list[Path]:
    """The Parquet files of a pool, in a fixed order."""
    if path.is_file():
        return [path]
    folder = path / "rollouts" if (path / "rollouts").is_dir() else path
    files = sorted(folder.rglob("*.parquet"))
    if not files:
        raise LabelerError(f"{path} is neither a run directory nor a Parquet file of rollouts")
    return files


class RecordedSource:
    """Gives samplers that replay the pool."""

    def __init__(self, config: RecordedConfig, pools: Mapping[str, _Pool]) -> None:
        self._config = config
        self._pools = pools

    def sampler(self, sampling: Sampling | None = None, role: str = COMPLETER) -> "RecordedSampler":
        """Replays the role's completer, as it was recorded; `sampling` does not matter.

        Raises SamplerError where the pool does not say which completer that is, or lacks it.
        """
        wanted = self._config.generator if role == GENERATOR else self._config.completer
        if role == GENERATOR and wanted is None:
            raise SamplerError(
                "a recorded pool gives no solutions unless `generator` names a fingerprint in it"
            )
        if wanted is None and len(self._pools) == 1:
            (wanted,) = self._pools
        if wanted is None or wanted not in self._pools:
            names = ", ".join(sorted(self._pools))
            raise SamplerError(f"the pool holds rollouts of {names}; `{role}` must name one")
        return RecordedSampler(wanted, self._pools[wanted], self._config.delay_ms)


class RecordedSampler:
    """Replays the rollouts of one completer."""

    def __init__(self, completer: str, pool: _Pool, delay_ms: float) -> None:
        self.completer = completer
        self._pool = pool
        self._delay_ms = delay_ms

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> list[Completion]:
        """The recorded completion of each index, or an error where there is none."""
        if self._delay_ms:
            await asyncio.sleep(self._delay_ms / 1000)
        rows = self._pool.get(prefix.key, {})
        return [
            rows[i]
            if i in rows
            else failed(f"the recorded pool has no rollout {i} of prefix {prefix.key}")
            for i in indices
        ]
