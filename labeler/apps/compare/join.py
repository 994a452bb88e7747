"""join.py - two sets of labels, joined by question and steps.

White space is no difference, nor is the number that a step brings along (`Step 2: `), nor, where
the other side adds it to the last step, a closing `The answer is: X`. Solutions that one side has
twice with different labels are ambiguous, and left out; with the same labels they count once.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from labeler.formats import Record
from labeler.formats.numbered import bare
from labeler.model import digest

_ANSWER = re.compile(r" ?The answer is:.*$")


@dataclass(frozen=True, slots=True)
class Labels:
    """What one side says of a solution of K steps."""

    question: str
    """Digest of the question."""
    first_error: int | None
    hard: tuple[bool | None, ...]
    """(K,)."""
    soft: tuple[float | None, ...] | None
    is_correct: bool | None


@dataclass(frozen=True, slots=True)
class Joined:
    """What both sides have, and how much either has alone."""

    pairs: tuple[tuple[Labels, Labels], ...]
    """Ours and theirs."""
    ours: int
    """Different solutions, those that are ambiguous included."""
    theirs: int
    ambiguous: int
    """Solutions that both have, one of them with labels that contradict each other."""
    other_steps: int
    """Solutions of ours that theirs lacks, though it has their question."""

    @property
    def ours_alone(self) -> int:
        """Solutions that theirs lacks."""
        return self.ours - len(self.pairs) - self.ambiguous

    @property
    def theirs_alone(self) -> int:
        """Solutions that ours lacks."""
        return self.theirs - len(self.pairs) - self.ambiguous


def join(ours: Iterable[Record], theirs: Iterable[Record], *, says_answer: bool) -> Joined:
    """Both sides joined; labels are held in memory, texts are not.

    `says_answer`: a closing `The answer is: X` is no difference.
    """
    held: dict[str, list[Labels]] = {}
    for key, labels in _keyed(theirs, says_answer):
        _add(held.setdefault(key, []), labels)
    questions = {labels.question for found in held.values() for labels in found}
    both: dict[str, list[Labels]] = {}
    alone: dict[str, bool] = {}
    for key, labels in _keyed(ours, says_answer):
        if key in held:
            _add(both.setdefault(key, []), labels)
        else:
            alone[key] = labels.question in questions
    pairs = tuple(
        (found[0], held[key][0]) for key, found in both.items() if len(found) == len(held[key]) == 1
    )
    return Joined(
        pairs=pairs,
        ours=len(both) + len(alone),
        theirs=len(held),
        ambiguous=len(both) - len(pairs),
        other_steps=sum(alone.values()),
    )


def _keyed(records: Iterable[Record], says_answer: bool) -> Iterator[tuple[str, Labels]]:
    """Each record's labels, by the digest of its question and steps."""
    for record in records:
        question = digest(_plain(record.question))
        steps = [bare(_plain(step), k) for k, step in enumerate(record.steps, 1)]
        if says_answer and steps:
            steps[-1] = _ANSWER.sub("", steps[-1])
        yield (
            digest(question, *steps),
            Labels(question, record.first_error, _hard(record), record.soft, record.is_correct),
        )


def _add(found: list[Labels], labels: Labels) -> None:
    if labels not in found:
        found.append(labels)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _hard(record: Record) -> tuple[bool | None, ...]:
    """(K,): hard labels, or those that follow from a first error: beyond it nothing is known."""
    if record.hard is not None:
        return record.hard
    count, error = len(record.steps), record.first_error
    if error is None:
        return (None,) * count
    if error == 0:
        return (True,) * count
    return (True,) * (error - 1) + (False,) + (None,) * (count - error)
