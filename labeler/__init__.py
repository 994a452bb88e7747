"""labeler - step labels for process reward models, without human annotators.

One row walks downward, each arrow one file:

    problem rows -> problems/ -> steps.py -> policies/ <-> search.drive
                 <-> fulfil.py (rollout_log.py | samplers/ | grading/)
                 -> labels/ -> shards/ -> labels/*.parquet

A policy's search asks for rollouts of prefixes. `fulfil` looks into the rollout log, samples
what it lacks, grades it, appends it and replies. Labels are a function of the log. A unit of
work (units.py) is one batch of problems on its whole walk; runners/ work on many of them, on
Ray actors or in this process; apps/ are the commands.

Importing the package loads nothing heavy: the names below come from their modules when used.
"""

from importlib import import_module

_HOME = {
    "Ask": "labeler.model",
    "LabelerError": "labeler.model",
    "Prefix": "labeler.model",
    "Problem": "labeler.model",
    "Reply": "labeler.model",
    "RunConfig": "labeler.config",
    "RunDir": "labeler.files",
    "Solution": "labeler.model",
    "Summary": "labeler.apps.run",
    "Task": "labeler.model",
    "Watcher": "labeler.apps.run",
    "load": "labeler.config",
    "run": "labeler.apps.run",
}
__all__ = [
    "Ask",
    "LabelerError",
    "Prefix",
    "Problem",
    "Reply",
    "RunConfig",
    "RunDir",
    "Solution",
    "Summary",
    "Task",
    "Watcher",
    "load",
    "run",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'labeler' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
