"""specimen.py - a record with everything known: what a format makes of one, and whether it does."""

from typing import Any

from labeler.formats.record import BadRowError, Format, Record

_SPECIMEN = Record(
    question="question",
    steps=("right", "wrong"),
    id="id",
    problem_id="problem",
    gold="1",
    answer="2",
    is_correct=False,
    first_error=2,
    hard=(True, False),
    soft=(0.5, 0.0),
    source="source",
    generator="generator",
)


def specimen_row(to: Format) -> dict[str, Any]:
    """A row with every column that the format writes, none of them empty.

    Raises BadRowError where the format is only read.
    """
    return to.write(_SPECIMEN)


def only_read(to: Format) -> str:
    """Why the format cannot be written; empty where it can."""
    try:
        specimen_row(to)
    except BadRowError as error:
        return f"{error.problem}. {error.fix}"
    return ""
