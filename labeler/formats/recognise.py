"""recognise.py - which format a row is of, by its columns and the kinds of their values."""

from collections.abc import Callable, Mapping

from labeler.formats.record import Row


def _holds(**kinds: type) -> Callable[[Row], bool]:
    """Whether a row has these columns, with values of these kinds."""
    return lambda row: all(isinstance(row.get(name), kind) for name, kind in kinds.items())


def _speaks_from(row: Row) -> bool:
    """Whether the first turn of a conversation says whom it is from."""
    turns = row.get("conversations")
    first = turns[0] if isinstance(turns, list) and turns else None
    return isinstance(first, Mapping) and "from" in first


_MARKS: Mapping[str, Callable[[Row], bool]] = {
    "prm800k": _holds(question=Mapping, label=Mapping),
    "processbench": _holds(problem=str, steps=list, label=int),
    "trl": _holds(prompt=str, completions=list),
    "scan": _holds(question=str, steps=list, scores=list),
    "mm-prm": _speaks_from,
    "rlhflow": _holds(conversations=list),
    "qwen": _holds(messages=list, labels=list),
    "math-shepherd": _holds(input=str, label=str),
    "openrlhf": _holds(input=str, label=list),
    "math-aps": lambda row: "reasoning_steps" in row,
    "orm": _holds(solution=str, step_ends=list),
}


def recognise(row: Row) -> str | None:
    """The name of the first format whose marks the row has; None: it has none's."""
    return next((name for name, fits in _MARKS.items() if fits(row)), None)
