"""tags.py - what ends a step for a trainer, in the formats where users choose it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from labeler.formats.record import Format

_OPTIONS: Mapping[str, str] = {
    "trl": "separator",
    "openrlhf": "placeholder",
    "math-shepherd": "tag",
    "qwen": "tag",
    "mm-prm": "tag",
}
"""The option of a format that says it."""
TAGGED = tuple(_OPTIONS)


def tag_of(to: Format) -> str | None:
    """What ends a step; None where the format has nothing that could be another."""
    option = _OPTIONS.get(to.name)
    return None if option is None else str(getattr(to, option))


def with_tag(to: Format, tag: str) -> Format:
    """The format with another tag. Raises KeyError where it has none (see TAGGED)."""
    some: Any = to
    found: Format = replace(some, **{_OPTIONS[to.name]: tag})
    return found
