"""recorded.py - replays a pool of rollouts.

Any policy can be replayed against one pool, on identical luck. The pool is a run's rollouts (or
one Parquet file of the same columns), or a file of verdicts, read whole when the source opens.
The fingerprint is the one in its rows, so a log that is filled from a pool cannot be told from
the log that was recorded, unless it is shuffled. An index that the pool lacks comes back as an
error, never as something made up.

A file of verdicts has no texts, and one row a problem: `answer`, `completer` and `prefixes`, a
list of {key, prompt_tokens, correct: list<bool>, n_tokens: list<int>}, those lists by index, null
where the rollout could not be graded (testbed/pool.py makes one). Its completions say what is
known and no more: the gold in a box where the rollout was correct, another number where it was
not, and a text that no grader can read where none could. So a grader gives back the recorded
verdict where golds are numbers. Solutions cannot be had from such a file.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from labeler.model import Completion, Finish, LabelerError, Prefix, SamplerError
from labeler.params import Params
from labeler.prompts import PromptConfig
from labeler.samplers.base import COMPLETER, GENERATOR, Luck, Sampling, Source, failed
from labeler.samplers.choices import Choices

_COLUMNS = (
    "prefix_key", "index", "completer", "seed", "text", "finish", "n_tokens", "prompt_tokens"
)  # fmt: skip
_VERDICT_COLUMNS = ("answer", "completer", "prefixes")


class RecordedConfig(Params):
    """Rollouts that were recorded before."""

    kind: Literal["recorded"] = "recorded"
    path: Path
    """A run directory (its rollouts/ is read), a directory of Parquet files, or one such file."""
    shuffle: bool = False
    """Draw each prefix's rollouts without replacement in an order of its own, seeded by the run's
    seed and the prefix: every policy meets the same luck, and another seed is another luck."""
    completer: str | None = None
    """Fingerprint of the completer to replay; needed where the pool holds several."""
    generator: str | None = None
    """Fingerprint to replay in the generator's role; without it that role is refused."""
    delay_ms: float = Field(default=0.0, ge=0)
    """Milliseconds that each call takes."""
    sampling: Sampling = Sampling()
    """What the pool was sampled with, for the record: a replay changes nothing."""

    def open(self, prompt: PromptConfig, seed: int) -> AbstractAsyncContextManager[Source]:
        """The pool as a source. `prompt` does not matter, and `seed` only where it is shuffled.

        Raises LabelerError where the path holds no rollouts.
        """
        return _open(self, seed)

    def has_texts(self) -> bool:
        """Whether the pool holds what was written, not verdicts alone.

        Raises LabelerError where the path holds no rollouts.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return not any(_is_of_verdicts(pq.read_schema(file)) for file in _files(self.path))
        except pa.ArrowException as e:
            raise LabelerError(f"{self.path} does not hold rollouts: {e}") from e

    def environment(self) -> dict[str, str]:
        """Nothing needs to stand before a process starts."""
        return {}


@asynccontextmanager
async def _open(config: RecordedConfig, seed: int) -> AsyncIterator[Source]:
    yield RecordedSource(config, await asyncio.to_thread(_load, config.path), seed)


def shuffled(seed: int, prefix_key: str, indices: Iterable[int]) -> list[int]:
    """The recorded indices of a prefix, in the order in which a shuffled pool gives them."""
    return sorted(indices, key=Luck(seed, COMPLETER, prefix_key).bits)


_Pool = dict[str, dict[int, Completion]]
"""Prefix key, then index."""
_Place = tuple[str, str, int]
"""(completer, prefix_key, index)."""


def _load(path: Path) -> dict[str, _Pool]:
    """The pools of a path, by completer. Of two rows with one place the first stays."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pools: dict[str, _Pool] = {}
    for file in _files(path):
        try:
            verdicts = _is_of_verdicts(pq.read_schema(file))
            table = pq.read_table(file, columns=list(_VERDICT_COLUMNS if verdicts else _COLUMNS))
            rows = _told(table) if verdicts else _written(table)
            for (completer, key, index), completion in rows:
                pools.setdefault(completer, {}).setdefault(key, {}).setdefault(index, completion)
        except (pa.ArrowException, KeyError) as e:
            raise LabelerError(f"{file} does not hold rollouts: {e}") from e
    if not pools:
        raise LabelerError(f"{path} holds no rollouts")
    return pools


