"""When does consensus filtering help? Wrong first errors before and after, against exact truth.

    python benchmarks/consensus.py [--quick]

Every solution of the recorded pool is labelled from 8 rollouts of each prefix, by both rules, and
judged by judges of several qualities whose errors follow the rollouts' to several degrees
(labeler/testbed/programmed_judge.py). Of each: how many of the first errors are wrong where
nothing is filtered, where rollouts and judge agree, and by the judge alone; and how much is kept.
Intervals are bootstrap ones over problems. Exact truth: the first error of any kind, slips that no
rollout can see included (half of the testbed's first errors are such), as a reader judges. The
value model is fitted to some of the problems, without truth.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from search_cases import Case
from train_prm_labels import World, exhaustive, rows_of, value_model

from labeler.consensus import ConsensusConfig, decide
from labeler.labels import LabelConfig, SolutionLabel
from labeler.scores import share_interval
from labeler.testbed.programmed_judge import Judgeable, ProgrammedJudge

QUALITIES = (0.6, 0.75, 0.9)
FOLLOWS = (0.0, 0.3, 0.6)
RULES = ("first_zero", "posterior")
_FILTER = ConsensusConfig()


@dataclass(frozen=True, slots=True)
class Told:
    """One solution: the truth, and what both say."""

    problem: str
    truth: int
    ours: int | None
    judge: int
    kept: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    rule: str
    quality: float
    follows: float
    unfiltered: float
    filtered: float
    low: float
    high: float
    """Of `filtered`."""
    judge: float
    kept: float


def labelled(rule: str, world: World) -> list[tuple[Case, SolutionLabel]]:
    """Every solution of the pool with its labels."""
    config = LabelConfig.model_validate({"rule": rule, "value_model": value_model(world)})
    pairs = [(case, rows_of(case, played, config)) for case, played in exhaustive(world)]
    return [(case, row) for case, rows in pairs for row in rows]


def judgeable(case: Case, row: SolutionLabel) -> Judgeable:
    """The solution as the judge's luck sees it."""
    truth = case.truths[row.solution_id]
    first = truth.any or 0
    soft = row.value_0.soft
    return Judgeable(
        id=row.solution_id,
        steps=len(row.steps),
        first_error=first,
        slip=bool(first) and truth.any != truth.state,
        difficulty=0.5 if soft is None else 1 - soft,
        by_rollouts=row.first_error,
    )


def told(labels: Sequence[tuple[Case, SolutionLabel]], judge: ProgrammedJudge) -> Iterator[Told]:
    """What rollouts and judge say of each solution."""
    for case, row in labels:
        seen = judgeable(case, row)
        named = judge.names(seen)
        kept, _ = decide(row.first_error, named, _FILTER)
        yield Told(row.problem_id, seen.first_error, row.first_error, named, kept)


def measured(rule: str, judge: ProgrammedJudge, found: Sequence[Told]) -> Row:
    """Shares of wrong first errors; of the rollouts' own, where they are decided."""
    decided = [t for t in found if t.ours is not None]
    kept = [t for t in found if t.kept]
    problems = sorted({t.problem for t in found})
    sums = np.array([_counts(kept, problem) for problem in problems], dtype=float)
    low, high = share_interval(sums) or (0.0, 1.0)
    return Row(
        rule=rule,
        quality=judge.quality,
        follows=judge.follows,
        unfiltered=_wrong([(t.ours, t.truth) for t in decided]),
        filtered=_wrong([(t.ours, t.truth) for t in kept]),
        low=low,
        high=high,
        judge=_wrong([(t.judge, t.truth) for t in found]),
        kept=len(kept) / len(found),
    )


def _counts(kept: Sequence[Told], problem: str) -> tuple[int, int]:
    of = [t for t in kept if t.problem == problem]
    return len(of), sum(t.ours != t.truth for t in of)


def _wrong(pairs: Sequence[tuple[int | None, int]]) -> float:
    return sum(ours != truth for ours, truth in pairs) / max(len(pairs), 1)


def table(world: World, qualities: Sequence[float], follows: Sequence[float]) -> Iterator[Row]:
    """Every rule with every judge."""
    for rule in RULES:
        labels = labelled(rule, world)
        for quality in qualities:
            for share in follows:
                judge = ProgrammedJudge(quality, share, world.seed)
                yield measured(rule, judge, list(told(labels, judge)))


def line(row: Row) -> str:
    """One row of the table."""
    return (
        f"{row.rule:11}{row.quality:8.2f}{row.follows:9.1f}{row.unfiltered:12.3f}"
        f"{row.filtered:10.3f} ({row.low:.3f}-{row.high:.3f}){row.judge:13.3f}{row.kept:8.2f}"
    )


def headline(rows: Sequence[Row]) -> str:
    """Of the middling judge, by the posterior rule."""
    middle = [r for r in rows if r.rule == "posterior" and r.quality == QUALITIES[1]]
    names = [("independent", middle[0]), ("following", middle[-1])]
    return " ".join(
        f"wrong_{name}_unfiltered={r.unfiltered:.3f} wrong_{name}_filtered={r.filtered:.3f} "
        f"wrong_{name}_judge={r.judge:.3f} kept_{name}={r.kept:.2f}"
        for name, r in names
    )


def main() -> None:
    """Print the table and the headline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    world = World(seed=0, problems=60 if quick else 400)
    print("share of wrong first errors, exact truth, 8 rollouts a prefix")
    print("rule       quality  follows  unfiltered  filtered (95% interval)  judge alone    kept")
    rows = []
    for row in table(world, QUALITIES, FOLLOWS):
        print(line(row))
        rows.append(row)
    print(headline(rows))


if __name__ == "__main__":
    main()
