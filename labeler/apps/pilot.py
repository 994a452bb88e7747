"""pilot.py - what a run that was made before tells about one that is planned.

Everything is measured from the rollout log alone. A run that is only part done serves as well:
the planned run's own directory is the best pilot, since nothing of it is sampled twice.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from labeler import manifest
from labeler.apps.label import read_config
from labeler.apps.worlds import Rates
from labeler.config import RunConfig
from labeler.files import RunDir, parts, read_rows, read_table
from labeler.grading import AnswerGrader
from labeler.labelling import grade_own_answers, tasks_of
from labeler.model import Ask, LabelerError, Prefix, Task
from labeler.rollout_log import RolloutLog

BINS = 5
"""Relative positions of a prefix in its solution that lengths are measured at."""
PAUSE_SECONDS = 60.0
"""A longer time without a completion was a pause between two commands."""
SHORT_SECONDS = 2.0
"""A run that took less says nothing about speed."""


class PilotError(LabelerError):
    """The pilot run tells nothing."""


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast one engine was."""

    tokens: float
    """Completion tokens a second."""
    rollouts: float
    """Rollouts a second."""
    seconds: float
    """How long it was watched."""


@dataclass(frozen=True, slots=True)
class Pilot:
    """Measured in a run."""

    name: str
    rollouts: int
    tokens: tuple[float | None, ...]
    """Mean tokens of a completion by relative position k / K, in BINS; None where none is."""
    tokens_per_char: float | None
    """Prompt tokens for each character of question and steps."""
    rates: Rates
    """Values before the first zero (and of right solutions), and from it on."""
    right: float | None
    """Share of the solutions that reach the gold answer."""
    steps: tuple[int, ...]
    """Steps of each solution."""
    step_chars: float
    """Mean characters of a step."""
    speed: Speed | None
    """Of one engine; None where the run was too short to tell."""
    differs: tuple[str, ...]
    """Parts of the planned configuration that the pilot had otherwise."""

    def tokens_at(self, k: int, steps: int) -> float | None:
        """Mean tokens of a completion of prefix k, where the pilot had such prefixes."""
        return self.tokens[_bin(k, steps)]


@dataclass(slots=True)
class _Counts:
    """Sums over a pilot's units."""

    tokens: list[int] = field(default_factory=lambda: [0] * BINS)
    rollouts: list[int] = field(default_factory=lambda: [0] * BINS)
    prompt_tokens: int = 0
    chars: int = 0
    values: dict[bool, list[int]] = field(default_factory=lambda: {True: [0, 0], False: [0, 0]})
    """Correct and graded rollouts, of alive prefixes and of dead ones."""
    right: int = 0
    steps: list[int] = field(default_factory=list)
    step_chars: int = 0


async def measure(root: Path, planned: RunConfig) -> Pilot:
    """Measure a run directory.

    Raises ConfigError where it is no run directory, PilotError where it holds no rollouts.
    """
    run = RunDir(root)
    config = read_config(run)
    completer, _ = completers(run)
    if completer is None:
        raise PilotError(f"{root} holds no rollouts yet: it tells nothing as a pilot")
    counts = _Counts()
    names = [part.stem for part in parts(run.problems)]
    async with AnswerGrader(config.grading) as grader:
        for unit in names:
            log = RolloutLog(run, unit, grader.version, config.hash)
            for task in tasks_of(config, run, unit):
                if task.solutions:
                    graded = await grade_own_answers(log, grader, task)
                    _count(graded, log, completer, counts)
    engines = min(getattr(config.runner, "actors", 1), max(len(names), 1))
    rate = speed(_stamps(run), engines)
    return _pilot(root, counts, rate, tuple(_differences(config, planned)))


def completers(run: RunDir) -> tuple[str | None, str | None]:
    """Fingerprints of the completer and of the generator that a run's rollouts are of.

    A committed unit names the completer. Before there is one: only a completer continues steps.
    What judges were shown is no question of the run, and their answers are left out.
    Where nobody does, the two cannot be told apart, and what there is counts as the completer's; of
    several, the first one counts in a run with further completers, which come after it, else the
    last one.
    """
    spans: dict[tuple[bool, str], tuple[float, float]] = {}
    questions = _questions(run)
    for path in parts(run.rollouts):
        table = read_table(path, ["completer", "step", "created_at", "prefix_key"]).to_pydict()
        for name, step, at, key in zip(*table.values(), strict=True):
            if step or key in questions:
                first, last = spans.get((step > 0, name), (at, at))
                spans[step > 0, name] = min(first, at), max(last, at)
    entries = manifest.read(run).values()
    named = sorted({entry.completer for entry in entries})
    further = run.config.exists() and read_config(run).completers
    deep = sorted(
        (-span[0] if further else span[1], name)
        for (is_deep, name), span in spans.items()
        if is_deep
    )
    flat = sorted((span[1], name) for (is_deep, name), span in spans.items() if not is_deep)
    if not deep and not named:
        return (flat[-1][1] if flat else None), None
    completer = named[-1] if named else deep[-1][1]
    others = {completer, *(name for _, name in deep)}
    writers = [name for _, name in flat if name not in others]
    return completer, writers[-1] if writers else None


