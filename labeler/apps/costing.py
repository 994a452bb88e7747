"""costing.py - a run's cost, summed unit by unit: problems in, a Plan out. Reads no file.

What cannot be counted is taken from the pilot, and without one from the constants below; a
generated solution that does not exist yet is a blank one of a likely length.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from labeler import generation
from labeler.apps.forecast import Luck, Wish, most, most_of_tree, wishes
from labeler.apps.pilot import Pilot
from labeler.apps.unwritten import (
    CHARS_PER_TOKEN,
    Place,
    assumed,
    blank,
    places_of,
    prefixes_of,
    writer_of,
)
from labeler.apps.worlds import Modelled, Nature, Rates
from labeler.config import RunConfig
from labeler.model import Ask, Task, digest
from labeler.policies import Adaptive, Exhaustive, Omega
from labeler.provers import ProverConfig
from labeler.rollout_log import RolloutLog

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
    """The rollouts of every prefix that the policy is compared with."""
    rollouts: float
    """Expected in all, those that the log holds included."""
    rollouts_most: int
    """Never more than this, but for ungradable ones."""
    is_exact: bool
    """Whether no luck changes the number of rollouts."""
    left: float
    """Rollouts still to sample."""
    further: int
    """Rollouts of further completers, at most, those that the log holds included. Solutions that a
    tree search follows come on top."""
    further_left: int
    """Of these still to sample, at most."""
    judged: int
    """Answers of the judge, at most: as many as if every solution were judged. What they cost in
    tokens is in none of the numbers."""
    completion_tokens: float
    prompt_tokens: float
    """Summed over rollouts; an engine's prefix cache spares it most of these."""
    worlds: int
    """Simulated worlds that the expectations are means over."""
    share: float
    """Share of the problems that was simulated; the others are taken to be like them."""
    nature: Nature
    """How those worlds were drawn."""
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


