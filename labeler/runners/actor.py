"""actor.py - what runs inside a Ray actor: one workshop, and nothing of Ray.

Many units are worked on at once on the actor's event loop, so the engine batches across
problems while each search waits for its own verdicts.
"""

import asyncio
import os
from contextlib import AsyncExitStack, ExitStack
from dataclasses import replace

from labeler import lock
from labeler.config import RunConfig
from labeler.files import FileError, RunDir, write_text
from labeler.fulfil import Counters
from labeler.units import UnitReport, Workshop, workshop


class CompleterActor:
    """Owns an engine. It ends when its driver does, or when `close` has returned."""

    def __init__(self, config: RunConfig, run: RunDir) -> None:
        self._config = config
        self._run = run
        self._shop: Workshop | None = None
        self._held = ExitStack()
        self._opened = AsyncExitStack()

    async def open(self) -> int:
        """Check the run directory, load the engine; returns the process id.

        Raises FileError where the directory is not the driver's or cannot be written.
        """
        _probe(self._run)
        self._held.enter_context(lock.shared(self._run.root))
        self._shop = await self._opened.enter_async_context(workshop(self._config, self._run))
        return os.getpid()

    async def work(self, unit: str) -> UnitReport:
        """Do one unit (see Workshop.work)."""
        return await self._opened_shop.work(unit)

    async def counters(self) -> Counters:
        """What this actor has done so far."""
        return replace(self._opened_shop.counters)

    async def flush(self) -> None:
        """Write what is not written yet."""
        if self._shop is not None:
            await self._shop.flush()

    async def close(self) -> None:
        """Free the engine and the grader, and let the run directory go."""
        await self._opened.aclose()
        await asyncio.to_thread(self._held.close)

    @property
    def _opened_shop(self) -> Workshop:
        if self._shop is None:
            raise RuntimeError("the actor was used before it was opened")
        return self._shop


def _probe(run: RunDir) -> None:
    """Whether this machine sees the driver's run directory and can write to it."""
    if not run.config.exists():
        raise FileError(
            f"{run.root} is not there on {os.uname().nodename}: a run on a cluster needs a "
            "directory that all nodes share (set run_dir)"
        )
    probe = run.root / f".probe-{os.uname().nodename}-{os.getpid()}"
    write_text(probe, "")
    probe.unlink()
