"""fields.py - what readers and writers of rows check alike; a fault names its field and a fix."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from labeler.formats.record import BadRowError, Record, Row

_T = TypeVar("_T")
SOFT = "soft"
"""The column that soft labels have to themselves in formats of hard ones."""


def get(row: Row, name: str) -> Any:  # noqa: ANN401 - any value of a row
    """The column; BadRowError where the row has none."""
    if name not in row:
        raise BadRowError(
            name,
            "there is no such column",
            f"The row has {_few(row)}: check the format's name.",
        )
    return row[name]


def _few(names: Iterable[str]) -> str:
    """The first eight names."""
    shown = [str(name)[:40] for name in names]
    return ", ".join(shown[:8] + ["..."] * (len(shown) > 8)) or "none"


def text(row: Row, name: str) -> str:
    """A column that holds a text."""
    value = get(row, name)
    if not isinstance(value, str):
        raise BadRowError(name, f"a text is wanted, not {_kind(value)}", "Write it as a string.")
    return value


def perhaps(row: Row, name: str) -> str | None:
    """A column that holds a text, or is null, or is not there."""
    return None if row.get(name) is None else text(row, name)


def texts(row: Row, name: str) -> tuple[str, ...]:
    """A column that holds the texts of at least one step."""
    value = many(row, name)
    if not value:
        raise BadRowError(name, "there is no step", "Leave the row out.")
    for i, one in enumerate(value):
        if not isinstance(one, str):
            raise BadRowError(f"{name}[{i}]", f"a text is wanted, not {_kind(one)}", "Mend it.")
    return tuple(value)


def many(row: Row, name: str) -> Sequence[Any]:
    """A column that holds a list."""
    value = get(row, name)
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise BadRowError(name, f"a list is wanted, not {_kind(value)}", "Write it as a list.")
    return value


def as_long(name: str, values: Sequence[object], steps: int) -> None:
    """Refuse labels that are not as many as the steps."""
    if len(values) != steps:
        raise BadRowError(
            name, f"{len(values)} labels for {steps} steps", "Give each step one label."
        )


def flag(name: str, value: object) -> bool:
    """A label that is true or false; 0 and 1 will do. No number between: nothing is rounded."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in (0, 1):
        return value == 1
    what = "a soft label" if isinstance(value, float) else _kind(value)
    raise BadRowError(name, f"true or false is wanted, not {what}", "Choose a threshold first.")


def number(name: str, value: object) -> float:
    """A soft label: a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRowError(name, f"a number is wanted, not {_kind(value)}", "Mend it.")
    if not 0 <= value <= 1:  # nor is NaN
        raise BadRowError(
            name, f"{str(value)[:40]} is not from 0 to 1", "Give values, not rewards or logits."
        )
    return float(value)


def hard(record: Record, name: str) -> tuple[bool, ...]:
    """The hard labels of a record for a format that holds only such: one a step, none unknown."""
    wanted(record)
    if record.hard is None:
        given = "soft labels alone" if record.soft is not None else "no labels of steps"
        raise BadRowError(
            name,
            f"{given}, and the format holds hard ones",
            "Export hard labels (true or false): its trainer rounds soft ones to 0, or fails.",
        )
    as_long(name, record.hard, len(record.steps))
    return tuple(_known(f"{name}[{i}]", label) for i, label in enumerate(record.hard))


def soft(record: Record, name: str) -> tuple[float, ...]:
    """The soft labels of a record: one a step, none unknown."""
    wanted(record)
    if record.soft is None:
        raise BadRowError(
            name, "no soft labels, and the format holds soft ones", "Export values of steps."
        )
    as_long(name, record.soft, len(record.steps))
    return tuple(number(f"{name}[{i}]", _known(name, v)) for i, v in enumerate(record.soft))


def _known(name: str, label: _T | None) -> _T:
    if label is None:
        raise BadRowError(
            name,
            "the step has no label",
            "Leave the solution out, or cut it after its last labelled step.",
        )
    return label


def wanted(record: Record) -> None:
    """Refuse a solution without steps."""
    if not record.steps:
        raise BadRowError("steps", "there is no step", "Leave the solution out.")


def without(tag: str, record: Record, *, steps_alone: bool = False) -> None:
    """Refuse a record whose texts hold the tag that the format puts between them.

    Nor may a text form one with the tag beside it: a step that ends with a newline makes a blank
    line longer. With `steps_alone` each step is tokenized by itself, and need not hold it.
    """
    places = {f"steps[{i}]": step for i, step in enumerate(record.steps)}
    if not steps_alone:
        places["question"] = record.question
    for name, held in places.items():
        beyond = len(tag) + len(held)
        if tag in held if steps_alone else f"{tag}{held}{tag}".find(tag, 1) < beyond:
            raise BadRowError(
                name,
                f"it holds {tag!r}, which the format puts between steps, or runs into it",
                "Choose another tag or separator, or leave the solution out.",
            )


def first_error(labels: Sequence[bool | None]) -> int | None:
    """The first step labelled wrong, 1-based; 0: all are right. None: unlabelled ones stand before.

    An error behind an unlabelled step may not be the first one.
    """
    for k, label in enumerate(labels, 1):
        if not label:
            return k if label is False else None
    return 0


def beside(own: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """The format's own columns, then the record's further ones."""
    for name in extra:
        if name in own:
            raise BadRowError(name, "a further column has this name", "Rename or drop it.")
    return {**own, **extra}


def rest(row: Row, *own: str) -> dict[str, Any]:
    """The columns that are not the format's own."""
    return {name: value for name, value in row.items() if name not in own}


def soft_column(row: Row, steps: int) -> tuple[float | None, ...] | None:
    """The soft labels that a row of hard ones carries in a column of their own."""
    if row.get(SOFT) is None:
        return None
    values = many(row, SOFT)
    as_long(SOFT, values, steps)
    return tuple(None if v is None else number(f"{SOFT}[{i}]", v) for i, v in enumerate(values))


def as_column(record: Record) -> dict[str, list[float | None]]:
    """The column of soft labels, where the record has them."""
    if record.soft is None:
        return {}
    as_long(SOFT, record.soft, len(record.steps))
    return {
        SOFT: [None if v is None else number(f"{SOFT}[{i}]", v) for i, v in enumerate(record.soft)]
    }


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
