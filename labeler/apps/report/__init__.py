"""report - `labeler report`: one page of a run, in one file that needs nothing else."""

from labeler.apps.report.making import report

__all__ = ["report"]
