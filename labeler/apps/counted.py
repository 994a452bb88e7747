"""counted.py - what a run's log says of values: each problem's tree of prefixes with its counts.

1. Any run will do: exhaustive or not, done or part done, labelled or not. Nothing is sampled,
   graded or written. Each unit's verdicts are those of the grader that its labels rest on; where
   it has none yet, of this installation's.
2. All graded rollouts of the completer count, whatever N the labels look at. Where a policy chose
   by outcomes what to roll out, the likelihood of the counts is the same: it chose by these alone.
3. Branches of search trees are left out: each was chosen since it is wrong, and taken for a fair
   sample they teach that errors are late and rare.
4. The order of problems follows from their questions, so the first few are a fair sample.

It knows neither the value model nor what is true of a solution.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from labeler import manifest
from labeler.apps.label import opened, read_config
from labeler.apps.pilot import completers
from labeler.config import RunConfig
from labeler.files import RunDir, count_rows, parts
from labeler.grading import AnswerGrader
from labeler.labelling import View, knowing, own_verdict, tasks_of
from labeler.labels import tally
from labeler.model import Ask, LabelerError, Task
from labeler.posterior import tree_of
from labeler.posterior.evidence import Counted
from labeler.rollout_log import RolloutLog


class NoRolloutsError(LabelerError):
    """A run whose log says nothing of values."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A problem whose own answers have verdicts, and the counts of its prefixes."""

    task: Task
    counted: Counted
    """Of all rollouts."""
    first: Counted
    """Of the first few of each prefix alone."""


@dataclass(frozen=True, slots=True)
class Source:
    """Whose rollouts are counted."""

    run: RunDir
    config: RunConfig
    completer: str
    problems: int
    """Problems that the run holds."""


def open_source(run: RunDir) -> Source:
    """The run, and the completer that its rollouts are of.

    Raises ConfigError where the directory is no run, NoRolloutsError where it holds no rollouts.
    """
    config = read_config(run)
    completer, _ = completers(run)
    if completer is None:
        raise NoRolloutsError(f"{run.root} holds no rollouts yet: there is nothing to fit to")
    return Source(run, config, completer, count_rows(parts(run.problems)))


def read(source: Source, few: int) -> Iterator[Seen]:
    """Every problem with rollouts, in the order of the units and of the digests in them.

    `few` is how many rollouts of a prefix `Seen.first` has at most.
    """
    for log, view, tasks in _units(source):
        for task in sorted(tasks, key=lambda task: (task.problem.question_key, task.problem.id)):
            judged = _judged(log, task)
            if judged.solutions:
                whole = _counted(judged, log, view, None)
                if whole.n.any():
                    yield Seen(judged, whole, _counted(judged, log, view, few))


def _units(source: Source) -> Iterator[tuple[RolloutLog, View, list[Task]]]:
    """Each unit's log, how it is looked at, and its problems, own answers known."""
    run, config = source.run, source.config
    entries = manifest.read(run)
    here = AnswerGrader(config.grading).version
    for unit in (path.stem for path in parts(run.problems)):
        entry = entries.get(unit)
        if entry is not None:
            yield opened(config, run, entry, entry.grader)
        else:
            log = RolloutLog(run, unit, here, config.hash)
            tasks = [knowing(log, task) for task in tasks_of(config, run, unit)]
            yield log, View(config, source.completer, {}), tasks


def _judged(log: RolloutLog, task: Task) -> Task:
    """The task with those of its solutions whose own answer was looked at."""
    known = tuple(s for s in task.solutions if own_verdict(log, task, s) is not None)
    return knowing(log, Task(task.problem, known, task.template))


def _counted(task: Task, log: RolloutLog, view: View, few: int | None) -> Counted:
    """The counts of the prefixes of a task's solutions, of their first few rollouts or of all."""
    tree = tree_of(task)
    n, correct = np.zeros((2, len(tree.parents)), dtype=np.int64)
    for solution, path in zip(task.solutions, tree.paths, strict=True):
        for k, node in enumerate(path):
            prefix = task.prefix(solution, k)
            held = log.rollouts(view.completer, prefix.key)
            if held:
                ask = Ask(prefix, few or max(held) + 1)
                reply = log.reply(view.completer, ask, task.problem.gold_key)
                counts = tally(reply.rollouts, view.config.labels.truncated)
                n[node], correct[node] = counts.n, counts.correct
    return Counted(tree, n, correct)
