"""Formats - rows that PRM trainers and benchmarks read <-> records, one module a format.

1. Pure: a row is a mapping, a file is somebody else's.
2. What a format carries survives: read(write(record)) is the record on that, and a row that one
   record fills is written back as it was.
3. Nothing is rounded, guessed or dropped in silence: a row or record that does not fit is a
   BadRowError with the field, the fault and the fix.
"""

from collections.abc import Mapping
from difflib import get_close_matches

from labeler.formats.math_aps import MathAps
from labeler.formats.math_shepherd import MathShepherd
from labeler.formats.mm_prm import MmPrm
from labeler.formats.openrlhf import OpenRlhf
from labeler.formats.orm import Orm
from labeler.formats.prm800k import Prm800k
from labeler.formats.processbench import ProcessBench
from labeler.formats.qwen import Qwen
from labeler.formats.recognise import recognise
from labeler.formats.record import BadRowError, FileKind, Format, Record, Row
from labeler.formats.rlhflow import RlhFlow
from labeler.formats.scan import Scan
from labeler.formats.tags import TAGGED, tag_of, with_tag
from labeler.formats.trl import Trl
from labeler.model import LabelerError

__all__ = [
    "FORMATS",
    "TAGGED",
    "BadRowError",
    "FileKind",
    "Format",
    "MathAps",
    "MathShepherd",
    "MmPrm",
    "OpenRlhf",
    "Orm",
    "Prm800k",
    "ProcessBench",
    "Qwen",
    "Record",
    "RlhFlow",
    "Row",
    "Scan",
    "Trl",
    "of",
    "recognise",
    "tag_of",
    "with_tag",
]

_ALL: tuple[Format, ...] = (
    Trl(), OpenRlhf(), MathShepherd(), Prm800k(), RlhFlow(), Qwen(), Scan(), ProcessBench(), Orm(),
    MmPrm(), MathAps(),
)  # fmt: skip
FORMATS: Mapping[str, Format] = {one.name: one for one in _ALL}
"""Every format by the name that the command line gives it, with default options."""


def of(name: str) -> Format:
    """The format of this name, with default options. Raises LabelerError with the nearest name."""
    if name in FORMATS:
        return FORMATS[name]
    near = get_close_matches(name.lower(), FORMATS, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(FORMATS)}"
    raise LabelerError(f"no format is called {name!r}: {hint}")
