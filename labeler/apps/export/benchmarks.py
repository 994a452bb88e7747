"""benchmarks.py - files of benchmark questions, for --decontaminate.

JSON lines, a JSON array or Parquet; the question is the first of the columns `question`,
`problem` and `prompt` that is a text (of PRM800K's rows, `question.problem`). A file is used
whole or not at all: a row that is skipped would be a problem that nobody looked for.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labeler.apps.row_files import all_rows, data_files
from labeler.exporting import Benchmarks
from labeler.model import LabelerError
from labeler.problems import Rejected

_NAMES = ("question", "problem", "prompt")


def read_benchmarks(files: Sequence[Path]) -> tuple[Benchmarks, dict[str, int]]:
    """The questions of these files, and how many each one holds.

    Raises LabelerError for a file without rows, and for a row without a question.
    """
    found = Benchmarks()
    counts: dict[str, int] = {}
    for file in files:
        before = len(found)
        for row in all_rows(data_files(file, "--decontaminate")):
            if isinstance(row, Rejected):
                raise LabelerError(
                    f"--decontaminate {file}: {row.position} is no row ({row.told}): mend it."
                )
            _add(found, file, *row)
        if len(found) == before:
            raise LabelerError(f"--decontaminate {file} holds no row: is it the right file?")
        counts[file.name] = counts.get(file.name, 0) + len(found) - before
    return found, counts


def _add(found: Benchmarks, file: Path, position: str, row: Mapping[str, Any]) -> None:
    question = _question(row)
    if question is None or not found.add(file.name, position, question):
        raise LabelerError(
            f"--decontaminate {file}: {position} has no question, a text that is not blank, in "
            f"{' or '.join(_NAMES)} (its columns: {', '.join(map(str, row)) or 'none'}): name its "
            "column so, or mend the row."
        )


def _question(row: Mapping[str, Any]) -> str | None:
    nested = row.get("question")
    places = (nested, row) if isinstance(nested, Mapping) else (row,)
    texts = (place.get(name) for place in places for name in _NAMES)
    return next((text for text in texts if isinstance(text, str)), None)
