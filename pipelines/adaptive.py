"""First errors by adaptive search, against eight rollouts after every step; and two rules, one log.

    python pipelines/adaptive.py

Cost: about 3,300 rollouts of the embedded model, one to two minutes on 2 CPU cores.
The search asks where a rollout tells most about the first error, under a model of values
(labeler/posterior), and stops when it is sure enough. The same model reads any log: so the rule
`posterior` can stand beside `first_zero`, the first step that no rollout survives.
"""

from pathlib import Path

import pyarrow.dataset as ds

import labeler

Found = dict[str, int | None]


def first_errors(root: Path) -> Found:
    """The first error of each wrong-answer solution; None is undecided."""
    columns = ["solution_id", "is_correct", "first_error"]
    rows = ds.dataset(root / "labels").to_table(columns=columns).to_pylist()
    return {row["solution_id"]: row["first_error"] for row in rows if row["is_correct"] is False}


def agreed(one: Found, other: Found) -> str:
    """How often two sets of first errors say the same, where both say something."""
    both = [name for name in one if one[name] is not None and other[name] is not None]
    return f"{sum(one[name] == other[name] for name in both)} of {len(both)}"


# 1. Every prefix of every solution, 8 times; and adaptively, with the same model and seed: both see
#    the same solutions, and where both ask, the same rollouts.
runs, found = {}, {}
for policy in ("exhaustive", "adaptive"):
    overrides = ["problems.limit=20", f"name=compared_{policy}"]
    runs[policy] = labeler.load(f"configs/{policy}.yaml", overrides)
    labeler.run(runs[policy])
    rollouts = ds.dataset(runs[policy].root / "rollouts").count_rows()
    found[policy] = first_errors(runs[policy].root)
    print(f"{policy}: {rollouts} rollouts, the solutions included")
print(f"same first error: {agreed(found['exhaustive'], found['adaptive'])} wrong solutions")

# 2. The log of the first run, read by the other rule. Nothing is sampled: labels are views.
overrides = ["problems.limit=20", "name=compared_exhaustive", "labels.rule=first_zero"]
summary = labeler.run(labeler.load("configs/exhaustive.yaml", overrides))
zeros = first_errors(runs["exhaustive"].root)
print(f"first_zero on the same log, {summary.counters.rollouts} rollouts sampled")
print(f"  same first error as posterior: {agreed(found['exhaustive'], zeros)}")

# 3. How sure each label is, and what else it may be, stands in its row.
table = ds.dataset(runs["adaptive"].root / "labels").to_table()
row = min(
    (row for row in table.to_pylist() if row["is_correct"] is False),
    key=lambda row: row["first_error_confidence"] or 1.0,
)
print(f"least sure: first error {row['first_error']} at {row['first_error_confidence']:.2f}")
for entry in row["first_error_posterior"]:
    print(f"  step {entry['step']}: {entry['probability']:.2f}")
