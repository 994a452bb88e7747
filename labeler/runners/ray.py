"""ray.py - units on Ray actors.

1. Each unit is in one place: waiting, in flight on one actor, committed, or failed.
2. An actor that dies (or whose engine does) gives its units back; another takes its place, as
   soon as the cluster has room. What its log had flushed is not sampled again.
3. A unit in flight at two deaths is then tried with nothing beside it, and given up at its
   fifth death: a unit that kills its actor must not take the others along.
4. Actors that the cluster has no room for wait, and join when it grows.

Only unit names and reports cross the network: searches and logs live in the actors.
"""

import logging
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayActorError, RayError, RayTaskError

from labeler.config import RayRunner, RunConfig
from labeler.files import RunDir
from labeler.fulfil import Counters
from labeler.model import LabelerError
from labeler.runners.actor import CompleterActor
from labeler.runners.cluster import cluster
from labeler.samplers import EngineDiedError
from labeler.units import UnitReport

SUSPECT_AFTER = 2
GIVE_UP_AFTER = 5
START_TRIES = 3
WATCH_SECONDS = 1.0
FLUSH_SECONDS = 30.0

log = logging.getLogger(__name__)


def run(
    config: RunConfig,
    run: RunDir,
    units: Sequence[str],
    commit: Callable[[UnitReport], None],
    watch: Callable[[Counters], None],
) -> dict[str, str]:
    """See runners.run. Ends every process that it started."""
    runner = config.runner
    assert isinstance(runner, RayRunner)
    with cluster(runner):
        fleet = Fleet(config, run, runner)
        try:
            return fleet.work(units, commit, watch)
        except KeyboardInterrupt:
            fleet.flush()
            raise
        finally:
            fleet.close()


@dataclass(slots=True, eq=False)
class Engine:
    """One actor as the driver sees it."""

    actor: Any
    opening: Any
    ready: bool = False
    units: dict[Any, str] = field(default_factory=dict)
    """Units in flight, by the reference to their report."""
    asked: Any = None
    """A call for its counters, not yet answered."""
    counters: Counters = field(default_factory=Counters)


