"""Answers to an adaptive search, pure and in memory: rollouts of planted prefixes, by luck.

answers = Answers(seed=3).run(policy, task)
answers.n                          # what was asked for, by prefix key
rows(task, answers, policy)        # the labels of it
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from labeler.labels import Evidence, LabelConfig, SolutionLabel, believe, label, tally
from labeler.model import Ask, Graded, Prefix, Reply, Solution, Task, digest
from labeler.policies import Adaptive
from tests.planted_worlds import PlantedTask
from tests.policies.oracles import RIGHT, WRONG, graded


@dataclass(slots=True)
class Answers:
    """Replies to asks, each rollout decided by its prefix' planted value, its index and `seed`."""

    seed: int = 0
    value: Callable[[Prefix], float] = PlantedTask.value
    failing: frozenset[str] = frozenset()
    """Keys of prefixes that cannot be sampled."""
    rounds: list[list[Ask]] = field(default_factory=list)
    replies: dict[str, Reply] = field(default_factory=dict)
    """The last one of each prefix."""

    def run(self, policy: Adaptive, task: Task) -> "Answers":
        """A whole search."""
        search = policy.search(task)
        asks = next(search, None)
        while asks is not None:
            self.rounds.append(list(asks))
            try:
                asks = search.send([self(ask) for ask in asks])
            except StopIteration:
                break
        return self

    def __call__(self, ask: Ask) -> Reply:
        if ask.prefix.key in self.failing:
            reply = Reply(ask, (), "the sampler failed")
        else:
            reply = Reply(ask, tuple(self.rollout(ask, i) for i in range(ask.n)))
        self.replies[ask.prefix.key] = reply
        return reply

    def rollout(self, ask: Ask, index: int) -> Graded:
        luck = int(digest(str(self.seed), ask.prefix.key, str(index)), 16) / 2**128
        return graded(ask, index, "", RIGHT if luck < self.value(ask.prefix) else WRONG)

    @property
    def n(self) -> dict[str, int]:
        """Rollouts asked for, by prefix key."""
        return {ask.prefix.key: ask.n for asks in self.rounds for ask in asks}


def keys(task: Task, solution: Solution) -> list[str]:
    return [task.prefix(solution, k).key for k in range(len(solution.steps))]


def rows(task: Task, answers: Answers, policy: Adaptive) -> list[SolutionLabel]:
    """The labels of the replies."""
    config = LabelConfig(value_model=policy.value_model)
    counts = {key: tally(reply.rollouts) for key, reply in answers.replies.items()}
    paths = [keys(task, s) for s in task.solutions]
    own = [s.id in task.right for s in task.solutions]
    beliefs = believe(paths, own, counts, config.value_model, config.confidence)
    return [
        label(
            task.problem,
            solution,
            Evidence(
                RIGHT if right else WRONG,
                {k: counts[key] for k, key in enumerate(path) if key in counts},
            ),
            config,
            belief,
        )
        for solution, path, right, belief in zip(task.solutions, paths, own, beliefs, strict=True)
    ]
