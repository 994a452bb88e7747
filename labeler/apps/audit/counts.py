"""counts.py - the verdicts and rollouts of one unit, counted by place: columns in, arrays out.

1. No row becomes a Python object. Columns of text are read as dictionaries, whose few entries are
   looked up once for each row group; rows are counted by their codes.
2. Memory is a row group's codes and the unit's places. Only of a unit that is not compacted yet,
   whose parts may hold doubles, all rows' places are held at once: (completer, prefix, index) is
   unique, and the first part by name counts, as in the log.

A place is a prefix key with the gold that its rollouts are graded against. It knows neither
problems nor solutions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from labeler.apps.audit.clock import Clock
from labeler.files import SCHEMA_VERSION, read_table
from labeler.model import Outcome, Reason
from labeler.rollout_log import SOLUTION

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
CORRECT, INCORRECT, TRUNCATED, UNGRADABLE = range(4)
"""Classes of verdicts: a truncated rollout is incorrect, and counted apart."""
_CLASSES = 4
_SIDES = 2
"""Rollouts of the completer, and solutions' own answers."""
_TEXTS = ["prefix_key", "completer", "gold_key", "verdict", "reason"]


class Places:
    """The places of a unit, numbered from 0."""

    def __init__(self) -> None:
        self._prefixes: dict[str, int] = {}
        self._golds: dict[str, int] = {}
        self._layers: list[dict[int, tuple[int, int]]] = []
        """By prefix the gold and the place; the j-th gold of a prefix is in layer j."""
        self._numbers: dict[tuple[int, int], int] = {}
        self._prefix_of: list[int] = []

    def __len__(self) -> int:
        return len(self._prefix_of)

    def add(self, prefix_key: str, gold_key: str) -> int:
        """The number of a place; a new one where it is not known yet."""
        prefix = self._prefixes.setdefault(prefix_key, len(self._prefixes))
        gold = self._golds.setdefault(gold_key, len(self._golds))
        number = self._numbers.setdefault((prefix, gold), len(self._prefix_of))
        if number == len(self._prefix_of):
            self._prefix_of.append(prefix)
            layer = next((held for held in self._layers if prefix not in held), None)
            if layer is None:
                layer = {}
                self._layers.append(layer)
            layer[prefix] = gold, number
        return number

    @property
    def prefixes(self) -> int:
        """How many distinct prefixes there are."""
        return len(self._prefixes)

    @property
    def prefix_of(self) -> Ints:
        """(places,): the prefix of each."""
        return np.array(self._prefix_of, dtype=np.int64)

    def codes(self, column: pa.DictionaryArray) -> Ints:
        """(rows,): the prefix of each row; -1 for one that is not of these."""
        return _coded(column, self._prefixes)

    def at(self, prefix: Ints, gold: pa.DictionaryArray) -> Ints:
        """(rows,): the place of each row; -1 for one that is none of these."""
        wanted = _coded(gold, self._golds)
        found = np.full(len(prefix), -1, dtype=np.int64)
        for layer in self._tables():
            hit = layer[prefix, 0] == wanted
            found[hit] = layer[prefix[hit], 1]
        return found

    def _tables(self) -> Iterator[Ints]:
        """Of each layer (prefixes + 1, 2): gold and place by prefix; the last row stands for -1."""
        for held in self._layers:
            table = np.full((self.prefixes + 1, 2), -2, dtype=np.int64)
            table[list(held)] = list(held.values())
            yield table


@dataclass(frozen=True, slots=True)
class Counts:
    """What a unit's log says of its places."""

    rollouts: Ints
    """(places, 4): verdicts on rollouts of the completer, by class."""
    own: Ints
    """(places, 4): verdicts on solutions' own answers; a place is a whole solution there."""
    tokens: Ints
    """(prefixes,): tokens generated, by all rollouts of a prefix."""


def count(
    places: Places,
    completer: str,
    verdicts: Sequence[Path],
    rollouts: Sequence[Path],
    clock: Clock,
) -> Counts:
    """Count a unit's parts. Raises FileError where one is damaged."""
    said = _sides(places, completer, verdicts)
    return Counts(said[:, 0], said[:, 1], _tokens(places, completer, rollouts, clock))


@dataclass(frozen=True, slots=True)
class Said:
    """Verdicts of one row group."""

    place: Ints
    """(rows,): -1 where the row is of no place, or of another completer."""
    side: Ints
    """(rows,): 0 a rollout, 1 a solution's own answer."""
    kind: Ints
    """(rows,): the class."""
    index: Ints
    """(rows,): which rollout of its prefix; empty where it was not asked for."""


