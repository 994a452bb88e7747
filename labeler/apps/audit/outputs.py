"""outputs.py - an audit for machines: one JSON object, or the long table as Parquet."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labeler.audit.findings import Contrast, Findings
from labeler.config import ConfigError
from labeler.files import write_table, write_text

if TYPE_CHECKING:
    from rich.console import Console

STDOUT = Path("-")
SIDES = ("first", "second")
"""Of two runs."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where findings go, beside or instead of the terminal."""

    json: Path | None = None
    """`-` is standard output, and then nothing else is printed."""
    parquet: Path | None = None


def check(out: Outputs) -> None:
    """Refuse outputs that cannot be written, before there is work. Raises ConfigError."""
    for option, path in (("--json", out.json), ("--parquet", out.parquet)):
        if path is not None and path.is_dir():
            raise ConfigError(f"{option}: {path} is a directory; name a file in it")


def tell(
    found: Sequence[Findings], contrasts: Sequence[Contrast], out: Outputs, console: "Console"
) -> None:
    """Print and write the findings of one run, or of two with what sets them apart.

    They are printed first: where a file cannot be written, they are not lost. Raises FileError
    then.
    """
    from labeler.apps.audit.show import show, show_two

    if out.json != STDOUT:
        if len(found) == 2:
            show_two(found, contrasts, console)
        else:
            show(found[0], console)
    if out.json is not None:
        write_json(found, contrasts, out.json, console)
    if out.parquet is not None:
        write_parquet(found, out.parquet)


def write_json(
    found: Sequence[Findings], contrasts: Sequence[Contrast], path: Path, console: "Console"
) -> None:
    """The findings as one object; of two runs `first`, `second` and their `contrasts`.

    Path `-` is standard output. Raises FileError where it cannot be written.
    """
    whole: dict[str, Any] = found[0].as_dict()
    if len(found) == 2:
        both = {name: one.as_dict() for name, one in zip(SIDES, found, strict=True)}
        whole = both | {"contrasts": [asdict(one) for one in contrasts]}
    text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False)
    if path == STDOUT:
        console.print(text, markup=False, highlight=False, soft_wrap=True)
    else:
        write_text(path, text + "\n")


def write_parquet(found: Sequence[Findings], path: Path) -> None:
    """The rows of the findings, each with `run` and `side`, first or second of two; null of one.

    Raises as `write_json`.
    """
    import pyarrow as pa

    schema = pa.schema(
        [("run", pa.string()), ("side", pa.string()), ("measure", pa.string()),
         ("reference", pa.string()), ("rule", pa.string()), ("n", pa.int64()),
         ("group", pa.string()),
         ("value", pa.float64()), ("low", pa.float64()), ("high", pa.float64()),
         ("over", pa.int64())]
    )  # fmt: skip
    sides = SIDES if len(found) == 2 else (None,)
    rows = [
        {"run": one.run["path"], "side": side, **asdict(row)}
        for side, one in zip(sides, found, strict=True)
        for row in one.rows
    ]
    table = pa.Table.from_pylist(rows, schema=schema)
    write_table(path, table, str(found[0].run["config_hash"]))
