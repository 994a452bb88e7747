"""fulfil.py - the one loop: look in the log, sample the shortfall, grade, append, reply.

A fresh run finds an empty log, a resumed one a part-full log, a replay a full one; there is no
other mechanism. Searches run concurrently, and a prefix that two of them want at once is
sampled once: the second waits, then finds it in the log.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from labeler.model import (
    Ask,
    Completion,
    Finish,
    Grader,
    Outcome,
    Prefix,
    Problem,
    Reason,
    Reply,
    Rollout,
    Sampler,
    Verdict,
)
from labeler.rollout_log import RolloutLog, VerdictRow
from labeler.search import Asks, Replies

RETRIES = 3
"""How often a prefix is tried again after its sampler failed."""


@dataclass(slots=True)
class Counters:
    """What has been done so far; only ever grows."""

    solutions: int = 0
    rollouts: int = 0
    """Sampled now, not found in the log."""
    replayed: int = 0
    """Found in the log."""
    tokens: int = 0
    """Tokens of the rollouts sampled now."""
    graded: int = 0
    """Verdicts given now."""
    truncated: int = 0
    ungradable: int = 0
    failed: int = 0
    """Rollouts that the sampler failed to give."""


@dataclass(slots=True)
class Fulfiller:
    """Answers the asks of every search of one unit."""

    log: RolloutLog
    sampler: Sampler
    grader: Grader | None
    """None: nothing is graded (and so nothing topped up), and replies are empty."""
    counters: Counters = field(default_factory=Counters)
    failures: dict[str, str] = field(default_factory=dict)
    """Cause of failure by prefix key, of those given up."""
    _locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def answer(self, problem: Problem, asks: Asks) -> Replies:
        """One reply for each ask, in order. Raises SamplerError where the sampler cannot work."""
        if len(asks) == 1:
            return [await self._one(problem, asks[0])]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._one(problem, ask)) for ask in asks]
        return [task.result() for task in tasks]

    async def _one(self, problem: Problem, ask: Ask) -> Reply:
        completer, gold_key = self.sampler.completer, problem.gold_key
        async with self._locks[ask.prefix.key]:
            missing = self.log.missing(completer, ask, gold_key)
            self.counters.replayed += ask.n - sum(i < ask.n for i in missing)
            failure: str | None = None
            tries = 0
            while True:
                if missing:
                    failure = await self._sample(problem, ask, missing)
                    tries += failure is not None
                await self._grade(problem, ask)
                missing = self.log.missing(completer, ask, gold_key)
                if not missing:
                    self.failures.pop(ask.prefix.key, None)
                    return self.log.reply(completer, ask, gold_key)
                if tries > RETRIES:
                    self.failures[ask.prefix.key] = failure or "the sampler gave nothing"
                    return self.log.reply(completer, ask, gold_key, failure)

    async def _sample(self, problem: Problem, ask: Ask, indices: Sequence[int]) -> str | None:
        """Sample and log these indices; the cause of a failure, if any failed."""
        completions = await self.sampler.complete(ask.prefix, indices)
        now = time.time()
        done = [
            (i, c)
            for i, c in zip(indices, completions, strict=True)
            if c.finish is not Finish.ERROR
        ]
        self.log.append(self._rollout(problem, ask.prefix, i, c, now) for i, c in done)
        self.counters.rollouts += len(done)
        self.counters.tokens += sum(c.n_tokens for _, c in done)
        self.counters.failed += len(completions) - len(done)
        return next((c.text for c in completions if c.finish is Finish.ERROR), None)

    def _rollout(
        self, problem: Problem, prefix: Prefix, index: int, c: Completion, now: float
    ) -> Rollout:
        return Rollout(
            prefix_key=prefix.key,
            problem_id=problem.id,
            step=prefix.step,
            index=index,
            completer=self.sampler.completer,
            seed=c.seed,
            text=c.text,
            finish=c.finish,
            n_tokens=c.n_tokens,
            prompt_tokens=c.prompt_tokens,
            created_at=now,
        )

    async def _grade(self, problem: Problem, ask: Ask) -> None:
        """Grade what has no verdict yet: prefix and completion together."""
        if self.grader is None:
            return
        key, completer = ask.prefix.key, self.sampler.completer
        rollouts = self.log.ungraded(completer, ask, problem.gold_key)
        if not rollouts:
            return
        texts = [(ask.prefix.text + r.text, r.finish) for r in rollouts]
        verdicts = await self.grader.grade(problem.gold, texts)
        self.log.judge(
            VerdictRow(key, completer, r.index, problem.gold_key, v)
            for r, v in zip(rollouts, verdicts, strict=True)
        )
        self._count(verdicts)

    def _count(self, verdicts: Sequence[Verdict]) -> None:
        self.counters.graded += len(verdicts)
        self.counters.truncated += sum(v.reason is Reason.TRUNCATED for v in verdicts)
        self.counters.ungradable += sum(v.outcome is Outcome.UNGRADABLE for v in verdicts)