def _questions(run: RunDir) -> set[str]:
    """The keys of the run's bare questions, as its completers see them."""
    template = read_config(run).prompt.digest if run.config.exists() else ""
    rows = read_rows(parts(run.problems), ["question"])
    return {Prefix(row["question"], "", 0, template).key for row in rows}


def provers(run: RunDir) -> dict[str, str]:
    """Fingerprints of the further completers that committed units name, by name.

    One that is the run's own completer once more is left out: it has no rollouts of its own.
    """
    entries = manifest.read(run).values()
    return {p.name: p.completer for e in entries for p in e.provers if p.completer != e.completer}


def speed(stamps: Iterable[tuple[float, int]], engines: int) -> Speed | None:
    """The speed of one of the engines, from (second, tokens) of each rollout; None if too short.

    The clock starts at the first completion, whose own work is left out; pauses do not count.
    """
    rows = sorted(stamps)
    late = [row for row in rows if row[0] > rows[0][0]]
    gaps = (after[0] - before[0] for before, after in pairwise(rows))
    seconds = sum(gap for gap in gaps if gap <= PAUSE_SECONDS)
    if seconds < SHORT_SECONDS:
        return None
    each = seconds * engines
    return Speed(sum(tokens for _, tokens in late) / each, len(late) / each, seconds)


def _bin(k: int, steps: int) -> int:
    return min(BINS * k // max(steps, 1), BINS - 1)


def _count(task: Task, log: RolloutLog, completer: str, counts: _Counts) -> None:
    seen: set[str] = set()
    for solution in task.solutions:
        right = solution.id in task.right
        counts.right += right
        counts.steps.append(len(solution.steps))
        counts.step_chars += len(solution.text)
        alive = True
        for k in range(len(solution.steps)):
            prefix = task.prefix(solution, k)
            rollouts = log.rollouts(completer, prefix.key)
            if not rollouts:
                continue
            reply = log.reply(completer, Ask(prefix, max(rollouts) + 1), task.problem.gold_key)
            alive = right or (alive and (reply.correct > 0 or not reply.graded))
            if prefix.key in seen:
                continue
            seen.add(prefix.key)
            counts.values[alive][0] += reply.correct
            counts.values[alive][1] += reply.graded
            place = _bin(k, len(solution.steps))
            counts.rollouts[place] += len(rollouts)
            counts.tokens[place] += sum(r.n_tokens for r in rollouts.values())
            counts.prompt_tokens += sum(r.prompt_tokens for r in rollouts.values())
            counts.chars += len(rollouts) * (len(prefix.question) + len(prefix.text))


def _stamps(run: RunDir) -> Iterator[tuple[float, int]]:
    for path in parts(run.rollouts):
        table = read_table(path, ["created_at", "n_tokens"]).to_pydict()
        yield from zip(*table.values(), strict=True)


def _pilot(root: Path, counts: _Counts, rate: Speed | None, differs: tuple[str, ...]) -> Pilot:
    solutions = len(counts.steps)
    means = zip(counts.tokens, counts.rollouts, strict=True)
    default = Rates()
    return Pilot(
        name=root.name,
        rollouts=sum(counts.rollouts),
        tokens=tuple(tokens / n if n else None for tokens, n in means),
        tokens_per_char=counts.prompt_tokens / counts.chars if counts.chars else None,
        rates=Rates(
            alive=_share(counts.values[True], default.alive),
            dead=_share(counts.values[False], default.dead),
        ),
        right=counts.right / solutions if solutions else None,
        steps=tuple(counts.steps),
        step_chars=counts.step_chars / max(sum(counts.steps), 1),
        speed=rate,
        differs=differs,
    )


def _share(counted: Sequence[int], default: float) -> float:
    correct, graded = counted
    return correct / graded if graded else default


def _differences(pilot: RunConfig, planned: RunConfig) -> Iterator[str]:
    """What of the identity differs; seeds and the cutting of steps change no rate."""
    here: Mapping[str, object] = planned.identity
    there: Mapping[str, object] = pilot.identity
    for key in ("prompt", "completer", "generator"):
        if here[key] != there[key]:
            yield key
