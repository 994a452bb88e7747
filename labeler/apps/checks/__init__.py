"""Checks - what `labeler doctor` looks at: the machine, the packages, the input, the completer.

A check finds one thing out and says how to mend it. Looking (processes, files, network) is kept
apart from judging wherever the judgement has cases: then it is a pure function of what was seen.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARN = "warn"
    """A run will work, but not as well as it could, or not with every row."""
    FAIL = "FAIL"
    """A run will not work."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    status: Status
    detail: str
    mend: str = ""
    """What to do about it; empty where nothing need be done."""


def ok(name: str, detail: str) -> Check:
    """Nothing is wrong."""
    return Check(name, Status.OK, detail)


def warn(name: str, detail: str, mend: str) -> Check:
    """Something could be better."""
    return Check(name, Status.WARN, detail, mend)


def fail(name: str, detail: str, mend: str) -> Check:
    """A run will not work."""
    return Check(name, Status.FAIL, detail, mend)


def guarded(name: str, look: Callable[[], Iterable[Check]]) -> Iterator[Check]:
    """The checks that `look` gives; one that raises becomes a FAIL with its message."""
    try:
        yield from look()
    except Exception as error:  # noqa: BLE001 - one broken check must not hide the others
        yield fail(name, str(error).strip() or type(error).__name__, "see the message")
