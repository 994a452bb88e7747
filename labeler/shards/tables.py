"""tables.py - labels to Arrow: one row a solution, columns as the fields of labels/rows.py.

`provers` is a list of structs, not a map: Hugging Face datasets cannot read Arrow maps.
"""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from labeler.files import write_table
from labeler.labels import SolutionLabel

_VALUE: list[tuple[str, pa.DataType]] = [
    ("n", pa.int32()), ("correct", pa.int32()), ("truncated", pa.int32()),
    ("ungradable", pa.int32()), ("soft", pa.float64()), ("low", pa.float64()),
    ("high", pa.float64()), ("soft_posterior", pa.float64()), ("credible_low", pa.float64()),
    ("credible_high", pa.float64()), ("hard", pa.bool_()), ("progress", pa.float64()),
    ("progress_low", pa.float64()), ("progress_high", pa.float64()),
]  # fmt: skip
PROVERS = pa.list_(pa.struct([("prover", pa.string()), *_VALUE]))
STEP = pa.struct(
    [*_VALUE, ("stopping", pa.string()), ("target", pa.bool_()), ("basis", pa.string()),
     ("provers", PROVERS)]
)  # fmt: skip
LABELS = pa.schema(
    [("problem_id", pa.string()), ("solution_id", pa.string()), ("question", pa.string()),
     ("gold", pa.string()), ("steps", pa.list_(pa.string())), ("answer", pa.string()),
     ("is_correct", pa.bool_()), ("source", pa.string()), ("generator", pa.string()),
     ("value_0", pa.struct([("n", pa.int32()), ("correct", pa.int32()), ("soft", pa.float64()),
                            ("low", pa.float64()), ("high", pa.float64())])),
     ("first_error", pa.int32()), ("first_error_confidence", pa.float64()),
     ("first_error_posterior",
      pa.list_(pa.struct([("step", pa.int32()), ("probability", pa.float64())]))),
     ("first_error_rule", pa.string()), ("labels", pa.list_(STEP)), ("n_rollouts", pa.int64()),
     ("n_tokens", pa.int64()), ("judge_first_error", pa.int32()), ("keep", pa.bool_()),
     ("drop_reason", pa.string()),
     ("failures", pa.list_(pa.struct([("step", pa.int32()), ("cause", pa.string())])))]
)  # fmt: skip


def to_table(labels: Sequence[SolutionLabel]) -> pa.Table:
    """Rows in the order given."""
    return pa.Table.from_pylist([_plain(row) for row in labels], schema=LABELS)


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
