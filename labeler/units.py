"""units.py - one unit of work, start to end: what an actor does.

A unit is a batch of problems whose questions hash to one bucket. Working on it means: read its
log, check its golds, sample missing solutions, run its searches, label, stage the labels and
compact the log. Nothing is committed here: the driver does that with one manifest entry when
the report arrives. So a unit may be tried any number of times, and each try starts from
whatever the log holds.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from labeler import generation
from labeler.config import RunConfig
from labeler.files import RunDir
from labeler.fulfil import Counters, Fulfiller
from labeler.grading import AnswerGrader
from labeler.judged import heard, judge_of, judgement, worth_asking
from labeler.labelling import (
    View,
    all_labels,
    grade_own_answers,
    rejected,
    sound,
    stage,
    stored,
    tasks_of,
)
from labeler.labels import SolutionLabel
from labeler.manifest import Judge, Prover, Staged
from labeler.model import Sampler, Task
from labeler.policies import needs_solutions
from labeler.problems import Rejected, Rejection
from labeler.provenance import made_with
from labeler.rollout_log import RolloutLog
from labeler.samplers import CHOOSER, COMPLETER, GENERATOR, JUDGE, Opened
from labeler.search import Asks, Replies, drive
from labeler.views import every_prefix


@dataclass(frozen=True, slots=True)
class UnitReport:
    """What became of a unit: what its manifest entry will say."""

    unit: str
    completer: str
    grader: str
    problems: int
    staged: Staged
    provers: tuple[Prover, ...] = ()
    """Further completers that it was rolled out under."""
    judge: Judge | None = None
    """Who judged its solutions."""
    rejected: int = 0
    """Solutions in quarantine, since the gold of their problem cannot be graded."""
    quarantined: tuple[Rejected, ...] = ()
    failures: Mapping[str, str] = field(default_factory=dict)
    """Cause of failure by prefix key, where the sampler failed for good; of the generator's and the
    judge's by role, slash and key, of a further completer's by Prover.failure_key."""
    counters: Counters = field(default_factory=Counters)
    made_with: Mapping[str, str] = field(default_factory=dict)
    """Package versions and hardware."""


class Workshop:
    """Works on units, several at once, with a run's completers, its generator and one grader."""

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
        provers = self._provers()
        fulfillers = self._fulfillers(log)
        completer = self._samplers[COMPLETER].completer
        view = View(self._config, completer, {}, provers)
        async with asyncio.TaskGroup() as group:
            for task in tasks:
                group.create_task(self._search(log, task, view, fulfillers))
        failures |= view.given_up({c: f.failures for c, f in fulfillers.items()})
        judge = await self._judge(log, tasks, view, failures)
        view = replace(view, failures=failures, judge=judge)
        staged = await stage(log, tasks, self._run, view)
        await log.compact()
        return UnitReport(
            unit=unit,
            completer=completer,
            grader=self._grader.version,
            problems=len(tasks),
            staged=staged,
            provers=provers,
            judge=view.judge,
            rejected=unsound,
            quarantined=(*bad_golds, *bad_solutions),
            failures=failures,
            counters=replace(self.counters),
            made_with=made_with(),
        )

    def _provers(self) -> tuple[Prover, ...]:
        """The further completers, as the manifest names them."""
        pairs = zip(self._config.completers, self._config.further, strict=True)
        return tuple(
            Prover(p.name, self._samplers[p.role].completer, p.n, settings) for p, settings in pairs
        )

    def _fulfillers(self, log: RolloutLog) -> dict[str, Fulfiller]:
        """One for each fingerprint: two of one would sample what the other has in flight."""
        roles = (COMPLETER, *(prover.role for prover in self._config.completers))
        samplers = {s.completer: s for s in (self._samplers[role] for role in roles)}
        return {
            completer: Fulfiller(log, sampler, self._grader, self.counters)
            for completer, sampler in samplers.items()
        }

    async def _search(
        self, log: RolloutLog, task: Task, view: View, fulfillers: Mapping[str, Fulfiller]
    ) -> None:
        """Search a problem, then roll out what is labelled of it under every further completer."""

        async def answer(asks: Asks) -> Replies:
            return await fulfillers[view.completer].answer(task.problem, asks)

        await drive(self._config.policy.search(task), answer)
        if view.provers:
            solutions = view.forest(log).grown(task).solutions
            async with asyncio.TaskGroup() as group:
                for prover in view.provers:
                    wanted = every_prefix(task, solutions, prover.n)
                    group.create_task(fulfillers[prover.completer].answer(task.problem, wanted))
        self.counters.solutions += len(task.solutions)

    async def _judge(
        self, log: RolloutLog, tasks: Sequence[Task], view: View, failures: dict[str, str]
    ) -> Judge | None:
        """Ask the judge, if there is one, of every solution where that can change what is kept.

        Into `failures` goes the cause of each that it could not be asked of.
        """
        sampler, chooser = self._samplers.get(JUDGE), self._samplers.get(CHOOSER)
        if sampler is None:
            return None
        judge = judge_of(self._config, sampler.completer, chooser.completer if chooser else "")
        asked = {False: Fulfiller(log, sampler, None, self.counters)}
        if chooser is not None:
            asked[True] = Fulfiller(log, chooser, None, self.counters)
        problems = {task.problem.id: task.problem for task in tasks}

        async def ask(row: SolutionLabel) -> None:
            asking = judgement(row, judge, self._config)
            with suppress(StopIteration):
                of = next(asking)
                while True:
                    await asked[of.chosen].answer(problems[row.problem_id], of.asks)
                    of = asking.send(heard(log, judge, of))

        async with asyncio.TaskGroup() as group:
            for row in all_labels(log, tasks, view):
                if worth_asking(row, self._config):
                    group.create_task(ask(row))
        for fulfiller in asked.values():
            failures |= {f"{JUDGE}/{key}": why for key, why in fulfiller.failures.items()}
        return judge

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
        fulfiller = Fulfiller(log, sampler, None, self.counters)
        written, bad = await generation.sampled(tasks, fulfiller, count, self._config.steps)
        failures |= {f"{GENERATOR}/{key}": why for key, why in fulfiller.failures.items()}
        await log.flush()
        await asyncio.to_thread(
            generation.store, self._run, unit, list(written.values()), self._config
        )
        return [written.get(task.problem.id, task) for task in tasks], bad


@asynccontextmanager
async def workshop(config: RunConfig, run: RunDir) -> AsyncIterator[Workshop]:
    """Open what units need (the engines, the grader) and close it again."""
    async with AsyncExitStack() as stack:
        grader = await stack.enter_async_context(AnswerGrader(config.grading))
        engines = Opened(config.completer, config.prompt, config.seed, stack)
        samplers = {COMPLETER: await engines.sampler(config.completer)}
        if generator := config.generator:
            samplers[GENERATOR] = await engines.sampler(
                generator.completer, generator.sampling, GENERATOR
            )
        for prover in config.completers:
            samplers[prover.role] = await engines.sampler(prover.completer, prover.sampling)
        if judge := config.judge:
            told = (judge.completer, judge.sampling, JUDGE, judge.prompt)
            samplers[JUDGE] = await engines.sampler(*told)
            if judge.choices:
                samplers[CHOOSER] = await engines.sampler(*told, judge.choices)
        yield Workshop(config, run, samplers, grader)


def first_cause(group: ExceptionGroup[Exception]) -> Exception:
    """The first error that a group holds, however deep."""
    first = group.exceptions[0]
    return first_cause(first) if isinstance(first, ExceptionGroup) else first
