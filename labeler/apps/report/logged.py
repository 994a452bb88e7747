"""logged.py - how much a run's log holds in all: every completer's, the judge's, the trees'."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labeler.files import RunDir


@dataclass(frozen=True, slots=True)
class Logged:
    """Of the log as it lies; what a kill had written twice counts twice until it is compacted."""

    rollouts: int
    tokens: int


def logged(run: "RunDir") -> Logged:
    """Count rows and sum their tokens, a part at a time. Raises FileError."""
    import pyarrow.compute as pc

    from labeler.files import parts, read_table

    rollouts = tokens = 0
    for path in parts(run.rollouts):
        column = read_table(path, ["n_tokens"])["n_tokens"]
        rollouts += len(column)
        tokens += pc.sum(column).as_py() or 0
    return Logged(rollouts, tokens)
