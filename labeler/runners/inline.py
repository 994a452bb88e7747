"""inline.py - units on one event loop in this process: for tests, and where Ray is too much."""

import asyncio
from collections.abc import Callable, Sequence

from labeler.config import RunConfig
from labeler.files import RunDir
from labeler.fulfil import Counters
from labeler.units import UnitReport, Workshop, first_cause, workshop

WATCH_SECONDS = 0.5


def run(
    config: RunConfig,
    run: RunDir,
    units: Sequence[str],
    commit: Callable[[UnitReport], None],
    watch: Callable[[Counters], None],
) -> dict[str, str]:
    """See runners.run. No unit fails here by itself: what fails ends the run."""
    asyncio.run(_run(config, run, units, commit, watch))
    return {}


async def _run(
    config: RunConfig,
    run: RunDir,
    units: Sequence[str],
    commit: Callable[[UnitReport], None],
    watch: Callable[[Counters], None],
) -> None:
    waiting = iter(units)

    async def worker(shop: Workshop) -> None:
        for unit in waiting:
            commit(await shop.work(unit))

    async with workshop(config, run) as shop:
        watcher = asyncio.create_task(_watch(shop, watch))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(config.units_in_flight):
                    group.create_task(worker(shop))
        except ExceptionGroup as group_error:
            raise first_cause(group_error) from group_error
        finally:
            watcher.cancel()
            watch(shop.counters)


async def _watch(shop: Workshop, watch: Callable[[Counters], None]) -> None:
    while True:
        watch(shop.counters)
        await asyncio.sleep(WATCH_SECONDS)
