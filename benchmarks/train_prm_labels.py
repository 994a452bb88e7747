"""The labels that the trainer is given: what a policy found on the pool, as label shards.

Each problem of the pool is searched once (all its solutions together), with its recorded rollouts
in an order that the seed gives, and labelled by the package's own rules. The seed also shuffles the
problems; a share is taken problem by problem until the tokens are spent: those of all rollouts, and
of writing the solutions. For adaptive, the first PILOT problems have 8 rollouts of every prefix;
the value model is fitted to their counts, without truth, and the others are searched with it. The
pilot is paid for out of the same budget.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from search_cases import Case, Play, Used, play
from search_rules import counted_of
from train_prm_fresh import MODEL, World, cases

from labeler.consensus import ConsensusConfig, decide
from labeler.labels import Evidence, LabelConfig, SolutionLabel, Tally, believe, label
from labeler.model import Outcome, Reason, Verdict
from labeler.policies import Adaptive, Exhaustive
from labeler.posterior import ValueModel
from labeler.posterior.fitting import fit
from labeler.prm.settings import Labels
from labeler.prompts import load_tokenizer
from labeler.shards import write_labels
from labeler.testbed.programmed_judge import Judgeable, ProgrammedJudge

EXHAUSTIVE = Exhaustive(n=8)
PILOT = 25
QUALITY = 0.8
"""Of the judge. It is not paid for out of the budget."""
Searched = tuple[tuple[Case, Play], ...]


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to label."""

    name: str
    search: Literal["exhaustive", "adaptive"]
    rule: Literal["first_zero", "posterior", "truth"]
    labels: Labels
    share: Literal["tokens", "same", "all"] = "tokens"
    """tokens: as many problems as the budget pays for; same: those that it pays for with
    exhaustive; all: all, whatever they cost."""
    judge: bool = False
    """Keep what agrees with a judge alone."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A problem with its labels, and what they cost in tokens."""

    rows: tuple[SolutionLabel, ...]
    truths: tuple[int, ...]
    """Of each row the exact first error that changes the state; 0: none."""
    tokens: int


@dataclass(frozen=True, slots=True)
class Quality:
    """What the labels of steps are worth, against exact truth; shares of all steps."""

    unlabelled: float
    """Undecided, or in a solution that filtering dropped."""
    wrong: float
    """On the wrong side of one half."""


def quality(labels: Sequence[Labelled], kind: Labels) -> Quality:
    """Of what a trainer is given."""
    steps = unlabelled = wrong = 0
    for one in labels:
        for row, truth in zip(one.rows, one.truths, strict=True):
            for k, step in enumerate(row.labels, 1):
                target = None if row.keep is False else getattr(step, kind)
                steps += 1
                unlabelled += target is None
                wrong += target is not None and (target >= 0.5) != (not truth or k < truth)
    return Quality(unlabelled / steps, wrong / steps)


@lru_cache(maxsize=4)
def exhaustive(world: World) -> Searched:
    """Every problem with 8 rollouts of every prefix."""
    return tuple((case, play(EXHAUSTIVE, case)) for case in cases(world))


@lru_cache(maxsize=4)
def value_model(world: World) -> ValueModel:
    """Fitted to the pilot's counts."""
    pilot = exhaustive(world)[:PILOT]
    counts = [counted_of(case.task, played.counts(case.task)) for case, played in pilot]
    return fit(counts, ValueModel()).model


@lru_cache(maxsize=4)
def adaptive(world: World) -> Searched:
    """Every problem searched adaptively, but for the pilot's."""
    policy = Adaptive(value_model=value_model(world))
    searched = tuple((case, play(policy, case)) for case in cases(world)[PILOT:])
    return exhaustive(world)[:PILOT] + searched


