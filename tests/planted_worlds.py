"""Planted tasks, pure builders and Hypothesis strategies.

    task = planted_task(values=[[.6, 0, 0], [.6, .7, 1]], v0=.5, right=[False, True])

makes a problem with two solutions whose steps state the value after them (see
labeler/samplers/planted.py); the last step states the answer, the gold where `right`. Steps are
named by solution unless their text is shared: solutions that begin with the same values can
share their first steps (`shared`), and then share those prefixes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from labeler.model import Prefix, Problem, Solution, Step, Task, digest
from labeler.samplers.planted import planted_question, planted_step, read_planted


@dataclass(frozen=True, slots=True)
class PlantedTask:
    """A task with what is true of it."""

    task: Task
    first_errors: tuple[int, ...]
    """Of each solution the first dead step; 0 for none."""

    @staticmethod
    def value(prefix: Prefix) -> float:
        """The true value of a planted prefix."""
        return read_planted(prefix)[1]


def planted_task(
    values: Sequence[Sequence[float]],
    v0: float,
    *,
    gold: int = 423,
    right: Sequence[bool] | None = None,
    name: str | int = 17,
    shared: int = 0,
) -> Task:
    """A task whose solution i has the value values[i][k - 1] after step k.

    `right` says whose own answer is the gold (default: those whose last value is over 0).
    `shared` is how many first steps carry no solution's name, so that solutions with the same
    first values share those prefixes.
    """
    right = right if right is not None else [v[-1] > 0 for v in values]
    problem = Problem(f"planted-{name}", planted_question(name, gold, v0), str(gold), "planted")
    solutions = tuple(
        _solution(problem, own, i, gold if ok else gold + 1 + i, shared)
        for i, (own, ok) in enumerate(zip(values, right, strict=True))
    )
    ids = frozenset(s.id for s, ok in zip(solutions, right, strict=True) if ok)
    return Task(problem, solutions, "", ids)


def _solution(
    problem: Problem, values: Sequence[float], i: int, answer: int, shared: int
) -> Solution:
    n = len(values)
    steps = []
    for k, value in enumerate(values, start=1):
        text = planted_step(k, value, answer if k == n else None)
        steps.append(Step(text if k <= shared else f"Branch {i}. {text}", "" if k == n else "\n"))
    return Solution(
        digest(problem.id, str(i), *(s.text for s in steps)), problem.id, tuple(steps), "planted"
    )


_ALIVE = st.integers(30, 99).map(lambda cents: cents / 100)
_DEAD = st.sampled_from([0.0, 0.0, 0.0, 0.02, 0.05, 0.1])


@st.composite
def planted_tasks(
    draw: st.DrawFn,
    max_steps: int = 12,
    max_solutions: int = 4,
    *,
    noiseless: bool = False,
) -> PlantedTask:
    """Tasks whose solutions are alive up to a first error (or to the end) and dead from it on.

    Noiseless: alive is 1 and dead is 0, so that one rollout tells. Siblings may share their
    first steps.
    """
    v0 = 1.0 if noiseless else draw(_ALIVE)
    trunk = draw(st.lists(_alive(noiseless), max_size=max_steps - 1))
    shared = len(trunk)
    values, first_errors = [], []
    for _ in range(draw(st.integers(1, max_solutions))):
        own, first_error = draw(_values(trunk, max_steps, noiseless=noiseless))
        values.append(own)
        first_errors.append(first_error)
    task = planted_task(
        values,
        v0,
        gold=draw(st.integers(-20, 999)),
        right=[t == 0 for t in first_errors],
        name=draw(st.integers(0, 10**6)),
        shared=shared,
    )
    return PlantedTask(task, tuple(first_errors))


def _alive(noiseless: bool) -> st.SearchStrategy[float]:
    return st.just(1.0) if noiseless else _ALIVE


@st.composite
def _values(
    draw: st.DrawFn, trunk: list[float], max_steps: int, *, noiseless: bool
) -> tuple[list[float], int]:
    """The values of one solution that begins with `trunk`, and its first error."""
    n = draw(st.integers(len(trunk) + 1, max_steps))
    first_error = draw(st.one_of(st.just(0), st.integers(len(trunk) + 1, n)))
    alive_until = first_error - 1 if first_error else n
    alive = draw(
        st.lists(
            _alive(noiseless), min_size=alive_until - len(trunk), max_size=alive_until - len(trunk)
        )
    )
    dead = [0.0 if noiseless else draw(_DEAD) for _ in range(n - alive_until)]
    return [*trunk, *alive, *dead], first_error
