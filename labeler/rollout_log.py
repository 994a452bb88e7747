"""rollout_log.py - the rollouts and verdicts of one unit: the only source of truth.

1. Append-only: a row that is in the log stays as it is. (completer, prefix_key, index) is
   unique; of doubles that a crash or a second writer left, the first part by name counts.
2. A row is safe once `flush` has renamed its part. Rollouts are flushed before their verdicts,
   so a verdict never lacks its rollout; a rollout without verdict is graded again.
3. What an ask still lacks, and the reply to it, are functions of the rows alone.

It knows neither samplers nor graders, and never looks at a text.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import pyarrow as pa

from labeler.files import (
    ROLLOUTS,
    VERDICTS,
    RunDir,
    parts,
    read_rows,
    read_table,
    write_table,
)
from labeler.model import Ask, Finish, Graded, Outcome, Reason, Reply, Rollout, Verdict

SOLUTION = "solution"
"""The `completer` of the verdict on a solution's own answer."""

Key = tuple[str, str]
"""(completer, prefix_key)."""


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A verdict with its place: whose rollout, against which gold."""

    prefix_key: str
    completer: str
    index: int
    gold_key: str
    verdict: Verdict


class RolloutLog:
    """The log of one unit, in memory and on disk. One writer at a time (see runners)."""

    def __init__(self, run: RunDir, unit: str, grader: str, config_hash: str) -> None:
        self.unit = unit
        self._config_hash = config_hash
        self._tables = (run.rollouts, run.verdicts(grader))
        self._rollouts: dict[Key, dict[int, Rollout]] = defaultdict(dict)
        self._verdicts: dict[tuple[Key, str], dict[int, Verdict]] = defaultdict(dict)
        self._new_rollouts: list[Rollout] = []
        self._new_verdicts: list[VerdictRow] = []
        self._flushing = asyncio.Lock()
        self._attempt = 1 + max(
            (_attempt(p) for d in self._tables for p in parts(d, unit)), default=0
        )
        self._sequence = 0
        self._read()

    def _read(self) -> None:
        for row in read_rows(parts(self._tables[0], self.unit)):
            rollout = Rollout(**{**row, "finish": Finish(row["finish"])})
            self._rollouts[rollout.completer, rollout.prefix_key].setdefault(rollout.index, rollout)
        for row in read_rows(parts(self._tables[1], self.unit)):
            place = row["completer"], row["prefix_key"]
            # A verdict whose rollout is gone (a damaged part) must not meet another rollout.
            if row["completer"] == SOLUTION or row["index"] in self._rollouts.get(place, ()):
                held = self._verdicts[place, row["gold_key"]]
                held.setdefault(row["index"], _verdict(row))

    # -- reading ---------------------------------------------------------------------------

    def wanted(self, completer: str, ask: Ask, gold_key: str) -> range:
        """The indices that answer an ask: n of them, and one more for each ungradable among these.

        Ungradable rollouts are topped up once, so at most 2n.
        """
        verdicts = self._verdicts[(completer, ask.prefix.key), gold_key]
        first = (verdicts[i].outcome for i in range(ask.n) if i in verdicts)
        return range(ask.n + sum(outcome is Outcome.UNGRADABLE for outcome in first))

    def missing(self, completer: str, ask: Ask, gold_key: str) -> list[int]:
        """Wanted indices that no rollout has yet."""
        rollouts = self._rollouts[completer, ask.prefix.key]
        return [i for i in self.wanted(completer, ask, gold_key) if i not in rollouts]

    def ungraded(self, completer: str, ask: Ask, gold_key: str) -> list[Rollout]:
        """Wanted rollouts that have no verdict yet."""
        rollouts = self._rollouts[completer, ask.prefix.key]
        verdicts = self._verdicts[(completer, ask.prefix.key), gold_key]
        wanted = self.wanted(completer, ask, gold_key)
        return [rollouts[i] for i in wanted if i in rollouts and i not in verdicts]

    def reply(self, completer: str, ask: Ask, gold_key: str, failure: str | None = None) -> Reply:
        """What the log holds for an ask, in index order."""
        rollouts = self._rollouts[completer, ask.prefix.key]
        verdicts = self._verdicts[(completer, ask.prefix.key), gold_key]
        held = [i for i in self.wanted(completer, ask, gold_key) if i in rollouts and i in verdicts]
        return Reply(ask, tuple(Graded(rollouts[i], verdicts[i]) for i in held), failure)

    def rollouts(self, completer: str, prefix_key: str) -> Mapping[int, Rollout]:
        """All rollouts of one prefix, by index."""
        return self._rollouts[completer, prefix_key]

    def own_verdict(self, prefix_key: str, gold_key: str) -> Verdict | None:
        """The verdict on a solution's own answer; `prefix_key` is that of its last prefix."""
        return self._verdicts[(SOLUTION, prefix_key), gold_key].get(0)

    # -- writing ---------------------------------------------------------------------------

    def append(self, rollouts: Iterable[Rollout]) -> None:
        """Add rollouts; one that the log holds already is left as it is."""
        for rollout in rollouts:
            held = self._rollouts[rollout.completer, rollout.prefix_key]
            if rollout.index not in held:
                held[rollout.index] = rollout
                self._new_rollouts.append(rollout)

    def judge(self, rows: Iterable[VerdictRow]) -> None:
        """Add verdicts; one that the log holds already is left as it is."""
        for row in rows:
            held = self._verdicts[(row.completer, row.prefix_key), row.gold_key]
            if row.index not in held:
                held[row.index] = row.verdict
                self._new_verdicts.append(row)

    async def flush(self) -> None:
        """Write what is new as one part a table. Raises FileError; the rows stay to be written."""
        async with self._flushing:
            if self._new_rollouts or self._new_verdicts:
                await asyncio.to_thread(self._flush)

    def _flush(self) -> None:
        verdicts = self._new_verdicts[:]  # before the rollouts: see law 2
        rollouts = self._new_rollouts[:]
        self._sequence += 1
        name = f"{self.unit}-{self._attempt:04d}-{self._sequence:06d}.parquet"
        if rollouts:
            write_table(self._tables[0] / name, _rollout_table(rollouts), self._config_hash)
            del self._new_rollouts[: len(rollouts)]
        if verdicts:
            write_table(self._tables[1] / name, _verdict_table(verdicts), self._config_hash)
            del self._new_verdicts[: len(verdicts)]

    async def compact(self) -> None:
        """Flush, then put all parts of the unit into one file a table, without doubles.

        Killed half-way, it leaves rows in two files; reading drops the doubles and the next
        compaction removes them.
        """
        await self.flush()
        async with self._flushing:
            await asyncio.to_thread(self._compact)

    def _compact(self) -> None:
        rollouts, verdicts = (
            sum(map(len, held.values())) for held in (self._rollouts, self._verdicts)
        )
        self._merge(self._tables[0], rollouts, lambda: _rollout_table(list(self._all_rollouts())))
        self._merge(self._tables[1], verdicts, lambda: _verdict_table(list(self._all_verdicts())))

    def _merge(self, directory: Path, rows: int, without_doubles: Callable[[], pa.Table]) -> None:
        """One file of `rows` rows in place of the unit's parts."""
        target = directory / f"{self.unit}.parquet"
        found = parts(directory, self.unit)
        if found in ([], [target]):
            return
        whole = pa.concat_tables(read_table(part) for part in found)
        table = whole if whole.num_rows == rows else without_doubles()
        write_table(target, table, self._config_hash)
        for part in found:
            if part != target:
                part.unlink()

    def _all_rollouts(self) -> Iterator[Rollout]:
        return (rollout for held in self._rollouts.values() for rollout in held.values())

    def _all_verdicts(self) -> Iterator[VerdictRow]:
        for ((completer, prefix_key), gold_key), held in self._verdicts.items():
            for index, verdict in held.items():
                yield VerdictRow(prefix_key, completer, index, gold_key, verdict)


def _attempt(part: Path) -> int:
    match = re.search(r"-(\d{4})-\d{6}\.parquet$", part.name)
    return int(match[1]) if match else 0


def _verdict(row: Mapping[str, Any]) -> Verdict:
    return Verdict(Outcome(row["verdict"]), Reason(row["reason"]), row["answer"], row["millis"])


def _rollout_table(rows: Sequence[Rollout]) -> pa.Table:
    return _table(rows, ROLLOUTS, dict(zip(ROLLOUTS.names, ROLLOUTS.names, strict=True)))


def _verdict_table(rows: Sequence[VerdictRow]) -> pa.Table:
    places = {name: name for name in ("prefix_key", "completer", "index", "gold_key")}
    said = {"verdict": "verdict.outcome"} | {
        n: f"verdict.{n}" for n in ("reason", "answer", "millis")
    }
    return _table(rows, VERDICTS, places | said)


def _table(rows: Sequence[object], schema: pa.Schema, source: Mapping[str, str]) -> pa.Table:
    """A table whose columns are attributes of the rows, by dotted name."""
    columns = [[*map(attrgetter(source[name]), rows)] for name in schema.names]
    return pa.table(columns, schema=schema)
