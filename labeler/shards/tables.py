"""tables.py - labels to Arrow: one row a solution, columns as the fields of labels/rows.py.

Of a tree search there are two tables more: one row a state, and one row a pair of next steps, as
in labels/states.py.

`provers` is a list of structs, not a map: Hugging Face datasets cannot read Arrow maps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from labeler.files import RunDir, write_table
from labeler.labels import Pair, SolutionLabel, StateLabel
from labeler.model import digest

_VALUE: list[tuple[str, pa.DataType]] = [
    ("n", pa.int32()), ("correct", pa.int32()), ("truncated", pa.int32()),
    ("ungradable", pa.int32()), ("soft", pa.float64()), ("low", pa.float64()),
    ("high", pa.float64()), ("soft_posterior", pa.float64()), ("credible_low", pa.float64()),
    ("credible_high", pa.float64()), ("hard", pa.bool_()), ("progress", pa.float64()),
    ("progress_low", pa.float64()), ("progress_high", pa.float64()),
]  # fmt: skip
_MEASURED = pa.struct(
    [("n", pa.int32()), ("correct", pa.int32()), ("soft", pa.float64()), ("low", pa.float64()),
     ("high", pa.float64())]
)  # fmt: skip
PROVERS = pa.list_(pa.struct([("prover", pa.string()), *_VALUE]))
STEP = pa.struct(
    [*_VALUE, ("stopping", pa.string()), ("target", pa.bool_()), ("basis", pa.string()),
     ("rating", pa.int32()), ("weighted", pa.float64()), ("provers", PROVERS)]
)  # fmt: skip
LABELS = pa.schema(
    [("problem_id", pa.string()), ("solution_id", pa.string()), ("question", pa.string()),
     ("gold", pa.string()), ("steps", pa.list_(pa.string())), ("answer", pa.string()),
     ("is_correct", pa.bool_()), ("source", pa.string()), ("generator", pa.string()),
     ("value_0", _MEASURED),
     ("first_error", pa.int32()), ("first_error_confidence", pa.float64()),
     ("first_error_posterior",
      pa.list_(pa.struct([("step", pa.int32()), ("probability", pa.float64())]))),
     ("first_error_rule", pa.string()), ("labels", pa.list_(STEP)), ("n_rollouts", pa.int64()),
     ("n_tokens", pa.int64()), ("judge_first_error", pa.int32()), ("keep", pa.bool_()),
     ("drop_reason", pa.string()),
     ("failures", pa.list_(pa.struct([("step", pa.int32()), ("cause", pa.string())]))),
     ("provers_0", PROVERS)]
)  # fmt: skip
_PREFIX: list[tuple[str, pa.DataType]] = [
    ("problem_id", pa.string()), ("question", pa.string()), ("gold", pa.string()),
    ("source", pa.string()), ("completer", pa.string()), ("prefix_key", pa.string()),
    ("steps", pa.list_(pa.string())),
]  # fmt: skip
STATES = pa.schema(
    [*_PREFIX, ("n", pa.int32()), ("correct", pa.int32()), ("truncated", pa.int32()),
     ("ungradable", pa.int32()), ("n_tokens", pa.int64()), ("soft", pa.float64()),
     ("low", pa.float64()), ("high", pa.float64()), ("hard", pa.bool_()), ("visits", pa.int32())]
)  # fmt: skip
PAIRS = pa.schema(
    [*_PREFIX, ("preferred", pa.string()), ("rejected", pa.string()),
     ("preferred_value", _MEASURED), ("rejected_value", _MEASURED), ("basis", pa.string())]
)  # fmt: skip
TABLES: Mapping[str, pa.Schema] = {"labels": LABELS, "states": STATES, "pairs": PAIRS}
"""The tables that are published, by the name of their folder."""


Rows = Sequence[SolutionLabel] | Sequence[StateLabel] | Sequence[Pair]


def to_table(rows: Rows, schema: pa.Schema = LABELS) -> pa.Table:
    """Rows in the order given."""
    return pa.Table.from_pylist([_plain(row) for row in rows], schema=schema)


def _plain(value: Any) -> Any:  # noqa: ANN401 - walks dataclasses to plain values
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    kind: type = type(value)
    names = _names(kind)
    return {name: _plain(getattr(value, name)) for name in names} if names else value


@lru_cache
def _names(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass; none of another type."""
    return tuple(f.name for f in fields(kind)) if is_dataclass(kind) else ()


def write_labels(path: Path, labels: Sequence[SolutionLabel], config_hash: str) -> None:
    """Write one file of labels whole. Raises FileError."""
    write_table(path, to_table(labels), config_hash)


def write_part(run: RunDir, unit: str, table: str, rows: Rows, config_hash: str) -> str:
    """Write a unit's part of a table whole, into staged/; its name, which follows from its rows.

    Raises FileError.
    """
    name = f"{unit}-{table}-{digest(*map(repr, rows), size=6)}.parquet"
    write_table(run.staged / name, to_table(rows, TABLES[table]), config_hash)
    return name