class Fleet:
    """The actors of one run, and which unit each of them works on."""

    def __init__(self, config: RunConfig, run: RunDir, runner: RayRunner) -> None:
        self._config = config
        self._run = run
        self._runner = runner
        self._engines: list[Engine] = []
        self._waiting: deque[str] = deque()
        self._deaths: Counter[str] = Counter()
        self._start_deaths = 0
        self._past = Counters()
        """What actors had done that are gone."""
        self._failed: dict[str, str] = {}

    def work(
        self,
        units: Sequence[str],
        commit: Callable[[UnitReport], None],
        watch: Callable[[Counters], None],
    ) -> dict[str, str]:
        """All units, until each is committed or given up; returns the latter with their cause."""
        self._waiting.extend(units)
        wanted = min(self._runner.actors, len(units))
        while self._waiting or any(e.units for e in self._engines):
            while len(self._engines) < wanted:
                self._engines.append(self._start())
            self._hand_out()
            for engine, ref in self._settled():
                self._settle(engine, ref, commit)
            watch(self._total())
        watch(self._total())
        return self._failed

    def flush(self) -> None:
        """Let every actor write what it has not written yet."""
        with suppress(RayError, GetTimeoutError):
            ray.get([e.actor.flush.remote() for e in self._engines], timeout=FLUSH_SECONDS)

    def close(self) -> None:
        """End all actors."""
        with suppress(RayError, GetTimeoutError):
            ready = [e for e in self._engines if e.ready and not e.units]
            ray.get([e.actor.close.remote() for e in ready], timeout=FLUSH_SECONDS)
        for engine in self._engines:
            ray.kill(engine.actor)

    def _start(self) -> Engine:
        options: dict[str, Any] = {
            "num_cpus": self._runner.cpus,
            "num_gpus": self._runner.gpus,
            "runtime_env": {"env_vars": self._config.environment},
        }
        actor = ray.remote(CompleterActor).options(**options).remote(self._config, self._run)
        return Engine(actor, actor.open.remote())

    def _hand_out(self) -> None:
        """Give waiting units to the actors with the fewest, a suspect one only to an idle actor."""
        while self._waiting:
            suspect = self._deaths[self._waiting[0]] >= SUSPECT_AFTER
            able = [e for e in self._engines if e.ready and self._room(e)]
            able = [e for e in able if not (suspect and e.units)]
            if not able:
                return
            engine = min(able, key=lambda e: len(e.units))
            unit = self._waiting.popleft()
            engine.units[engine.actor.work.remote(unit)] = unit

    def _room(self, engine: Engine) -> bool:
        suspects = any(self._deaths[u] >= SUSPECT_AFTER for u in engine.units.values())
        return len(engine.units) < self._config.units_in_flight and not suspects

    def _settled(self) -> list[tuple[Engine, Any]]:
        """Calls that have ended; waits a moment for one."""
        owner: dict[Any, Engine] = {}
        for engine in self._engines:
            if engine.ready and engine.asked is None:
                engine.asked = engine.actor.counters.remote()
            refs = [*engine.units, *([] if engine.ready else [engine.opening])]
            owner |= dict.fromkeys(refs, engine)
        done, _ = ray.wait(list(owner), num_returns=1, timeout=WATCH_SECONDS)
        counted = [e for e in self._engines if e.asked is not None]
        fresh, _ = (
            ray.wait([e.asked for e in counted], num_returns=len(counted), timeout=0)
            if counted
            else ([], [])
        )
        return [
            *((owner[ref], ref) for ref in done),
            *((e, e.asked) for e in counted if e.asked in fresh),
        ]

    def _settle(self, engine: Engine, ref: Any, commit: Callable[[UnitReport], None]) -> None:  # noqa: ANN401 - Ray's references have no type
        """Take in the result of one call."""
        if engine not in self._engines:
            return
        try:
            result = ray.get(ref)
        except (RayActorError, RayTaskError) as error:
            cause = error.cause if isinstance(error, RayTaskError) else error
            if not isinstance(cause, RayActorError | EngineDiedError):
                # A LabelerError is for the user, without the actor's traceback.
                raise cause if isinstance(cause, LabelerError) else error from None
            self._bury(engine, cause)
            return
        if ref == engine.opening:
            engine.ready = True
            self._start_deaths = 0
        elif ref == engine.asked:
            engine.asked, engine.counters = None, _later(engine.counters, result)
        else:
            del engine.units[ref]
            engine.counters = _later(engine.counters, result.counters)
            commit(result)

    def _bury(self, engine: Engine, error: Exception) -> None:
        """Take the units of a dead actor back."""
        self._engines.remove(engine)
        ray.kill(engine.actor)
        self._past = _sum(self._past, engine.counters)
        if not engine.ready:
            self._start_deaths += 1
            if self._start_deaths >= START_TRIES and not any(e.ready for e in self._engines):
                raise LabelerError(f"the engine dies while it starts: {_first_line(error)}")
        for unit in engine.units.values():
            self._deaths[unit] += 1
            if self._deaths[unit] < GIVE_UP_AFTER:
                self._waiting.appendleft(unit)
            else:
                self._failed[unit] = f"its actor died {GIVE_UP_AFTER} times: {_first_line(error)}"
        log.warning("an engine died (%s); its units go back to the queue", _first_line(error))

    def _total(self) -> Counters:
        total = self._past
        for engine in self._engines:
            total = _sum(total, engine.counters)
        return total


def _later(a: Counters, b: Counters) -> Counters:
    """The later of two states of one actor's counters, which only grow."""
    return Counters(
        **{f.name: max(getattr(a, f.name), getattr(b, f.name)) for f in fields(Counters)}
    )


def _sum(a: Counters, b: Counters) -> Counters:
    return Counters(**{f.name: getattr(a, f.name) + getattr(b, f.name) for f in fields(Counters)})


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
