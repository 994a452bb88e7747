r"""math_aps.py - samples of OmegaPRM's search (MATH-APS), flat or as a tree: read, never written.

{"question": "...", "final_answer": "3", "question_id": 0, "reasoning_steps":
  [{"solution_prefix": "<question>", "mc_value": 0.5},
   {"solution_prefix": "<question>\n\n<step 1>", "mc_value": 0.0}]}          flat
  {"text": "<question>", "mc_value": 0.5, "children": [{"text": "<step 1>", ...}]}   tree

Every prefix that no other one goes on from is a solution, or the part of one that was searched; the
flat form names no parents, so a prefix goes on from the longest other one that it begins with. A
hard label is MC above a threshold, which is .5 in one converter and 0 in the paper (Luo et al.
2024): without one that is stated, there are soft labels alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labeler.formats import fields
from labeler.formats.record import BadRowError, FileKind, Record, Row

_OWN = ("question", "final_answer", "reasoning_steps", "question_id")
_Path = tuple[tuple[str, float], ...]
"""Steps from the first one, with the value after each."""


@dataclass(frozen=True, slots=True)
class MathAps:
    """MATH-APS, flat and tree."""

    threshold: float | None = None
    """A step is good where its MC value is above it. None: no hard labels."""
    name: str = "math-aps"
    file: FileKind = "jsonl"
    carries_soft: bool = True

    def read(self, row: Row) -> list[Record]:
        """A solution for each prefix that nothing goes on from. Raises BadRowError."""
        question = fields.text(row, "question")
        searched = fields.get(row, "reasoning_steps")
        if isinstance(searched, Mapping):
            paths = list(_down(searched, (), "reasoning_steps"))
        else:
            paths = list(_flat(question, _prefixes(row)))
        return [self._record(row, question, path) for path in paths if path]

    def write(self, record: Record) -> dict[str, Any]:
        """Raises BadRowError: one solution is no search."""
        raise BadRowError(
            "format", "math-aps is only read", "Choose scan for a format of soft labels."
        )

    def _record(self, row: Row, question: str, path: _Path) -> Record:
        soft = tuple(value for _, value in path)
        hard = None if self.threshold is None else tuple(v > self.threshold for v in soft)
        return Record(
            question=question,
            steps=tuple(text for text, _ in path),
            problem_id=str(row.get("question_id", "")),
            gold=fields.text(row, "final_answer"),
            first_error=None if hard is None else fields.first_error(hard),
            hard=hard,
            soft=soft,
            extra=fields.rest(row, *_OWN),
        )


def _down(node: object, before: _Path, name: str, depth: int = 0) -> Iterator[_Path]:
    """The paths from a node, the root of depth 0, to its leaves."""
    if not isinstance(node, Mapping) or depth > 500:
        raise BadRowError(name, "no node", "Give text, mc_value and children.")
    value = fields.number(f"{name}.mc_value", fields.get(node, "mc_value"))
    path = (*before, (fields.text(node, "text").strip(), value)) if depth else ()
    children = fields.many(node, "children") if node.get("children") else ()
    if not children:
        yield path
    for child in children:
        yield from _down(child, path, "children", depth + 1)


def _prefixes(row: Row) -> dict[str, float]:
    """The value of each prefix of a flat row; of one that was measured more than once, the mean."""
    found: dict[str, list[float]] = {}
    for i, item in enumerate(fields.many(row, "reasoning_steps")):
        name = f"reasoning_steps[{i}]"
        if not isinstance(item, Mapping):
            raise BadRowError(name, "an object is wanted", "Give solution_prefix and mc_value.")
        value = fields.number(f"{name}.mc_value", fields.get(item, "mc_value"))
        found.setdefault(fields.text(item, "solution_prefix"), []).append(value)
    return {prefix: sum(values) / len(values) for prefix, values in found.items()}


def _flat(question: str, values: Mapping[str, float]) -> Iterator[_Path]:
    """The paths from the question to each prefix that no other one goes on from."""
    ends: dict[str, _Path] = {question: ()}
    inner = set()
    for prefix in sorted(values, key=len):
        if prefix == question:
            continue
        before = _longest(prefix, list(ends))
        ends[prefix] = (*ends[before], (prefix[len(before) :].strip(), values[prefix]))
        inner.add(before)
    yield from (path for prefix, path in ends.items() if prefix not in inner)


def _longest(prefix: str, shorter: Sequence[str]) -> str:
    """The longest of these that the prefix goes on from, at white space."""
    for other in reversed(shorter):
        after = prefix[len(other) : len(other) + 1]
        if prefix.startswith(other) and (after.isspace() or other[-1:].isspace()):
            return other
    raise BadRowError(
        "solution_prefix", f"{prefix[:30]!r} does not begin with the question", "Put it first."
    )