def _is_of_verdicts(schema: Any) -> bool:  # noqa: ANN401 - a pyarrow schema
    return "prefixes" in schema.names


def _written(table: Any) -> Iterator[tuple[_Place, Completion]]:  # noqa: ANN401 - a pyarrow table
    """The rows of a table of rollouts."""
    finishes = {f.value: f for f in Finish}
    columns = [table.column(name).to_pylist() for name in _COLUMNS]
    for key, index, completer, seed, text, finish, n, prompt in zip(*columns, strict=True):
        yield (completer, key, index), Completion(text, finishes[finish], n, prompt, seed)


def _told(table: Any) -> Iterator[tuple[_Place, Completion]]:  # noqa: ANN401 - a pyarrow table
    """The rollouts of a table of verdicts."""
    for row in table.to_pylist():
        texts = {
            True: f"The answer is \\boxed{{{row['answer']}}}.",
            False: f"The answer is \\boxed{{{row['answer']}+1}}.",
            None: "The answer is \\boxed{1 2}.",
        }
        for prefix in row["prefixes"]:
            told = zip(prefix["correct"], prefix["n_tokens"], strict=True)
            for index, (correct, n) in enumerate(told):
                place = (row["completer"], prefix["key"], index)
                yield place, Completion(texts[correct], Finish.STOP, n, prefix["prompt_tokens"])


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

    def __init__(self, config: RecordedConfig, pools: Mapping[str, _Pool], seed: int) -> None:
        self._config = config
        self._pools = pools
        self._seed = seed if config.shuffle else None

    def sampler(
        self,
        sampling: Sampling | None = None,
        role: str = COMPLETER,
        choices: Choices = (),
        prompt: PromptConfig | None = None,
    ) -> "RecordedSampler":
        """Replays the role's completer, as it was recorded; sampling and choices do not matter.

        Raises SamplerError where the pool does not say which completer that is, or lacks it.
        """
        wanted = self._config.generator if role == GENERATOR else self._config.completer
        if role == GENERATOR and wanted is None:
            raise SamplerError(
                "a recorded pool gives no solutions unless `generator` names a fingerprint in it"
            )
        if role == GENERATOR and not self._config.has_texts():
            raise SamplerError(f"{self._config.path} holds verdicts and no texts: no solutions")
        if wanted is None and len(self._pools) == 1:
            (wanted,) = self._pools
        if wanted is None or wanted not in self._pools:
            names = ", ".join(sorted(self._pools))
            raise SamplerError(f"the pool holds rollouts of {names}; `{role}` must name one")
        return RecordedSampler(wanted, self._pools[wanted], self._config.delay_ms, self._seed)


class RecordedSampler:
    """Replays the rollouts of one completer, in an order that `seed` gives, or as recorded."""

    def __init__(self, completer: str, pool: _Pool, delay_ms: float, seed: int | None) -> None:
        self.completer = completer
        self._pool = pool
        self._delay_ms = delay_ms
        self._seed = seed

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> list[Completion]:
        """The recorded completion of each index, or an error where there is none."""
        if self._delay_ms:
            await asyncio.sleep(self._delay_ms / 1000)
        rows = self._pool.get(prefix.key, {})
        if self._seed is not None:
            order = shuffled(self._seed, prefix.key, rows)
            rows = {i: rows[at] for i, at in enumerate(order)}
        return [
            rows[i]
            if i in rows
            else failed(f"the recorded pool has no rollout {i} of prefix {prefix.key}")
            for i in indices
        ]
