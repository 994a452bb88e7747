"""units.py - one unit of work, start to end: what an actor does.

A unit is a batch of problems whose questions hash to one bucket. Working on it means: read its
log, check its golds, sample missing solutions, run its searches, label, stage the labels and
compact the log. Nothing is committed here: the driver does that with one manifest entry when
the report arrives. So a unit may be tried any number of times, and each try starts from
whatever the log holds.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace

from labeler import generation
from labeler.config import RunConfig
from labeler.files import RunDir
from labeler.fulfil import Counters, Fulfiller
from labeler.grading import AnswerGrader
from labeler.labelling import View, grade_own_answers, rejected, sound, stage, stored, tasks_of
from labeler.manifest import Staged
from labeler.model import Sampler, Task
from labeler.policies import needs_solutions
from labeler.problems import Rejected, Rejection
from labeler.provenance import made_with
from labeler.rollout_log import RolloutLog
from labeler.samplers import COMPLETER, GENERATOR
from labeler.search import Asks, Replies, drive


@dataclass(frozen=True, slots=True)
class UnitReport:
    """What became of a unit: what its manifest entry will say."""

    unit: str
    completer: str
    grader: str
    problems: int
    staged: Staged
    rejected: int = 0
    """Solutions in quarantine, since the gold of their problem cannot be graded."""
    quarantined: tuple[Rejected, ...] = ()
    failures: Mapping[str, str] = field(default_factory=dict)
    """Cause of failure by prefix key (of the generator's, by `generator/` and that key), where
    the sampler failed for good."""
    counters: Counters = field(default_factory=Counters)
    made_with: Mapping[str, str] = field(default_factory=dict)
    """Package versions and hardware."""


class Workshop:
    """Works on units, several at once, with one completer, one generator and one grader."""

    def __init__(
        self,
        config: RunConfig,
        run: RunDir,
        samplers: Mapping[str, Sampler],
        grader: AnswerGrader,
    ) -> None:
        self.counters = Counters()
        self._config = config
        self._run = run
        self._samplers = samplers
        self._grader = grader
        self._logs: dict[str, RolloutLog] = {}

    async def work(self, unit: str) -> UnitReport:
        """Do one unit.

        Raises FileError where the disk fails, SamplerError where no completion can be had; what
        was flushed before stays in the log.
        """
        log = await asyncio.to_thread(
            RolloutLog, self._run, unit, self._grader.version, self._config.hash
        )
        self._logs[unit] = log
        try:
            async with asyncio.TaskGroup() as group:
                flusher = group.create_task(self._flush_now_and_then(log))
                report = await self._work(unit, log)
                flusher.cancel()
        except ExceptionGroup as group_error:
            raise first_cause(group_error) from group_error
        finally:
            del self._logs[unit]
            await log.flush()
        return report

    async def flush(self) -> None:
        """Write everything that any unit has not written yet."""
        for log in list(self._logs.values()):
            await log.flush()

    async def _flush_now_and_then(self, log: RolloutLog) -> None:
        while True:
            await asyncio.sleep(self._config.flush_seconds)
            await log.flush()

    async def _work(self, unit: str, log: RolloutLog) -> UnitReport:
        held = tasks_of(self._config, self._run, unit)
        tasks, bad_golds = await sound(held, self._grader)
        unsound = stored(held) - stored(tasks)
        failures: dict[str, str] = {}
        tasks, bad_solutions = await self._generate(unit, log, tasks, failures)
        tasks = [await grade_own_answers(log, self._grader, task) for task in tasks]
        fulfiller = Fulfiller(log, self._samplers[COMPLETER], self._grader, self.counters)
        async with asyncio.TaskGroup() as group:
            for task in tasks:
                group.create_task(self._search(task, fulfiller))
        completer = self._samplers[COMPLETER].completer
        view = View(self._config, completer, fulfiller.failures)
        staged = await stage(log, tasks, self._run, view)
        await log.compact()
        return UnitReport(
            unit=unit,
            completer=completer,
            grader=self._grader.version,
            problems=len(tasks),
            staged=staged,
            rejected=unsound,
            quarantined=(*bad_golds, *bad_solutions),
            failures=failures | fulfiller.failures,
            counters=replace(self.counters),
            made_with=made_with(),
        )

    async def _search(self, task: Task, fulfiller: Fulfiller) -> None:
        async def answer(asks: Asks) -> Replies:
            return await fulfiller.answer(task.problem, asks)

        await drive(self._config.policy.search(task), answer)
        self.counters.solutions += len(task.solutions)

    async def _generate(
        self, unit: str, log: RolloutLog, tasks: Sequence[Task], failures: dict[str, str]
    ) -> tuple[list[Task], list[Rejected]]:
        """The tasks, with sampled solutions for each problem that came with none.

        Into `failures` goes the cause for each problem whose generator failed.
        """
        sampler = self._samplers.get(GENERATOR)
        if sampler is None or self._config.generator is None:
            if not needs_solutions(self._config.policy):
                return list(tasks), []
            lacking = [t for t in tasks if not t.solutions]
            entries = [e for t in lacking for e in rejected(t, Rejection.MISSING_SOLUTION)]
            return [t for t in tasks if t.solutions], entries
        count = self._config.generator.per_problem
        bare = generation.bare(tasks, sampler.completer)
        fulfiller = Fulfiller(log, sampler, None, self.counters)
        wishes = [(task, generation.wish(task, count)) for task in bare]
        async with asyncio.TaskGroup() as group:
            for task, ask in wishes:
                group.create_task(fulfiller.answer(task.problem, [ask]))
        failures |= {f"{GENERATOR}/{key}": why for key, why in fulfiller.failures.items()}
        written: dict[str, Task] = {}
        bad: list[Rejected] = []
        for task, ask in wishes:
            held = log.rollouts(sampler.completer, ask.prefix.key)
            rollouts = [held[i] for i in range(count) if i in held]
            solutions, entries = generation.solutions_from(
                task.problem, rollouts, self._config.steps
            )
            written[task.problem.id] = replace(task, solutions=solutions)
            bad += entries
        await log.flush()
        await asyncio.to_thread(
            generation.store, self._run, unit, list(written.values()), self._config
        )
        return [written.get(task.problem.id, task) for task in tasks], bad


@asynccontextmanager
async def workshop(config: RunConfig, run: RunDir) -> AsyncIterator[Workshop]:
    """Open what units need (the engine, the grader) and close it again."""
    async with AsyncExitStack() as stack:
        grader = await stack.enter_async_context(AnswerGrader(config.grading))
        source = await stack.enter_async_context(config.completer.open(config.prompt, config.seed))
        samplers = {COMPLETER: source.sampler()}
        generator = config.generator
        if generator is not None:
            other = generator.completer
            if other is not None:
                source = await stack.enter_async_context(other.open(config.prompt, config.seed))
            samplers[GENERATOR] = source.sampler(generator.sampling, GENERATOR)
        yield Workshop(config, run, samplers, grader)


def first_cause(group: ExceptionGroup[Exception]) -> Exception:
    """The first error that a group holds, however deep."""
    first = group.exceptions[0]
    return first_cause(first) if isinstance(first, ExceptionGroup) else first
