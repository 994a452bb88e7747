"""truths.py - what is true of a run's solutions, from a file: the exact first error of each.

A row names its solution by `solution_id`, or by `problem_id` and the text (`solution`, or `steps`),
and says its `first_error`: 1-based, 0 for none, null for unknown. Rows of other solutions are
welcome, and so is a row that is there twice; two that contradict each other are not.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from labeler.config import ConfigError
from labeler.model import Task
from labeler.problems import ProblemsConfig, Rejected
from labeler.problems.sources import rows

Name = tuple[str, str] | str


def read_truths(path: Path) -> dict[Name, int]:
    """The first error by the name of each solution.

    Raises ConfigError where a row is no such row or contradicts another, LabelerError where the
    file cannot be read.
    """
    if not path.is_file():
        raise ConfigError(f"--truth: there is no file {path}")
    found: dict[Name, int] = {}
    for row in rows(ProblemsConfig(path=str(path))):
        if isinstance(row, Rejected):
            raise ConfigError(f"{path}: {row.position} is no row: {row.told}")
        position, held = row
        where = f"{path}: {position}"
        name, step = _name(held, where), _first_error(held, where)
        if step is not None and found.setdefault(name, step) != step:
            raise ConfigError(
                f"{where} says first_error {step} of a solution of which an earlier row says "
                f"{found[name]}: keep the right one"
            )
    return found


def _name(row: Mapping[str, Any], where: str) -> Name:
    if isinstance(row.get("solution_id"), str):
        return str(row["solution_id"])
    text = row.get("solution", row.get("steps"))
    if isinstance(row.get("problem_id"), str) and isinstance(text, str | list):
        return row["problem_id"], _bare(text)
    raise ConfigError(
        f"{where} names no solution: it needs `solution_id`, or `problem_id` and `solution` (or "
        "`steps`)"
    )


def _first_error(row: Mapping[str, Any], where: str) -> int | None:
    value = row.get("first_error", "")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ConfigError(f"{where}: `first_error` is the number of a step, 0 for none, or null")
    return value


def _bare(text: str | Iterable[object]) -> str:
    """A solution's text without white space: cutting and joining change nothing else."""
    whole = text if isinstance(text, str) else "".join(map(str, text))
    return "".join(whole.split())


def known(task: Task, truths: Mapping[Name, int]) -> list[int | None]:
    """The first error of each of a problem's solutions; None where the file has none of it.

    Raises ConfigError for a step that the solution does not have.
    """
    found = [truths.get(s.id, truths.get((task.problem.id, _bare(s.text)))) for s in task.solutions]
    for solution, step in zip(task.solutions, found, strict=True):
        if step is not None and step > len(solution.steps):
            raise ConfigError(
                f"solution {solution.id} has {len(solution.steps)} steps, and its `first_error` "
                f"is {step}"
            )
    return found
