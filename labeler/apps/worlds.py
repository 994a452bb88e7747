"""worlds.py - planted worlds of a plan: one way in which the rollouts of a problem may turn out.

A world draws, by some `Nature`, the value of each prefix and the first error of each solution, and
then each rollout. Its assumptions: solutions are wrong or right as their own answers say; siblings
agree on the prefixes that they share. The solutions that a tree search writes are drawn with their
texts, as rollouts: a right one is alive to its end, a wrong one has a first error like any other.

It knows neither policies, tokens nor files.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from random import Random
from typing import Protocol

from labeler.model import (
    Ask,
    Finish,
    Graded,
    Outcome,
    Prefix,
    Reason,
    Reply,
    Rollout,
    Solution,
    Task,
    Verdict,
)
from labeler.posterior import ValueModel

_SILENT = Rollout("", 0, 0, "", None, "", Finish.STOP, 0, 0, 0.0)
_CORRECT = Verdict(Outcome.CORRECT, Reason.MATCH, None, 0.0)
_INCORRECT = Verdict(Outcome.INCORRECT, Reason.WRONG, None, 0.0)
_GRADED = {True: Graded(_SILENT, _CORRECT), False: Graded(_SILENT, _INCORRECT)}


class Nature(Protocol):
    """How values are drawn."""

    def first(self, luck: Random) -> float:
        """The value of the bare question."""

    def onward(self, value: float, luck: Random) -> float:
        """The value after a right step, from that before it."""

    def errors(self, values: Sequence[float]) -> Sequence[float]:
        """How likely the first error is the step after each of these alive prefixes."""

    def fate(self, value: float, luck: Random) -> float:
        """What becomes of a solution with an error, from the last value before it."""

    def after(self, fate: float, luck: Random) -> float:
        """The value of a prefix after the error."""


@dataclass(frozen=True, slots=True)
class Rates:
    """The simplest nature: one value before the first error, another from it on.

    The first error is equally likely at each step. A problem's two values are drawn once.
    """

    alive: float = 0.5
    """Mean value of the prefixes before the first error."""
    dead: float = 0.05
    """Mean value of those from it on: recovery by luck."""
    spread: float = 5.0
    """Concentration of the Beta that a problem's two values are drawn from."""

    def first(self, luck: Random) -> float:
        """Drawn about `alive`."""
        return self._draw(self.alive, luck)

    def onward(self, value: float, luck: Random) -> float:
        """The same."""
        return value

    def errors(self, values: Sequence[float]) -> Sequence[float]:
        """Equal."""
        return [1.0] * len(values)

    def fate(self, value: float, luck: Random) -> float:
        """Drawn about `dead`."""
        return self._draw(self.dead, luck)

    def after(self, fate: float, luck: Random) -> float:
        """The same for all prefixes."""
        return fate

    def _draw(self, mean: float, luck: Random) -> float:
        """0 and 1 are certain."""
        if mean <= 0.0 or mean >= 1.0:
            return min(max(mean, 0.0), 1.0)
        return luck.betavariate(mean * self.spread, (1 - mean) * self.spread)


@dataclass(frozen=True, slots=True)
class Modelled:
    """The value model's own worlds (labeler/posterior)."""

    model: ValueModel

    def first(self, luck: Random) -> float:
        """The difficulty."""
        return _inside(luck.betavariate(self.model.v_a, self.model.v_b))

    def onward(self, value: float, luck: Random) -> float:
        """A step on the log odds, or a jump."""
        if luck.random() < self.model.jump:
            return self.first(luck)
        return _inside(_expit(_logit(value) + luck.gauss(self.model.drift, self.model.walk)))

    def errors(self, values: Sequence[float]) -> Sequence[float]:
        """By the hazard at each of the values, and the slip in the last step."""
        found, right = [], 1.0
        for value in values:
            wrong = _expit(_logit(self.model.hazard) - self.model.steepness * _logit(value))
            found.append(right * wrong)
            right *= 1 - wrong
        found[-1] += right * self.model.slip
        return found

    def fate(self, value: float, luck: Random) -> float:
        """The mean of the values that luck mends; zero where nothing does."""
        mended = luck.random() >= self.model.zero
        return self.model.recovery * value**self.model.scaling if mended else 0.0

    def after(self, fate: float, luck: Random) -> float:
        """About the fate, each for itself."""
        size = self.model.kappa_dead
        return luck.betavariate(size * fate, size * (1 - fate)) if fate else 0.0


def _inside(value: float) -> float:
    return min(max(value, 1e-6), 1 - 1e-6)


def _logit(value: float) -> float:
    return log(value / (1 - value))


