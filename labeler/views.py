"""views.py - one unit's log as labels see it: whose rollouts, how many of them, and what they say.

Labels are a function of the problems, the log and the label rule. Nothing here samples, grades or
writes: where the log lacks something, the labels do.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from labeler.config import RunConfig
from labeler.labels import (
    Evidence,
    ProverEvidence,
    SolutionLabel,
    Stopping,
    Tally,
    believe,
    label,
    tally,
)
from labeler.manifest import Judge, Prover
from labeler.model import Ask, Outcome, Prefix, Solution, Task, Verdict
from labeler.posterior import ValueModel
from labeler.rollout_log import RolloutLog
from labeler.trees import Forest

if TYPE_CHECKING:
    from labeler.posterior.values import Posterior


@dataclass(frozen=True, slots=True)
class View:
    """How a log is looked at: whose rollouts, under which configuration."""

    config: RunConfig
    completer: str
    failures: Mapping[str, str]
    """Cause of failure by prefix key, of prefixes whose sampler failed for good; of a further
    completer's by its `failure_key`."""
    provers: tuple[Prover, ...] = ()
    """Further completers whose rollouts the log holds."""
    judge: Judge | None = None
    """Who judged the solutions."""

    def forest(self, log: RolloutLog) -> Forest:
        """The search trees of the log, where the policy grows any."""
        return Forest(log, self.config, self.completer)

    def asks(self, task: Task, solution: Solution, prover: Prover | None = None) -> Iterator[Ask]:
        """Prefixes 0..K-1 with the number of rollouts that labels look at.

        Of a further completer that is never more than it was asked for.
        """
        few = self.config.labels.n
        n = min(few or prover.n, prover.n) if prover else few or self.config.policy.n
        return (Ask(task.prefix(solution, k), n) for k in range(len(solution.steps)))

    def every_ask(self, task: Task, solution: Solution) -> Iterator[tuple[str, Ask]]:
        """The asks of the run's own completer and of every further one, by fingerprint."""
        yield from ((self.completer, ask) for ask in self.asks(task, solution))
        for prover in self.provers:
            yield from ((prover.completer, ask) for ask in self.asks(task, solution, prover))

    def given_up(self, causes: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
        """The failures of these completers, by fingerprint and prefix key, as `failures` has them.

        One that is the run's own completer once more has no failures of its own.
        """
        found = dict(causes[self.completer])
        for prover in self.provers:
            if prover.completer != self.completer:
                its = causes[prover.completer].items()
                found |= {prover.failure_key(key): cause for key, cause in its}
        return found

    def model_of(self, prover: Prover) -> ValueModel | None:
        """The value model of a further completer; None where it has none.

        The one that is the run's own completer once more has that one's.
        """
        if (given := prover.settings.get("value_model")) is not None:
            return ValueModel.model_validate(given)
        return self.config.labels.value_model if prover.completer == self.completer else None


def every_prefix(task: Task, solutions: Sequence[Solution], n: int) -> list[Ask]:
    """An ask for each distinct prefix 0..K-1 of these solutions of a problem."""
    prefixes = (task.prefix(s, k) for s in solutions for k in range(len(s.steps)))
    return [Ask(prefix, n) for prefix in {p.key: p for p in prefixes}.values()]


def knowing(log: RolloutLog, task: Task) -> Task:
    """The task, knowing what the log says of its solutions' own answers."""
    return replace(
        task,
        right=_whose(log, task, Outcome.CORRECT),
        unknown=_whose(log, task, Outcome.UNGRADABLE),
    )


def own_verdict(log: RolloutLog, task: Task, solution: Solution) -> Verdict | None:
    """What the log says of a solution's own answer."""
    return log.own_verdict(whole(task, solution).key, task.problem.gold_key)


def whole(task: Task, solution: Solution) -> Prefix:
    """The prefix that is all of a solution."""
    return task.prefix(solution, len(solution.steps))


def _whose(log: RolloutLog, task: Task, outcome: Outcome) -> frozenset[str]:
    """Ids of the solutions whose own answer has this outcome."""
    said = ((s.id, own_verdict(log, task, s)) for s in task.solutions)
    return frozenset(name for name, verdict in said if verdict and verdict.outcome is outcome)


def labels_of(log: RolloutLog, task: Task, view: View) -> Iterator[SolutionLabel]:
    """The labels of a problem's solutions; none of one whose own answer has no verdict."""
    found = {s.id: own_verdict(log, task, s) for s in task.solutions}
    known = [(s, own) for s in task.solutions if (own := found[s.id]) is not None]
    evidence = [_evidence(log, (task, s), own, view) for s, own in known]
    family = _Family(task, tuple(s for s, _ in known), tuple(e.is_correct for e in evidence))
    model = view.config.labels.value_model
    beliefs = family.beliefs([e.tallies for e in evidence], model, view)
    provers = [_under(log, family, prover, view) for prover in view.provers]
    for i, (solution, _) in enumerate(known):
        told = replace(evidence[i], provers=tuple(heard[i] for heard in provers))
        yield label(task.problem, solution, told, view.config.labels, beliefs[i])


@dataclass(frozen=True, slots=True)
class _Family:
    """The solutions of one problem that are labelled."""

    task: Task
    solutions: tuple[Solution, ...]
    right: tuple[bool | None, ...]
    """Of each whether its own answer is right; None is unknown."""

    def beliefs(
        self, tallies: Sequence[Mapping[int, Tally]], model: ValueModel | None, view: View
    ) -> "list[Posterior | None]":
        """What one completer's counts of all of them say of each; None without a model."""
        if model is None:
            return [None] * len(self.solutions)
        prefix = self.task.prefix
        keys = [[prefix(s, k).key for k in range(len(s.steps))] for s in self.solutions]
        by_key = {keys[i][k]: t for i, held in enumerate(tallies) for k, t in held.items()}
        return believe(keys, self.right, by_key, model, view.config.labels.confidence)


def _evidence(log: RolloutLog, of: tuple[Task, Solution], own: Verdict, view: View) -> Evidence:
    """What the log holds of one solution from the run's own completer."""
    task, solution = of
    tallies = _tallies(log, of, view)
    failures: dict[int, str] = {}
    cut_short = view.config.policy.stops_early
    for ask in view.asks(task, solution):
        reply = log.reply(view.completer, ask, task.problem.gold_key)
        if ask.prefix.key in view.failures:
            failures[ask.prefix.step] = view.failures[ask.prefix.key]
        for prover in view.provers:
            if cause := view.failures.get(prover.failure_key(ask.prefix.key)):
                failures.setdefault(ask.prefix.step, f"{prover.name}: {cause}")
        # An early-stopping policy may have filled this log before the present one.
        cut_short |= 0 < len(reply.rollouts) < ask.n and ask.prefix.key not in view.failures
    stopping = Stopping.ADAPTIVE if cut_short else Stopping.FIXED
    return Evidence(own, tallies, stopping, failures)


def _under(log: RolloutLog, family: _Family, prover: Prover, view: View) -> list[ProverEvidence]:
    """What the log holds of each of a problem's solutions from a further completer."""
    tallies = [_tallies(log, (family.task, s), view, prover) for s in family.solutions]
    beliefs = family.beliefs(tallies, view.model_of(prover), view)
    return [
        ProverEvidence(prover.name, counts, belief)
        for counts, belief in zip(tallies, beliefs, strict=True)
    ]


def _tallies(
    log: RolloutLog, of: tuple[Task, Solution], view: View, prover: Prover | None = None
) -> dict[int, Tally]:
    """The counts of one completer's rollouts, by prefix."""
    task, solution = of
    completer = prover.completer if prover else view.completer
    truncated = view.config.labels.truncated
    replies = (
        log.reply(completer, ask, task.problem.gold_key)
        for ask in view.asks(task, solution, prover)
    )
    return {r.ask.prefix.step: tally(r.rollouts, truncated) for r in replies if r.rollouts}
