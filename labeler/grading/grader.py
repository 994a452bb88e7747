"""grader.py - completions to verdicts: extract, compare, and only then ask a worker.

1. Total: no text makes it raise. GraderError means that no worker can be started here.
2. Most verdicts cost microseconds and never leave the caller: exact match, numbers, words,
   different shapes. The rest goes to the pool, identical pairs once at a time.
3. The memo never holds a verdict that depends on luck (timeout, grader_died).
4. A verdict is a function of gold, text and `version`, time and memory running out aside.
It belongs to the event loop that it was opened in.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version as installed
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Self

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from labeler.grading.compare import Comparison
from labeler.grading.conventions import Conventions
from labeler.grading.explain import Explanation, kind_of
from labeler.grading.extract import cut_short, extract, tidy
from labeler.grading.kinds import Value
from labeler.grading.normalise import normalise
from labeler.grading.pool import WorkerPool
from labeler.grading.rulings import Judged, Rule, Ruling, ruled
from labeler.grading.settle import settle
from labeler.grading.values import read
from labeler.model import Finish, Outcome, Reason, Verdict, digest
from labeler.params import Params

_ENGINES = ("sympy", "mpmath")
_LUCK = (Reason.TIMEOUT, Reason.GRADER_DIED)
_INCORRECT = (Reason.WRONG, Reason.NO_ANSWER, Reason.TRUNCATED)
_MEMO_SPAN = 512
_GOLDS = 1000


class GradingConfig(Params):
    """How answers are graded. It costs no process until an answer needs symbolic comparison."""

    workers: PositiveInt = 1
    """Worker processes that compare symbolic answers side by side."""
    timeout_s: PositiveFloat = 1.8
    """Wall-clock seconds a symbolic comparison may take; then its worker is killed and the
    rollout is ungradable (timeout)."""
    memory_mb: int = Field(default=2048, ge=256)
    """Address space of a worker, in MiB; beyond it the answer is ungradable (too_big)."""
    memo_size: NonNegativeInt = 100_000
    """Verdicts remembered by (gold, answer), the least recently used forgotten first."""
    conventions: Conventions = Conventions()
    """What counts as the same answer where careful people differ."""


@dataclass(frozen=True, slots=True)
class _Gold:
    """A gold answer, as one span and as the value that this is."""

    span: str
    value: Value


class AnswerGrader:
    """Grades completions against a gold answer; implements model.Grader."""

    def __init__(self, config: GradingConfig | None = None) -> None:
        self.config = config or GradingConfig()
        self._comparison = Comparison(self.config.conventions, settle)
        self._pool = WorkerPool(self.config.workers, self.config.timeout_s, self.config.memory_mb)
        self._memo: dict[tuple[str, str], Verdict] = {}
        self._golds: dict[str, _Gold | None] = {}
        self._running: dict[tuple[str, str], asyncio.Task[Verdict]] = {}
        self._version = ""

    async def __aenter__(self) -> Self:
        await self._pool.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._pool.__aexit__(kind, error, tb)

    @property
    def version(self) -> str:
        """A digest of this package's code, its libraries' versions, and its conventions."""
        if not self._version:
            parts = [f"labeler-{_code()}", *(f"{name}-{installed(name)}" for name in _ENGINES)]
            conventions = self.config.conventions
            if conventions != Conventions():
                parts.append(f"conventions-{digest(conventions.model_dump_json(), size=4)}")
            self._version = "+".join(parts)
        return self._version

    @property
    def pids(self) -> Sequence[int]:
        """The server and its idle workers: none before the first symbolic answer."""
        return self._pool.pids

    async def grade(
        self, gold: str, completions: Sequence[tuple[str, Finish]]
    ) -> Sequence[Verdict]:
        """One verdict for each (text, finish), in order; text is prefix and completion."""
        found = [self._at_once(gold, text, finish) for text, finish in completions]
        waiting = {span for span in found if isinstance(span, str)}
        if not waiting:
            return [verdict for verdict in found if isinstance(verdict, Verdict)]
        graded = await asyncio.gather(*(self._slowly(gold, span) for span in waiting))
        verdicts = dict(zip(waiting, graded, strict=True))
        return [verdicts[v] if isinstance(v, str) else v for v in found]

    async def check_gold(self, gold: str) -> Verdict:
        """A gold graded against itself, boxed as a completion would box it."""
        (verdict,) = await self.grade(gold, [(f"\\boxed{{{gold}}}", Finish.STOP)])
        if verdict.reason in (Reason.NO_ANSWER, Reason.TRUNCATED):
            return _verdict(Reason.UNPARSED_GOLD, None, verdict.millis)
        return verdict

    async def explain(self, gold: str, text: str, finish: Finish = Finish.STOP) -> Explanation:
        """The verdict on one completion with the rule that decided, worked out anew."""
        span = _span(text, finish)
        expected = self._gold(gold)
        gold_kind = "" if expected is None else kind_of(expected.value)
        if isinstance(span, Reason):
            return Explanation(_verdict(span, None, 0.0), Rule.EXTRACTION, gold_kind, "")
        start = perf_counter()
        judged = Judged(self._fast(gold, span), (perf_counter() - start) * 1e3)
        if judged.ruling.reason is None:
            judged = await self._pool.run(tidy(gold), span, self.config.conventions)
        verdict = _verdict(_reason(judged.ruling), span, judged.millis)
        return Explanation(verdict, judged.ruling.rule, gold_kind, kind_of(read(span)))

    def _at_once(self, gold: str, text: str, finish: Finish) -> Verdict | str:
        """A verdict, or the span that a worker has to compare."""
        span = _span(text, finish)
        if isinstance(span, Reason):
            return _verdict(span, None, 0.0)
        if _is_integer(span) and _is_integer(gold):
            same = gold == span or int(gold) == int(span)
            return _verdict(Reason.MATCH if same else Reason.WRONG, span, 0.0)
        known = self._recall(gold, span)
        if known is not None:
            return known
        start = perf_counter()
        reason = self._fast(gold, span).reason
        if reason is None:
            return span
        return self._remember(gold, span, reason, (perf_counter() - start) * 1e3)

    def _fast(self, gold: str, span: str) -> Ruling:
        """The ruling that needs no worker, or an undecided one."""
        try:
            expected = self._gold(gold)
            if expected is None:
                return Ruling(Reason.UNPARSED_GOLD, Rule.READING)
            if span == expected.span:
                return ruled(Rule.TEXT, equal=True)
            return self._comparison.rule(expected.value, read(span))
        except RecursionError:  # depths are bounded, but the caller's own stack may be deep
            return Ruling(Reason.TOO_BIG, Rule.LIMITS)
        except Exception:  # noqa: BLE001 - one text that nobody thought of must not end a unit
            return Ruling(Reason.UNPARSED_ANSWER, Rule.LIMITS)

    def _gold(self, gold: str) -> "_Gold | None":
        """The gold, read once a problem; None for one that says nothing."""
        if gold not in self._golds:
            if len(self._golds) >= _GOLDS:
                del self._golds[next(iter(self._golds))]
            span = tidy(gold)
            self._golds[gold] = _Gold(span, read(span)) if span else None
        return self._golds[gold]

    async def _slowly(self, gold: str, span: str) -> Verdict:
        """The worker's verdict; spellings of one answer are one job, however many wait for it."""
        spelled = normalise(span)
        known = self._recall(gold, spelled)
        if known is None:
            key = (gold, spelled)
            task = self._running.get(key)
            if task is None:
                task = asyncio.create_task(self._ask(gold, span, spelled))
                self._running[key] = task
                task.add_done_callback(lambda _: self._running.pop(key, None))
            known = await asyncio.shield(task)
        return self._remember(gold, span, known.reason, known.millis)

    async def _ask(self, gold: str, span: str, spelled: str) -> Verdict:
        judged = await self._pool.run(tidy(gold), span, self.config.conventions)
        return self._remember(gold, spelled, _reason(judged.ruling), judged.millis)

    def _recall(self, gold: str, span: str) -> Verdict | None:
        key = (gold, span)
        verdict = self._memo.pop(key, None)
        if verdict is not None:
            self._memo[key] = verdict
        return verdict

    def _remember(self, gold: str, span: str, reason: Reason, millis: float) -> Verdict:
        if reason not in _LUCK and len(span) <= _MEMO_SPAN and self.config.memo_size:
            if len(self._memo) >= self.config.memo_size:
                del self._memo[next(iter(self._memo))]
            self._memo[gold, span] = _verdict(reason, span, 0.0)
        return _verdict(reason, span, millis)


def _code() -> str:
    """A digest of what decides here: another code may give other verdicts."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return digest(*(source.read_text(encoding="utf-8") for source in sources), size=4)


def _span(text: str, finish: Finish) -> str | Reason:
    """The answer that a completion states, or why there is none."""
    if finish is not Finish.STOP:
        return Reason.TRUNCATED
    span = extract(text)
    if span is not None:
        return span
    return Reason.TRUNCATED if cut_short(text) else Reason.NO_ANSWER


def _reason(ruling: Ruling) -> Reason:
    """The reason of a worker's ruling: it always gives one."""
    return ruling.reason or Reason.GRADER_DIED


def _is_integer(text: str) -> bool:
    """Whether text is a plain ASCII integer: of two there is nothing to read or remember."""
    digits = text if text.isdigit() else text.removeprefix("-")
    return digits.isdigit() and digits.isascii() and len(digits) < 100


def _verdict(reason: Reason, answer: str | None, millis: float) -> Verdict:
    if reason is Reason.MATCH:
        return Verdict(Outcome.CORRECT, reason, answer, millis)
    outcome = Outcome.INCORRECT if reason in _INCORRECT else Outcome.UNGRADABLE
    return Verdict(outcome, reason, answer, millis)