def _expit(odds: float) -> float:
    return 1 / (1 + exp(-odds))


@dataclass(frozen=True, slots=True)
class Writer:
    """How long the solutions are that rollouts write out."""

    steps: Sequence[int]
    chars: int
    """Of one step."""
    chars_per_token: float


class World:
    """One way in which the rollouts of a problem may turn out."""

    def __init__(
        self, task: Task, nature: Nature, luck: Random, writer: Writer | None = None
    ) -> None:
        self._task, self._nature, self._luck, self._writer = task, nature, luck, writer
        self._alive: dict[str, float] = {}
        """The value of each prefix, by key; those of `_dead` are not in it."""
        self._dead: dict[str, float] = {}
        self._fates: dict[str, float] = {}
        """Of dead prefixes."""
        self._drawn: dict[str, list[Graded]] = {}
        bare = Prefix(task.problem.question, "", 0, task.template).key
        self._alive[bare] = nature.first(luck)
        for solution in sorted(task.solutions, key=lambda s: s.id not in task.right):
            self._place(_keys(task, solution), right=solution.id in task.right)

    def _place(self, keys: Sequence[str], *, right: bool) -> None:
        """Draw the values of a solution's prefixes, in keeping with what is known of them."""
        known = next((k for k, key in enumerate(keys) if key in self._dead), len(keys))
        values = [self._alive[keys[0]]]
        for key in keys[1:known]:
            held = self._alive.get(key)
            values.append(self._nature.onward(values[-1], self._luck) if held is None else held)
        error = known
        if not right and known == len(keys):
            shared = max(k for k, key in enumerate(keys) if key in self._alive)
            likely = self._nature.errors(values)[shared:]
            error = shared + 1 + self._luck.choices(range(len(likely)), likely)[0]
        self._alive.update(zip(keys[:error], values, strict=False))
        if error < len(keys):
            fate = self._fates.get(keys[error])
            self._kill(keys[error:], self._fate(values[error - 1]) if fate is None else fate)

    def _fate(self, value: float) -> float:
        return self._nature.fate(value, self._luck)

    def _kill(self, keys: Sequence[str], fate: float) -> None:
        for key in keys:
            self._fates.setdefault(key, fate)
            if key not in self._dead:
                self._dead[key] = self._nature.after(fate, self._luck)

    def reply(self, ask: Ask, held: Reply, wanted: int) -> Reply:
        """What the log holds, filled up to the wanted number by this world's luck."""
        missing = wanted - len(held.rollouts)
        drawn = self._drawn.setdefault(ask.prefix.key, [])
        key = ask.prefix.key
        value = self._dead[key] if key in self._dead else self._alive[key]
        while len(drawn) < missing:
            right = self._luck.random() < value
            drawn.append(self._written(ask.prefix, len(drawn), right=right))
        found = (*held.rollouts, *drawn[:missing])
        if self._writer is not None:
            for graded in found:
                self._continue(ask.prefix, graded)
        return Reply(ask, found)

    def _written(self, prefix: Prefix, index: int, *, right: bool) -> Graded:
        """A rollout; where somebody writes, with the steps that it adds."""
        if self._writer is None:
            return _GRADED[right]
        steps = max(1, self._luck.choice(self._writer.steps) - prefix.step)
        lines = (
            f"Step {k}: {prefix.key[:8]} {index} {self._luck.random()}".ljust(self._writer.chars)
            for k in range(prefix.step + 1, prefix.step + 1 + steps)
        )
        text = "\n\n".join(lines)  # every way of cutting cuts there
        tokens = round(len(text) / self._writer.chars_per_token)
        rollout = Rollout(prefix.key, prefix.step, index, "", None, text, Finish.STOP, tokens, 0, 0)
        return Graded(rollout, _CORRECT if right else _INCORRECT)

    def _continue(self, prefix: Prefix, graded: Graded) -> None:
        """Draw the values of the prefixes that a rollout makes of its own."""
        text = graded.rollout.text.rstrip()
        own = self._task.cut(text if prefix.text else text.lstrip())
        keys, behind = [prefix.key], prefix.text
        for k, step in enumerate(own[:-1], prefix.step + 1):
            behind += step.text + step.separator
            keys.append(Prefix(prefix.question, behind, k, prefix.template).key)
        if keys[0] in self._dead:
            self._kill(keys, self._fates[keys[0]])
        else:
            self._place(keys, right=graded.verdict.outcome is Outcome.CORRECT)


def _keys(task: Task, solution: Solution) -> list[str]:
    return [task.prefix(solution, k).key for k in range(len(solution.steps))]
