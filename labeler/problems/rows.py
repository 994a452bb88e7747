"""rows.py - one row's columns -> Problem and RawSolutions, by mapping or by shape. Pure.

Shapes known without mapping: ours (`question`, `gold` or `answer`, perhaps `id`, `solution`,
`steps`, `solutions`), GSM8K (`question`, `answer` that ends with `#### N`), MATH (`problem`,
`solution`, perhaps `answer`). ProcessBench rows (`problem`, `steps`) have no gold: they need a
mapped one. It never raises on any row, and reads no file.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from labeler.model import Problem, digest
from labeler.problems.config import Columns, ProblemsConfig
from labeler.problems.nouns import RawSolution, Rejected, Rejection, Row, as_json


class _UnusableError(Exception):
    """Why this row holds no problem."""

    def __init__(self, reason: Rejection) -> None:
        self.reason = reason


def parse(position: str, row: Mapping[str, Any], config: ProblemsConfig) -> Row | Rejected:
    """The problem of a row with its solutions, or why there is none."""
    held = _unfolded(row) if config.columns == Columns() else row
    try:
        question = _question(held, config)
        gold = _gold(held, config)
        given = _given_id(held, config)
        solutions = tuple(_solutions(held, config))
    except _UnusableError as unusable:
        return Rejected(position, unusable.reason, row)
    source = config.source if config.source is not None else position.rpartition(":")[0]
    problem = Problem(given or digest(question, gold, size=8), question, gold, source)
    return Row(position, problem, solutions)


def _unfolded(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row of PRM800K, whose question is an object, as one with columns; any other as it is."""
    about = row.get("question")
    if not isinstance(about, Mapping) or not isinstance(row.get("label"), Mapping):
        return row
    return {
        "question": about.get("problem"),
        "gold": about.get("ground_truth_answer"),
        "steps": about.get("pre_generated_steps"),
    }


def lookup(row: Any, path: str) -> list[tuple[str, Any]]:  # noqa: ANN401 - any JSON value
    """Values at a path, each with the key that `*` stood for ("" without); nulls left out.

    A key that is literally `path` comes first; else dots go into objects.
    """
    if isinstance(row, Mapping) and path in row:
        return [] if row[path] is None else [("", row[path])]
    found: list[tuple[str, Any]] = [("", row)]
    for part in path.split("."):
        found = [
            (key or star, value)
            for key, inside in found
            for star, value in _enter(inside, part)
            if value is not None
        ]
    return found


