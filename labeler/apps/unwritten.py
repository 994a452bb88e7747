"""unwritten.py - what stands in for texts that nobody has written yet, and where prefixes stand.

Lengths and shares are a pilot's; without one they are the constants below.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from statistics import fmean

from labeler.apps.pilot import Pilot
from labeler.apps.worlds import Writer
from labeler.config import RunConfig
from labeler.model import Prefix, Solution, Step, Task
from labeler.policies import Omega

CHARS_PER_TOKEN = 3.0
"""Assumed without a pilot; English prose has about 4, formulas about 2."""
STEPS = 8
"""Assumed steps of a generated solution."""
STEP_CHARS = 90
"""Assumed characters of a generated solution's step."""
RIGHT = 0.5
"""Assumed share of generated solutions that reach the gold answer."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a prefix stands in a solution that has it."""

    k: int
    steps: int
    chars_left: int


def places_of(task: Task) -> Iterator[tuple[str, Place]]:
    """The key and the place of every prefix of a problem's solutions."""
    for solution in task.solutions:
        done = 0
        for k, step in enumerate(solution.steps):
            rest = len(solution.text) - done
            yield task.prefix(solution, k).key, Place(k, len(solution.steps), rest)
            done += len(step.text) + len(step.separator)


def prefixes_of(tasks: Iterable[Task]) -> Iterator[tuple[str, Prefix]]:
    """Every distinct prefix 0..K-1 of these problems' solutions, each with its gold key."""
    seen: set[str] = set()
    for task in tasks:
        for solution in task.solutions:
            for prefix in (task.prefix(solution, k) for k in range(len(solution.steps))):
                if prefix.key not in seen:
                    seen.add(prefix.key)
                    yield task.problem.gold_key, prefix


def blank(task: Task, index: int, pilot: Pilot | None) -> tuple[Solution, bool]:
    """A solution of a likely length, and whether it is right; shares no step with another."""
    luck = Random(f"blank:{task.problem.id}:{index}")
    known = pilot if pilot and pilot.steps else None
    steps = luck.choice(known.steps) if known else STEPS
    chars = round(known.step_chars) if known else STEP_CHARS
    share = known.right if known and known.right is not None else RIGHT
    text = f"blank {index}".ljust(chars)
    solution = Solution(f"blank-{index}", task.problem.id, (Step(text, ""),) * steps)
    return solution, luck.random() < share


def writer_of(config: RunConfig, pilot: Pilot | None) -> Writer | None:
    """What the rollouts of a tree search look like."""
    if not isinstance(config.policy, Omega):
        return None
    steps = pilot.steps if pilot and pilot.steps else (STEPS,)
    chars = round(pilot.step_chars) if pilot and pilot.steps else STEP_CHARS
    return Writer(steps, chars, CHARS_PER_TOKEN)


def assumed(prefix: Prefix, writer: Writer | None) -> Place:
    """The place of a prefix that the search has written itself."""
    assert writer is not None
    steps = max(round(fmean(writer.steps)), prefix.step + 1)
    return Place(prefix.step, steps, (steps - prefix.step) * writer.chars)
