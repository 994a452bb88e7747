"""costing.py - a run's cost, summed unit by unit: problems in, a Plan out. Reads no file.

What cannot be counted is taken from the pilot, and without one from the constants below; a
generated solution that does not exist yet is a blank one of a likely length.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from labeler import generation
from labeler.apps.forecast import Belief, Wish, most, wishes
from labeler.apps.pilot import Pilot
from labeler.config import RunConfig
from labeler.model import Ask, Solution, Step, Task
from labeler.rollout_log import RolloutLog

CHARS_PER_TOKEN = 3.0
"""Assumed without a pilot; English prose has about 4, formulas about 2."""
STEPS = 8
"""Assumed steps of a generated solution."""
STEP_CHARS = 90
"""Assumed characters of a generated solution's step."""
RIGHT = 0.5
"""Assumed share of generated solutions that reach the gold answer."""

_NOBODY = "not sampled yet"
"""Stands for a completer that no rollout is of."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will cost. Tokens and hours are those still to pay."""

    problems: int
    solutions: int
    blank: int
    """Solutions among them that a generator has still to write."""
    right: int
    """Solutions whose own answer is right (of blank ones: about)."""
    steps: int
    rejected: int
    """Input entries that would be quarantined."""
    prefixes: int
    """Distinct prefixes 0..K-1: those that solutions share count once."""
    n: int
    """The policy's rollouts a prefix, at most."""
    rollouts: float
    """Expected in all, those that the log holds included."""
    rollouts_most: int
    """Never more than this, but for ungradable ones."""
    is_exact: bool
    """Whether no luck changes the number of rollouts."""
    left: float
    """Rollouts still to sample."""
    completion_tokens: float
    prompt_tokens: float
    """Summed over rollouts; an engine's prefix cache spares it most of these."""
    worlds: int
    """Simulated worlds that the expectations are means over."""
    belief: Belief
    pilot: Pilot | None

    @property
    def held(self) -> float:
        """Rollouts of the plan that the log holds."""
        return self.rollouts - self.left

    @property
    def engine_hours(self) -> float | None:
        """Hours of one engine; None where no pilot says how fast it is. Start-up is left out."""
        speed = self.pilot.speed if self.pilot else None
        return self.completion_tokens / speed.tokens / 3600 if speed else None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a prefix stands in a solution that has it."""

    k: int
    steps: int
    chars_left: int


class Costing:
    """Sums up the units of one plan."""

    def __init__(
        self,
        config: RunConfig,
        pilot: Pilot | None,
        completers: tuple[str | None, str | None],
        worlds: int,
    ) -> None:
        self.rejected = 0
        self._config = config
        self._pilot = pilot
        self._completer = completers[0] or _NOBODY
        self._generator = completers[1] or _NOBODY
        self._worlds = worlds
        self._belief = pilot.belief if pilot else Belief()
        self._per_char = (pilot and pilot.tokens_per_char) or 1 / CHARS_PER_TOKEN
        self._counts: Counter[str] = Counter()
        self._rollouts = [0] * worlds
        self._left = [0] * worlds
        self._tokens = self._prompt_tokens = 0.0

    def add(self, tasks: Sequence[Task], log: RolloutLog) -> None:
        """Add the problems of a unit, right answers known, with the unit's log."""
        ready = [task for task in self._filled(tasks, log) if task.solutions]
        self.rejected += len(tasks) - len(ready)
        places = {key: place for task in ready for key, place in _places(task)}
        policy = self._config.policy
        worst = sum(
            most(policy, len(s.steps), right=s.id in t.right) for t in ready for s in t.solutions
        )
        self._counts.update(
            problems=len(ready),
            solutions=sum(len(t.solutions) for t in ready),
            right=sum(len(t.right) for t in ready),
            steps=sum(len(s.steps) for t in ready for s in t.solutions),
            prefixes=len(places),
            most=min(worst, len(places) * policy.n),
        )
        for world in range(self._worlds):
            found = wishes(policy, ready, log, self._completer, (self._belief, world))
            self._pay(found, places, log, world)

    def _pay(
        self, found: Mapping[str, Wish], places: Mapping[str, _Place], log: RolloutLog, world: int
    ) -> None:
        """Add what one world of a unit costs."""
        for key, wish in found.items():
            gold = wish.task.problem.gold_key
            left = len(log.missing(self._completer, wish.ask, gold))
            self._rollouts[world] += len(log.wanted(self._completer, wish.ask, gold))
            self._left[world] += left
            self._charge(wish.ask, places[key], left / self._worlds)

    def _charge(self, ask: Ask, place: _Place, rollouts: float) -> None:
        """Add the tokens of some rollouts of one prefix."""
        measured = self._pilot and self._pilot.tokens_at(place.k, place.steps)
        budget = self._config.completer.sampling.max_tokens
        tokens = measured or min(place.chars_left * self._per_char, budget)
        chars = len(ask.prefix.question) + len(ask.prefix.text)
        self._tokens += rollouts * tokens
        self._prompt_tokens += rollouts * chars * self._per_char

    def _filled(self, tasks: Sequence[Task], log: RolloutLog) -> Iterator[Task]:
        """The tasks, with a blank solution for each that the generator has still to write."""
        generator = self._config.generator
        bare = {t.problem.id for t in generation.bare(tasks, self._generator)}
        for task in tasks:
            if generator is None or task.problem.id not in bare:
                yield task
                continue
            ask = generation.wish(task, generator.per_problem)
            missing = log.missing(self._generator, ask, task.problem.gold_key)
            blanks = [self._blank(task, index) for index in missing]
            self._counts.update(blank=len(blanks))
            for solution, _ in blanks:
                self._charge(ask, _Place(0, len(solution.steps), len(solution.text)), 1)
            right = {s.id for s, is_right in blanks if is_right}
            solutions = (*task.solutions, *(s for s, _ in blanks))
            yield replace(task, solutions=solutions, right=task.right | right)

    def _blank(self, task: Task, index: int) -> tuple[Solution, bool]:
        """A solution of a likely length, and whether it is right; shares no step with another."""
        luck = Random(f"blank:{task.problem.id}:{index}")
        pilot = self._pilot if self._pilot and self._pilot.steps else None
        steps = luck.choice(pilot.steps) if pilot else STEPS
        chars = round(pilot.step_chars) if pilot else STEP_CHARS
        share = pilot.right if pilot and pilot.right is not None else RIGHT
        text = f"blank {index}".ljust(chars)
        solution = Solution(f"blank-{index}", task.problem.id, (Step(text, ""),) * steps)
        return solution, luck.random() < share

    def plan(self, quarantined: int) -> Plan:
        """The sums; `quarantined` entries were refused while reading."""
        counts = self._counts
        return Plan(
            problems=counts["problems"],
            solutions=counts["solutions"],
            blank=counts["blank"],
            right=counts["right"],
            steps=counts["steps"],
            rejected=self.rejected + quarantined,
            prefixes=counts["prefixes"],
            n=self._config.policy.n,
            rollouts=sum(self._rollouts) / self._worlds,
            rollouts_most=counts["most"],
            is_exact=len(set(self._rollouts)) == 1,
            left=sum(self._left) / self._worlds,
            completion_tokens=self._tokens,
            prompt_tokens=self._prompt_tokens,
            worlds=self._worlds,
            belief=self._belief,
            pilot=self._pilot,
        )


def _places(task: Task) -> Iterator[tuple[str, _Place]]:
    for solution in task.solutions:
        done = 0
        for k, step in enumerate(solution.steps):
            rest = len(solution.text) - done
            yield task.prefix(solution, k).key, _Place(k, len(solution.steps), rest)
            done += len(step.text) + len(step.separator)