def _enter(value: Any, part: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any JSON value
    if part == "*" and isinstance(value, Mapping):
        yield from ((str(k), v) for k, v in value.items())
    elif part == "*" and isinstance(value, Sequence) and not isinstance(value, str | bytes):
        yield from (("", v) for v in value)
    elif isinstance(value, Mapping) and part in value:
        yield "", value[part]


def _first(row: Mapping[str, Any], mapped: str | None, names: Sequence[str]) -> Any:  # noqa: ANN401 - any JSON value
    """The mapped column, else the first of `names` that holds something; None where none does."""
    paths = [mapped] if mapped is not None else names
    for path in paths:
        found = lookup(row, path)
        if found and found[0][1] != "":
            return found[0][1]
    return None


def _text(value: Any, missing: Rejection, most: int) -> str:  # noqa: ANN401 - any JSON value
    """A short text out of a text or a number, without white space around it."""
    if value is None:
        raise _UnusableError(missing)
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise _UnusableError(Rejection.MALFORMED)
    if isinstance(value, float | Decimal) and not math.isfinite(value):
        raise _UnusableError(Rejection.MALFORMED)
    text = str(value).strip()
    if not text:
        raise _UnusableError(missing)
    if len(text) > most:
        raise _UnusableError(Rejection.TOO_LONG)
    if not _encodable(text):
        raise _UnusableError(Rejection.NOT_UTF8)
    return text


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _question(row: Mapping[str, Any], config: ProblemsConfig) -> str:
    value = _first(row, config.columns.question, ("question", "problem"))
    return _text(value, Rejection.MISSING_QUESTION, config.max_chars)


def _given_id(row: Mapping[str, Any], config: ProblemsConfig) -> str | None:
    value = _first(row, config.columns.id, ("id",))
    if config.columns.id is None and value is None:
        return None
    if isinstance(value, float):
        raise _UnusableError(Rejection.MALFORMED)
    return _text(value, Rejection.MISSING_ID, config.max_chars)


def _gold(row: Mapping[str, Any], config: ProblemsConfig) -> str:
    value = _first(row, config.columns.gold, ("gold", "answer", "final_answer"))
    if value is None and config.columns.gold is None and _is_math(row):
        value = last_boxed(str(row["solution"]))
    if isinstance(value, str):
        value = answer_of(value, config.answer_marker)
    return _text(value, Rejection.MISSING_GOLD, config.max_chars)


def answer_of(text: str, marker: str) -> str:
    """What follows the last line-initial `marker`, else the last box's content, else the text."""
    ends = [m.end() for m in re.finditer(rf"^[ \t]*+{re.escape(marker)}", text, re.MULTILINE)]
    if ends and marker:
        return text[ends[-1] :]
    boxed = last_boxed(text)
    return text if boxed is None else boxed


def last_boxed(text: str) -> str | None:
    r"""The content of the last \boxed{..}, braces balanced; None where there is none."""
    opening = "\\boxed{"
    begin = text.rfind(opening)
    depth = 0
    for brace in re.finditer(r"\\.|[{}]", text[max(begin, 0) + len("\\boxed") :], re.DOTALL):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if begin >= 0 and depth == 0 and brace[0] == "}":
            return text[begin + len(opening) : begin + len("\\boxed") + brace.start()]
    return None


def _is_math(row: Mapping[str, Any]) -> bool:
    return row.get("question") is None and "problem" in row and isinstance(row.get("solution"), str)


def _solutions(row: Mapping[str, Any], config: ProblemsConfig) -> Iterator[RawSolution]:
    columns = config.columns
    named = _first(row, columns.generator, ("generator",))
    generator = named if isinstance(named, str) and _encodable(named) else ""
    if columns.solution or columns.steps or columns.solutions:
        values = list(_mapped(row, config))
    else:
        values = [("", v) for v in _by_shape(row, config)]
    for key, value in values:
        yield _solution(value, generator or (key if _encodable(key) else ""))


def _mapped(row: Mapping[str, Any], config: ProblemsConfig) -> Iterator[tuple[str, Any]]:
    columns = config.columns
    for path in (columns.solution, columns.steps, columns.solutions):
        found = lookup(row, path) if path else []
        if path and not found:
            raise _UnusableError(Rejection.MISSING_SOLUTION)
        for key, value in found:
            if path == columns.solutions and _is_list(value):
                yield from ((key, v) for v in value)
            else:
                yield key, value


def _by_shape(row: Mapping[str, Any], config: ProblemsConfig) -> Iterator[Any]:
    if row.get("steps") is not None:
        yield row["steps"]
    elif row.get("solution") is not None and (not _is_math(row) or config.label_reference):
        yield row["solution"]
    answer = row.get("answer")
    marked = isinstance(answer, str) and answer_of(answer, config.answer_marker) != answer
    if config.label_reference and marked and row.get("solution") is None:
        yield answer
    several = row.get("solutions")
    if several is not None:
        yield from several if _is_list(several) else (several,)


def _is_list(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _solution(value: Any, generator: str) -> RawSolution:  # noqa: ANN401 - any JSON value
    if isinstance(value, Mapping):
        who = value.get("generator")
        generator = who if isinstance(who, str) and _encodable(who) else generator
        value = _first(value, None, ("steps", "text", "solution"))
    if isinstance(value, str):
        fault = None if _encodable(value) else Rejection.NOT_UTF8
        return RawSolution(value, generator, fault)
    if _is_list(value) and all(isinstance(s, str) for s in value):
        fault = None if all(map(_encodable, value)) else Rejection.NOT_UTF8
        return RawSolution(tuple(value), generator, fault)
    return RawSolution(as_json(value), generator, Rejection.MALFORMED)
