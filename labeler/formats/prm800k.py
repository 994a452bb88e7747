"""prm800k.py - rows of PRM800K (Lightman et al. 2023): people's ratings of steps, and of rivals.

{"labeler": "...", "timestamp": "...", "generation": 9, "is_quality_control_question": false,
 "is_initial_screening_question": false,
 "question": {"problem": "What is 2+2?", "ground_truth_solution": "...",
              "ground_truth_answer": "4", "pre_generated_steps": ["2+2 = 5.", "So 5."],
              "pre_generated_answer": "5", "pre_generated_verifier_score": 0.1},
 "label": {"steps": [{"completions": [{"text": "2+2 = 5.", "rating": -1, "flagged": false}],
                      "human_completion": null, "chosen_completion": null}],
           "total_time": 4200, "finish_reason": "found_error"}}

A row is a path of chosen steps, and rivals of each of them. The path is a record, and so is each
rival, with the path before it (as TRL's converter has it). What was labelled of the pre-generated
solution is a record of the whole solution: steps beyond the first error, where labelling stopped,
have no label. Ratings are kept in `extra["ratings"]`: -1, 0, 1, or None. What else a row says that
is one solution's (see plain) is kept in `extra["kept"]`, so that it is written back whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from labeler.formats import fields
from labeler.formats.record import BadRowError, FileKind, Record, Row

_ABOUT = (
    "labeler", "timestamp", "generation", "is_quality_control_question",
    "is_initial_screening_question",
)  # fmt: skip
_OWN = (*_ABOUT, "question", "label")
RATINGS = "ratings"
_KEPT = "kept"
_Path = tuple[tuple[str, int | None], ...]
"""The steps of a solution with their ratings."""


@dataclass(frozen=True, slots=True)
class Prm800k:
    """PRM800K. Carries question, gold, answer, steps, and hard labels or ratings."""

    zero: Literal["good", "bad"] | None = None
    """How rating 0 (not wrong, and no progress) is read. good: as Lightman et al. and Qwen do; bad:
    as TRL does; None: it is a BadRowError, since neither goes without saying."""
    name: str = "prm800k"
    file: FileKind = "jsonl"
    carries_soft: bool = False

    def read(self, row: Row) -> list[Record]:
        """The solutions of one row, none where nothing was rated. Raises BadRowError."""
        about = fields.get(row, "question")
        label = fields.get(row, "label")
        if not isinstance(about, Mapping) or not isinstance(label, Mapping):
            raise BadRowError("question, label", "objects are wanted", "Check the format's name.")
        paths = _paths(fields.many(label, "steps"))
        given = about.get("pre_generated_steps")
        whole = fields.texts(about, "pre_generated_steps") if given else ()
        own = max((p for p in paths if _begins(whole, p)), key=len, default=None)
        records = []
        for path in paths:
            rest = whole[len(path) :] if path is own else ()
            answer = fields.perhaps(about, "pre_generated_answer") if path is own else None
            records.append(self._record(row, (*path, *((s, None) for s in rest)), answer))
        if len(records) == 1 and plain(row):
            records = [self._whole(records[0], row)]
        return records

    def write(self, record: Record) -> dict[str, Any]:
        """One row, each step with one completion. Raises BadRowError for soft labels alone."""
        fields.wanted(record)
        ratings = _ratings(record)
        rated = max((k for k, r in enumerate(ratings, 1) if r is not None), default=0)
        if not rated:
            raise BadRowError("label", "no step has a label", "Leave the solution out.")
        steps = [_step(s, r) for s, r in zip(record.steps, ratings[:rated], strict=False)]
        if ratings[rated - 1] == -1:
            steps[-1]["chosen_completion"] = None
        unfinished = "solution" if rated == len(record.steps) else "give_up"
        kept = record.extra.get(_KEPT, {})
        if "steps" in kept:
            steps = [
                {**step, **others, "completions": [{**step["completions"][0], **completion}]}
                for step, (others, completion) in zip(steps, kept["steps"], strict=True)
            ]
        own = {
            **{name: record.extra.get(name) for name in _ABOUT[:3]},
            **{name: record.extra.get(name, False) for name in _ABOUT[3:]},
            "question": {
                "problem": record.question,
                "ground_truth_solution": None,
                "ground_truth_answer": record.gold,
                "pre_generated_steps": list(record.steps),
                "pre_generated_answer": record.answer,
                "pre_generated_verifier_score": None,
                **kept.get("question", {}),
            },
            "label": {
                "steps": steps,
                "total_time": None,
                "finish_reason": "found_error" if -1 in ratings else unfinished,
                **kept.get("label", {}),
            },
        }
        return fields.beside(own, fields.rest(record.extra, *_ABOUT, RATINGS, _KEPT))

    def _whole(self, record: Record, row: Row) -> Record:
        """The record of a plain row, with what the row says beside what is written of it anyway."""
        usual = _besides(self.write(record))
        kept = {name: said for name, said in _besides(row).items() if said != usual[name]}
        return replace(record, extra={**record.extra, **({_KEPT: kept} if kept else {})})

    def _record(self, row: Row, path: _Path, answer: str | None) -> Record:
        about = row["question"]
        ratings = tuple(rating for _, rating in path)
        hard = tuple(self._good(rating) for rating in ratings)
        return Record(
            question=fields.text(about, "problem"),
            steps=tuple(text for text, _ in path),
            gold=fields.perhaps(about, "ground_truth_answer"),
            answer=answer,
            first_error=fields.first_error(hard),
            hard=hard,
            extra={**fields.rest(row, "question", "label"), RATINGS: ratings},
        )

    def _good(self, rating: int | None) -> bool | None:
        if rating == 0:
            if self.zero is None:
                raise BadRowError(
                    "rating",
                    "0 says that a step is not wrong and brings no progress",
                    "State how to read it: --zero good (as Lightman et al. and Qwen do) or "
                    "--zero bad (as TRL does).",
                )
            return self.zero == "good"
        return None if rating is None else rating == 1


def plain(row: Row) -> bool:
    """Whether each step has one completion, a rated one, that the next step goes on from.

    Of such a row all is kept; the row is that of one solution.
    """
    steps = row["label"]["steps"]
    return all(
        not step.get("human_completion")
        and len(step.get("completions") or ()) == 1
        and step["completions"][0].get("rating") is not None
        and (step.get("chosen_completion") is not None or step is steps[-1])
        for step in steps
    )


def _besides(row: Row) -> dict[str, Any]:
    """What a plain row says beside problem, gold, and the steps' texts and ratings."""
    return {
        "question": fields.rest(row["question"], "problem", "ground_truth_answer"),
        "label": fields.rest(row["label"], "steps"),
        "steps": [
            (
                fields.rest(step, "completions"),
                fields.rest(step["completions"][0], "text", "rating"),
            )
            for step in row["label"]["steps"]
        ],
    }


