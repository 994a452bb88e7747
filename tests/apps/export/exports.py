"""What tests of the export share: a wish, and what was written."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from labeler.apps.export import ExportWish
from labeler.exporting import ExportOptions
from labeler.formats import Format, Row, Trl


def wish(root: Path, out: Path, to: Format | None = None, **more: Any) -> ExportWish:  # noqa: ANN401
    files = tuple(more.pop("decontaminate", ()))
    return ExportWish(root, to or Trl(), out, ExportOptions(**more), files)


def read(file: Path) -> list[Row]:
    if file.suffix == ".parquet":
        return pq.read_table(file).to_pylist()
    text = file.read_text(encoding="utf-8")
    return json.loads(text) if file.suffix == ".json" else list(map(json.loads, text.splitlines()))


def exported(folder: Path) -> list[Row]:
    return [row for file in sorted(folder.glob("t[re]*.*")) for row in read(file)]
