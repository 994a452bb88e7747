"""hub.py - Hugging Face datasets, by name or directory, through the package `datasets`.

Streaming where `datasets` streams; a dataset saved with save_to_disk is memory-mapped. What
`datasets` raises becomes a LabelerError that says what was asked for.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from labeler.model import LabelerError
from labeler.problems.config import ProblemsConfig


def hub_rows(path: str, config: ProblemsConfig) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Rows of one split, with `name/split:row` as position, counted from 1."""
    place = Path(path)
    label = place.name if place.exists() else path
    shown = f"{path!r} (split {config.split!r}, configuration {config.name or 'default'!r})"
    hint = (
        "" if place.exists() else f" (There is no file or directory of this name in {Path.cwd()}.)"
    )
    try:
        import datasets
    except ImportError as error:
        raise LabelerError(
            f"problems: reading {path!r} as a Hugging Face dataset needs the package `datasets`: "
            f"pip install 'labeler[hub]'.{hint}"
        ) from error
    try:
        for number, row in enumerate(_load(datasets, path, config), 1):
            yield f"{label}/{config.split}:{number}", row
    except LabelerError:
        raise
    except Exception as error:  # `datasets` raises whatever its readers do
        raise LabelerError(
            f"problems: cannot read the Hugging Face dataset {shown}: {_first_line(error)}{hint}"
        ) from error


def _load(datasets: Any, path: str, config: ProblemsConfig) -> Iterable[dict[str, Any]]:  # noqa: ANN401 - a module
    place = Path(path)
    if (place / "dataset_dict.json").exists() or (place / "state.json").exists():
        loaded: Any = datasets.load_from_disk(path)
        if not isinstance(loaded, datasets.DatasetDict):
            return _rows(loaded)
        if config.split not in loaded:
            raise LabelerError(
                f"problems: {path!r} has the splits {', '.join(loaded)}, not {config.split!r}."
            )
        return _rows(loaded[config.split])
    return _rows(datasets.load_dataset(path, config.name, split=config.split, streaming=True))


def _rows(dataset: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield from dataset


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]
