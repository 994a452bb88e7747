"""model.py - the nouns of the field, frozen, and the two seams to the outside.

A problem has solutions; a solution has steps; a prefix is the question with the first k
steps. A completer finishes a prefix: each completion, once it has its place in the log, is a
rollout, and a grader gives it a verdict. A policy's search yields Asks and receives Replies
(see search.py).

Identity is content: every key and seed here is a blake2b digest of text, so it survives
restarts, shards and machines. This module does no I/O and imports nothing of the package.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import Protocol


def digest(*parts: str, size: int = 16) -> str:
    """Hex blake2b of `parts`, length-prefixed so that ("ab", "c") differs from ("a", "bc")."""
    h = blake2b(digest_size=size)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        h.update(len(data).to_bytes(8, "big"))
        h.update(data)
    return h.hexdigest()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a solution: its text, and the separator that follows it in the solution."""

    text: str
    separator: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A question with its gold answer."""

    id: str
    question: str
    gold: str
    source: str = ""
    """Where it came from: the file or dataset name."""
    gold_key: str = field(init=False, compare=False)
    """Content key of the gold answer; verdicts of one rollout differ by it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "gold_key", digest(self.gold, size=8))

    @property
    def question_key(self) -> str:
        """Content key of the question; rows with one key are worked on together."""
        return digest(self.question)


@dataclass(frozen=True, slots=True)
class Prefix:
    """A question and the first `step` steps of a solution: what a completer continues."""

    question: str
    text: str
    """The first steps with their separators, the last one included; empty for prefix 0."""
    step: int
    """How many steps the text holds (prefix 0 is the bare question)."""
    template: str = ""
    """Digest of the prompt template that the prefix is rendered with."""
    key: str = field(init=False, compare=False)
    """Content key: what rollouts are logged under."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", digest(self.template, self.question, self.text))


@dataclass(frozen=True, slots=True)
class Solution:
    """A chain of steps to label, with the answer it reaches by itself."""

    id: str
    problem_id: str
    steps: tuple[Step, ...]
    generator: str = ""
    """Who wrote it: a completer's fingerprint, or the name that the input row gave."""

    @property
    def text(self) -> str:
        """The whole solution, as it was read."""
        return "".join(s.text + s.separator for s in self.steps)


def uncut(text: str) -> tuple[Step, ...]:
    """A text as one step."""
    return (Step(text, ""),) if text else ()


@dataclass(frozen=True, slots=True)
class Task:
    """What one search works on: a problem with all its solutions."""

    problem: Problem
    solutions: tuple[Solution, ...]
    template: str = ""
    """Digest of the prompt template (see Prefix.template)."""
    right: frozenset[str] = frozenset()
    """Ids of the solutions whose own answer is graded correct: V(K) = 1 for these."""
    unknown: frozenset[str] = frozenset()
    """Ids of those whose own answer could not be graded; every other one is wrong."""
    cut: Callable[[str], tuple[Step, ...]] = field(default=uncut, compare=False, repr=False)
    """How the text of a rollout is cut into steps: as the run cuts solutions."""

    def prefix(self, solution: Solution, k: int) -> Prefix:
        """Prefix k of a solution, 0 <= k <= K."""
        text = "".join(s.text + s.separator for s in solution.steps[:k])
        return Prefix(self.problem.question, text, k, self.template)


class Finish(StrEnum):
    """Why a completion ended."""

    STOP = "stop"
    LENGTH = "length"
    """The token budget ran out: truncated."""
    ERROR = "error"
    """The sampler failed; never graded, never counted, and not kept in the log."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a sampler gave for one index of a prefix."""

    text: str
    finish: Finish
    n_tokens: int
    """Tokens generated."""
    prompt_tokens: int
    """Tokens of the rendered prefix."""
    seed: int | None = None
    """The seed that was sent; None when none was."""
    logprobs: Mapping[int, float] | None = None
    """Log probabilities of the first token, by id, where these were asked for."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """A completion with its place in the log: an immutable row."""

    prefix_key: str
    step: int
    index: int
    """Which of that prefix's rollouts; (completer, prefix_key, index) is unique in a log."""
    completer: str
    seed: int | None
    text: str
    finish: Finish
    n_tokens: int
    prompt_tokens: int
    created_at: float
    """Seconds since 1970, UTC."""
    problem_id: str = ""
    """The problem whose search asked first; others with the same question share the rollout."""


class Outcome(StrEnum):
    """The three verdicts. Only UNGRADABLE leaves the denominator."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNGRADABLE = "ungradable"


class Reason(StrEnum):
    """Why: of incorrect a fact about the completer, of ungradable a limit of the grader."""

    MATCH = "match"
    WRONG = "wrong"
    NO_ANSWER = "no_answer"
    TRUNCATED = "truncated"
    UNPARSED_ANSWER = "unparsed_answer"
    UNPARSED_GOLD = "unparsed_gold"
    TOO_BIG = "too_big"
    TIMEOUT = "timeout"
    GRADER_DIED = "grader_died"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the grader said of one rollout's (or one solution's own) answer."""

    outcome: Outcome
    reason: Reason
    answer: str | None
    """The extracted span, or None where there was none."""
    millis: float
    """Wall-clock milliseconds that grading took; 0 when it came from the memo."""


@dataclass(frozen=True, slots=True)
class Graded:
    """A rollout with its verdict."""

    rollout: Rollout
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Ask:
    """A wish for a prefix to have `n` graded rollouts in all, indices 0..n-1.

    Cumulative, so that asking again is harmless and the log alone decides the shortfall.
    """

    prefix: Prefix
    n: int


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one Ask, in index order.

    It can hold more than n rollouts (ungradable ones are topped up) or fewer (the sampler
    failed for good, and `failure` says how).
    """

    ask: Ask
    rollouts: tuple[Graded, ...]
    failure: str | None = None

    @property
    def graded(self) -> int:
        """Rollouts that count: correct or incorrect."""
        return sum(g.verdict.outcome is not Outcome.UNGRADABLE for g in self.rollouts)

    @property
    def correct(self) -> int:
        """Rollouts that reached the gold answer."""
        return sum(g.verdict.outcome is Outcome.CORRECT for g in self.rollouts)


class Sampler(Protocol):
    """A source of completions: vLLM, an endpoint, a recorded pool, a planted world."""

    @property
    def completer(self) -> str:
        """Fingerprint of everything that shapes its completions."""

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> Sequence[Completion]:
        """One completion for each index, in order.

        May be called concurrently. An index that could not be sampled comes back with
        Finish.ERROR and the cause as its text. Raises only what no retry can mend (bad
        credentials, a request that the server refuses), as SamplerError.
        """


class Grader(Protocol):
    """A judge of answers. It never raises on any text."""

    @property
    def version(self) -> str:
        """Changes whenever a verdict could."""

    async def grade(
        self, gold: str, completions: Sequence[tuple[str, Finish]]
    ) -> Sequence[Verdict]:
        """One verdict for each (text, finish), in order; a text is prefix and completion."""

    async def check_gold(self, gold: str) -> Verdict:
        """The gold answer graded against itself."""


class LabelerError(Exception):
    """An error whose message is meant for the user: shown without a traceback."""


class SamplerError(LabelerError):
    """The sampler cannot work at all: retrying would not help."""