def _paths(steps: Sequence[Any]) -> list[_Path]:
    """The chosen path, if it has an end of its own, and each rival with the path before it."""
    path: _Path = ()
    rivals: list[_Path] = []
    for i, step in enumerate(steps):
        if not isinstance(step, Mapping):
            raise BadRowError(f"label.steps[{i}]", "an object is wanted", "Mend it.")
        given = fields.many(step, "completions") if step.get("completions") else ()
        rated = [_rated(i, c) for c in given]
        chosen = step.get("chosen_completion")
        if chosen is not None and (not isinstance(chosen, int) or not 0 <= chosen < len(rated)):
            raise BadRowError(
                f"label.steps[{i}].chosen_completion",
                f"{chosen!r} is no index of a completion",
                "Mend it.",
            )
        rivals += [(*path, c) for j, c in enumerate(rated) if j != chosen]
        if chosen is not None:
            path = (*path, rated[chosen])
        elif step.get("human_completion"):
            text, rating = _rated(i, step["human_completion"])
            path = (*path, (text, 1 if rating is None else rating))
        elif rated:
            return rivals  # they end what came before
        else:
            break
    return [path, *rivals] if path else rivals


def _rated(i: int, completion: object) -> tuple[str, int | None]:
    """Text and rating of a completion of step i (from 0)."""
    name = f"label.steps[{i}].completions"
    if not isinstance(completion, Mapping):
        raise BadRowError(name, "an object is wanted", "Give text, rating and flagged.")
    rating = completion.get("rating")
    if rating is not None and (type(rating) is not int or not -1 <= rating <= 1):
        raise BadRowError(name, f"{rating!r} is no rating", "Rate with -1, 0 or 1.")
    return fields.text(completion, "text"), rating


def _begins(whole: Sequence[str], path: _Path) -> bool:
    """Whether the path is the begin of the pre-generated solution."""
    return tuple(text for text, _ in path) == tuple(whole[: len(path)])


def _ratings(record: Record) -> Sequence[int | None]:
    """(K,): the ratings that were read, or those that follow from hard labels."""
    if RATINGS in record.extra:
        ratings: Sequence[int | None] = record.extra[RATINGS]
    elif record.hard is None:
        fields.hard(record, "label")  # raises, and says why
        ratings = ()
    else:
        ratings = [None if good is None else 1 if good else -1 for good in record.hard]
    fields.as_long("label", ratings, len(record.steps))
    return ratings


def _step(text: str, rating: int | None) -> dict[str, Any]:
    return {
        "completions": [{"text": text, "rating": rating, "flagged": False}],
        "human_completion": None,
        "chosen_completion": 0,
    }