def labelled(contender: Contender, world: World) -> list[Labelled]:
    """The problems that the contender is given, with their labels."""
    if contender.share == "tokens":
        given = taken(_searched(contender, world), budget(world))
    elif contender.share == "same":
        given = _searched(contender, world)[: len(taken(exhaustive(world), budget(world)))]
    else:
        given = _searched(contender, world)
    rule = LabelConfig(rule="first_zero")
    if contender.rule == "posterior":
        rule = LabelConfig(rule="posterior", value_model=value_model(world))
    made = []
    for case, played in given:
        rows = rows_of(case, played, rule)
        if contender.rule == "truth":
            rows = [_true(row, case) for row in rows]
        if contender.judge:
            rows = [_judged(row, case, world.seed) for row in rows]
        spent = 0 if contender.rule == "truth" else cost(case, played)
        truths = tuple(case.truths[row.solution_id].state or 0 for row in rows)
        made.append(Labelled(tuple(rows), truths, spent))
    return made


def budget(world: World) -> int:
    """Tokens: what adaptive takes for all problems, its pilot and the solutions included."""
    return sum(cost(case, played) for case, played in adaptive(world))


def cost(case: Case, played: Play) -> int:
    """Tokens of a problem's rollouts, and of its solutions."""
    return played.tokens + sum(_length(solution.text) for solution in case.task.solutions)


def taken(searched: Searched, tokens: int) -> Searched:
    """The first problems that a budget pays for."""
    spent = 0
    for number, (case, played) in enumerate(searched):
        spent += cost(case, played)
        if spent > tokens:
            return searched[:number]
    return searched


def write(labels: Sequence[Labelled], run: Path) -> Path:
    """A run directory that has labels alone."""
    (run / "labels").mkdir(parents=True, exist_ok=True)
    write_labels(run / "labels/0000.parquet", [row for one in labels for row in one.rows], "")
    return run


def rows_of(case: Case, played: Play, rule: LabelConfig) -> list[SolutionLabel]:
    """The rows of labels of a problem's solutions, as a run makes them."""
    task = case.task
    keys = [[task.prefix(s, k).key for k in range(len(s.steps))] for s in task.solutions]
    tallies = {key: _tally(used) for key, used in played.used.items()}
    own = [s.id in task.right for s in task.solutions]
    beliefs = believe(keys, own, tallies, rule.value_model, rule.confidence)
    rows = []
    for solution, at, right, belief in zip(task.solutions, keys, own, beliefs, strict=True):
        counted = {k: tallies[key] for k, key in enumerate(at) if key in tallies}
        rows.append(label(task.problem, solution, Evidence(_own(right), counted), rule, belief))
    return rows


def _searched(contender: Contender, world: World) -> Searched:
    searches: dict[str, Callable[[World], Searched]] = {
        "exhaustive": exhaustive,
        "adaptive": adaptive,
    }
    return searches[contender.search](world)


def _tally(used: Used) -> Tally:
    return Tally(n=used.n, correct=used.correct, n_tokens=used.tokens)


def _own(right: bool) -> Verdict:
    if right:
        return Verdict(Outcome.CORRECT, Reason.MATCH, None, 0.0)
    return Verdict(Outcome.INCORRECT, Reason.WRONG, None, 0.0)


def _true(row: SolutionLabel, case: Case) -> SolutionLabel:
    """The row with the first error that changes the state in place of what was found."""
    first = case.truths[row.solution_id].state or 0
    labels = [replace(step, target=not first or k < first) for k, step in enumerate(row.labels, 1)]
    return replace(row, first_error=first, labels=tuple(labels))


def _judged(row: SolutionLabel, case: Case, seed: int) -> SolutionLabel:
    """The row kept where the testbed's programmed judge names the same step."""
    truth = case.truths[row.solution_id]
    first = truth.any or 0
    asked = Judgeable(
        id=row.solution_id,
        steps=len(row.steps),
        first_error=first,
        slip=first > 0 and truth.any != truth.state,
        difficulty=1 - (row.value_0.soft or 0.0),
        by_rollouts=row.first_error,
    )
    said = ProgrammedJudge(quality=QUALITY, seed=seed).names(asked)
    keep, reason = decide(row.first_error, said, ConsensusConfig())
    return replace(row, judge_first_error=said, keep=keep, drop_reason=reason)


@lru_cache(maxsize=1)
def _tokenizer() -> Any:  # noqa: ANN401 - a tokenizer
    return load_tokenizer(MODEL)


@lru_cache(maxsize=1 << 12)
def _length(text: str) -> int:
    return len(_tokenizer().encode(text, add_special_tokens=False))
