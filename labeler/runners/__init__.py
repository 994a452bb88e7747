"""runners - where units are worked on: Ray actors, or one event loop in this process.

A runner is a function `run(config, run, units, commit, watch)`. It calls `commit` once for each
unit that is done, `watch` now and then with what has been done so far, and returns the units
that could not be done, with the cause. It raises LabelerError where nothing can be done, and
flushes what it holds before KeyboardInterrupt leaves it.
"""

from collections.abc import Callable, Sequence

from labeler.config import InlineRunner, RunConfig
from labeler.files import RunDir
from labeler.fulfil import Counters
from labeler.units import UnitReport

Commit = Callable[[UnitReport], None]
Watch = Callable[[Counters], None]


def run(
    config: RunConfig, run: RunDir, units: Sequence[str], commit: Commit, watch: Watch
) -> dict[str, str]:
    """Work on the units with the runner that the configuration names."""
    if isinstance(config.runner, InlineRunner):
        from labeler.runners import inline

        return inline.run(config, run, units, commit, watch)
    from labeler.runners import ray

    return ray.run(config, run, units, commit, watch)