class Costing:
    """Sums up the units of one plan."""

    def __init__(
        self,
        config: RunConfig,
        pilot: Pilot | None,
        completers: tuple[str | None, str | None],
        worlds: int,
        share: float = 1.0,
    ) -> None:
        self.provers: Mapping[str, str] = {}
        """Fingerprints of further completers by name, where they are known."""
        self.rejected = 0
        self._config = config
        self._pilot = pilot
        self._completer = completers[0] or _NOBODY
        self._generator = completers[1] or _NOBODY
        self._worlds = worlds
        self._share = share
        self._nature = _nature(config, pilot)
        self._writer = writer_of(config, pilot)
        self._per_char = (pilot and pilot.tokens_per_char) or 1 / CHARS_PER_TOKEN
        self._counts: Counter[str] = Counter()
        self._rollouts = [0.0] * worlds
        self._left = [0.0] * worlds
        self._tokens = self._prompt_tokens = 0.0

    def add(self, tasks: Sequence[Task], log: RolloutLog) -> None:
        """Add the problems of a unit, right answers known, with the unit's log."""
        grows = isinstance(self._config.policy, Omega)
        ready = [task for task in self._filled(tasks, log) if task.solutions or grows]
        self.rejected += len(tasks) - len(ready)
        places = {key: place for task in ready for key, place in places_of(task)}
        self._counts.update(
            problems=len(ready),
            solutions=sum(len(t.solutions) for t in ready),
            right=sum(len(t.right) for t in ready),
            steps=sum(len(s.steps) for t in ready for s in t.solutions),
            judged=self._judged(ready),
            prefixes=len(places),
            most=self._most(ready, len(places)),
        )
        for prover in self._config.completers:
            self._add_prover(prover, ready, places, log)
        drawn = [task for task in ready if _lot(task) < self._share]
        for world in range(self._worlds):
            luck = Luck(self._nature, world, self._writer)
            found = wishes(self._config.policy, drawn, log, self._completer, luck)
            self._pay(found, places, log, world)

    def _judged(self, tasks: Sequence[Task]) -> int:
        """The answers of the judge, were it asked of every solution."""
        judge = self._config.judge
        return sum(judge.calls(len(s.steps)) for t in tasks for s in t.solutions) if judge else 0

    def _add_prover(
        self,
        prover: ProverConfig,
        tasks: Sequence[Task],
        places: Mapping[str, Place],
        log: RolloutLog,
    ) -> None:
        """Add what a further completer rolls out of a unit.

        Its completions are taken to be as long as the run's own completer's; one and the same
        shares its rollouts.
        """
        own, policy = self._config.completer, self._config.policy
        is_own = prover.completer in (None, own) and prover.sampling in (None, own.sampling)
        name = self._completer if is_own else self.provers.get(prover.name, _NOBODY)
        shared = policy.n if is_own and isinstance(policy, Exhaustive) else 0
        n = max(0, prover.n - shared)
        for gold_key, prefix in prefixes_of(tasks):
            left = len(log.missing(name, Ask(prefix, n), gold_key))
            self._counts.update(further=n, further_left=left)
            self._charge(Ask(prefix, n), places[prefix.key], left)

    def _most(self, tasks: Sequence[Task], prefixes: int) -> int:
        """The most rollouts that these problems can cost."""
        policy = self._config.policy
        if isinstance(policy, Omega):
            return len(tasks) * most_of_tree(policy, self._config.steps.max_steps)
        solutions = [(s, s.id in task.right) for task in tasks for s in task.solutions]
        worst = sum(most(policy, len(s.steps), right=right) for s, right in solutions)
        return min(worst, prefixes * policy.n)

    def _pay(
        self, found: Mapping[str, Wish], places: Mapping[str, Place], log: RolloutLog, world: int
    ) -> None:
        """Add what one world of a unit costs."""
        for key, wish in found.items():
            gold = wish.task.problem.gold_key
            left = len(log.missing(self._completer, wish.ask, gold)) / self._share
            wanted = len(log.wanted(self._completer, wish.ask, gold)) / self._share
            self._rollouts[world] += wanted
            self._left[world] += left
            place = places.get(key) or assumed(wish.ask.prefix, self._writer)
            self._charge(wish.ask, place, left / self._worlds)

    def _charge(self, ask: Ask, place: Place, rollouts: float) -> None:
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
            blanks = [blank(task, index, self._pilot) for index in missing]
            self._counts.update(blank=len(blanks))
            for solution, _ in blanks:
                self._charge(ask, Place(0, len(solution.steps), len(solution.text)), 1)
            right = {s.id for s, is_right in blanks if is_right}
            solutions = (*task.solutions, *(s for s, _ in blanks))
            yield replace(task, solutions=solutions, right=task.right | right)

    @property
    def _compared(self) -> int:
        """An adaptive search's n is no number of rollouts that anybody would give each prefix."""
        policy = self._config.policy
        return Exhaustive().n if isinstance(policy, Adaptive) else policy.n

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
            n=self._compared,
            rollouts=sum(self._rollouts) / self._worlds,
            rollouts_most=counts["most"],
            is_exact=self._share == 1 and len(set(self._rollouts)) == 1,
            left=sum(self._left) / self._worlds,
            further=counts["further"],
            further_left=counts["further_left"],
            judged=counts["judged"],
            completion_tokens=self._tokens,
            prompt_tokens=self._prompt_tokens,
            worlds=self._worlds,
            share=self._share,
            nature=self._nature,
            pilot=self._pilot,
        )


def _nature(config: RunConfig, pilot: Pilot | None) -> Nature:
    """An adaptive search's worlds are those that it assumes itself."""
    if isinstance(config.policy, Adaptive):
        return Modelled(config.policy.value_model)
    return pilot.rates if pilot else Rates()


def _lot(task: Task) -> float:
    """A number from 0 to 1 by the problem's content: the same problems are drawn each time."""
    return int(digest(task.problem.question, size=4), 16) / 2**32
