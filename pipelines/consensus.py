"""Consensus filtering: what is left of wrong labels where rollouts and a judge must agree.

    python pipelines/consensus.py

Cost: no model; the recorded pool, about 20 seconds on one core.
Rollouts measure the completer's luck as well as the step. A judge that reads the solution errs in
other ways: where both name the same first wrong step, it is more often right. How much that buys
depends on how good the judge is, and on whether it errs where the rollouts do; here both are dials,
and the truth is exact. benchmarks/consensus.py has the whole table, with intervals.
"""

from pathlib import Path

import pyarrow.dataset as ds

import labeler
from labeler.consensus import ConsensusConfig, decide
from labeler.testbed.pool import load
from labeler.testbed.programmed_judge import Judgeable, ProgrammedJudge

POOL = Path("data/testbed/pool.parquet")

# 1. Label recorded solutions from recorded rollouts, adaptively.
run = labeler.load("configs/pool.yaml", ["name=consensus_pool", "problems.limit=120"])
labeler.run(run)
rows = ds.dataset(run.root / "labels").to_table().to_pylist()
rows = [row for row in rows if row["first_error"] is not None]

# 2. What is true of them.
problems = {problem.task.problem.question: problem for problem in load(POOL)}


def judgeable(row: dict) -> Judgeable:  # type: ignore[type-arg]
    """A labelled solution, with what is true of it."""
    problem = problems[row["question"]]
    steps = tuple(row["steps"])
    [true] = [
        problem.truths[solution.id]
        for solution in problem.task.solutions
        if tuple(step.text for step in solution.steps) == steps
    ]
    soft = row["value_0"]["soft"]
    return Judgeable(
        id=row["solution_id"],
        steps=len(steps),
        first_error=true.any or 0,
        slip=true.any != true.state,
        difficulty=0.5 if soft is None else 1 - soft,
        by_rollouts=row["first_error"],
    )


solutions = [judgeable(row) for row in rows]
wrong = sum(s.by_rollouts != s.first_error for s in solutions)
print(f"{len(solutions)} first errors located by rollouts, {wrong / len(solutions):.0%} wrong")

# 3. Keep what a judge agrees with. Nothing is thrown away: every row says whether it is kept.
for name, judge in {
    "a good judge": ProgrammedJudge(quality=0.9),
    "a middling one": ProgrammedJudge(quality=0.7),
    "a middling one that errs with the rollouts": ProgrammedJudge(quality=0.7, follows=0.6),
}.items():
    named = [judge.names(solution) for solution in solutions]
    kept = [
        solution
        for solution, step in zip(solutions, named, strict=True)
        if decide(solution.by_rollouts, step, ConsensusConfig())[0]
    ]
    left = sum(s.by_rollouts != s.first_error for s in kept)
    alone = sum(step != s.first_error for s, step in zip(solutions, named, strict=True))
    print(
        f"{name}: alone {alone / len(solutions):.0%} wrong; "
        f"kept {len(kept) / len(solutions):.0%}, of these {left / len(kept):.0%} wrong"
    )
