"""Problems - rows of files and datasets -> problems with gold answers, and given solutions.

1. Reading streams: memory does not grow with the input.
2. Every row comes back, in order: as a Row, or as Rejected with its position and the reason.
   Only a source that cannot be read at all raises (LabelerError).
3. The id of a problem is the row's own, or a digest of its question and gold.

It does not know what is read already (ingest does), how solutions are cut (steps does), or
whether a gold can be graded (grading does).
"""

from collections.abc import Iterator
from itertools import islice

from labeler.problems.config import Columns, ProblemsConfig
from labeler.problems.nouns import RawSolution, Rejected, Rejection, Row
from labeler.problems.rows import parse
from labeler.problems.sources import rows

__all__ = ["Columns", "ProblemsConfig", "RawSolution", "Rejected", "Rejection", "Row", "read"]


def read(config: ProblemsConfig) -> Iterator[Row | Rejected]:
    """Every row of the source, at most `config.limit`, as problems or as rejections.

    Raises LabelerError where the source does not exist or cannot be read, or its path needs an
    environment variable that is not set.
    """
    for found in islice(rows(config), config.limit):
        yield found if isinstance(found, Rejected) else parse(*found, config)