def said(places: Places, completer: str, paths: Sequence[Path], *, indices: bool) -> Iterator[Said]:
    """The verdicts of some parts, a row group at a time. Raises FileError."""
    columns = [*_TEXTS, *(["index"] if indices else [])]
    sides = {completer: 0, SOLUTION: 1}
    for batch in row_groups(paths, columns):
        prefix, who, gold, verdict, reason = (batch.column(name) for name in _TEXTS)
        side = _coded(who, sides)
        place = places.at(places.codes(prefix), gold)
        place[side < 0] = -1
        index = batch.column("index").to_numpy().astype(np.int64) if indices else place[:0]
        yield Said(place, side, _kinds(verdict, reason), index)


def _sides(places: Places, completer: str, paths: Sequence[Path]) -> Ints:
    """(places, 2, 4): verdicts by side and class."""
    found = np.zeros(len(places) * _SIDES * _CLASSES, dtype=np.int64)
    held: list[tuple[Ints, Ints]] = []
    doubles = len(paths) > 1
    for rows in said(places, completer, paths, indices=doubles):
        known = rows.place >= 0
        cell = ((rows.place * _SIDES + rows.side) * _CLASSES + rows.kind)[known]
        if doubles:
            held.append((cell, rows.index[known]))
        else:
            found += np.bincount(cell, minlength=len(found))
    if held:
        cell, index = (np.concatenate(column) for column in zip(*held, strict=True))
        first = _first(cell // _CLASSES, index)
        found += np.bincount(cell[first], minlength=len(found))
    return found.reshape(len(places), _SIDES, _CLASSES)


def _tokens(places: Places, completer: str, paths: Sequence[Path], clock: Clock) -> Ints:
    """(prefixes,): tokens by prefix.

    The clock hears of every rollout of the completer, those of no place included: they took time.
    """
    doubles = len(paths) > 1
    columns = ["prefix_key", "completer", "n_tokens", "created_at"]
    held: list[tuple[Ints, Ints, Floats, Ints]] = []
    found = np.zeros(places.prefixes, dtype=np.int64)
    for batch in row_groups(paths, [*columns, *(["index"] if doubles else [])]):
        prefix = places.codes(batch.column("prefix_key"))
        sampled = _coded(batch.column("completer"), {completer: 0}) == 0
        mine = sampled & (prefix >= 0)
        tokens = batch.column("n_tokens").to_numpy().astype(np.int64)
        at = batch.column("created_at").to_numpy()
        if doubles:
            index = batch.column("index").to_numpy().astype(np.int64)
            held.append((prefix[mine], tokens[mine], at[mine], index[mine]))
            heard = sampled & ~mine
        else:
            found += _summed(prefix[mine], tokens[mine], places.prefixes)
            heard = sampled
        clock.add(at[heard], tokens[heard])
    if held:
        prefix, tokens, at, index = (np.concatenate(column) for column in zip(*held, strict=True))
        first = _first(prefix, index)
        found += _summed(prefix[first], tokens[first], places.prefixes)
        clock.add(at[first], tokens[first])
    return found


def row_groups(paths: Sequence[Path], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of Parquet files, a row group in memory at a time, text as dictionaries.

    Raises FileError where one is damaged or of another schema version.
    """
    texts = [name for name in columns if name in _TEXTS]
    for path in paths:
        try:
            with pq.ParquetFile(path, read_dictionary=texts) as file:
                _refuse_another_schema(path, file)
                for i in range(file.num_row_groups):
                    yield from file.read_row_group(i, columns=list(columns)).to_batches()
        except (pa.ArrowException, OSError, KeyError):
            read_table(path, columns)  # says what is wrong, and what to do
            raise


def _refuse_another_schema(path: Path, file: pq.ParquetFile) -> None:
    found = (file.schema_arrow.metadata or {}).get(b"labeler.schema_version", b"").decode()
    if found != SCHEMA_VERSION:
        read_table(path, [])  # says so


def _kinds(verdict: pa.DictionaryArray, reason: pa.DictionaryArray) -> Ints:
    """(rows,): the class of each verdict."""
    outcomes = {str(Outcome.CORRECT): CORRECT, str(Outcome.INCORRECT): INCORRECT}
    kind = _coded(verdict, outcomes)
    kind[kind < 0] = UNGRADABLE
    kind[_coded(reason, {str(Reason.TRUNCATED): 0}) == 0] = TRUNCATED
    return kind


def _coded(column: pa.DictionaryArray, numbers: Mapping[str, int]) -> Ints:
    """(rows,): the number of each row's text; -1 for one that has none."""
    table = [numbers.get(text, -1) for text in column.dictionary.to_pylist()]
    found: Ints = np.array(table, dtype=np.int64)[column.indices.to_numpy(zero_copy_only=False)]
    return found


def _first(place: Ints, index: Ints) -> Ints:
    """The first row of each place and index."""
    found: Ints = np.unique(place << 32 | index, return_index=True)[1]
    return found


def _summed(which: Ints, what: Ints, size: int) -> Ints:
    found: Ints = np.bincount(which, weights=what, minlength=size).astype(np.int64)
    return found
