"""First errors by binary search, and what that saves against rolling out every step.

    python pipelines/bisection.py

Cost: about 4,000 rollouts of the embedded model, a minute on 2 CPU cores.
Source: Luo et al. 2024, "OmegaPRM", section 3.2. Bisection assumes that a dead prefix stays dead.
"""

import pyarrow.dataset as ds

import labeler

TWENTY = ["problems.limit=20"]

# 1. Every prefix of every solution: what bisection is measured against. 2. Bisection, with the
#    same model and seed: both see the same solutions, and where both ask, the same rollouts.
spent = {}
for policy in ("exhaustive", "bisection"):
    config = labeler.load(f"configs/{policy}.yaml", [*TWENTY, f"name=twenty_{policy}"])
    labeler.run(config)
    labels = ds.dataset(config.root / "labels")
    spent[policy] = sum(labels.to_table(columns=["n_rollouts"])["n_rollouts"].to_pylist())
print(f"rollouts behind the labels: {spent}")

# 3. Bisection's labels say which steps were measured, and which are inferred from the others.
bases: dict[str, int] = {}
for row in labels.to_table(columns=["labels"]).to_pylist():
    for step in row["labels"]:
        bases[step["basis"]] = bases.get(step["basis"], 0) + 1
print(bases)
