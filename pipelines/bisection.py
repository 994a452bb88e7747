"""First errors by binary search, and what that saves against rolling out every step.

    python pipelines/bisection.py

Cost: some thousand rollouts of the embedded model, one to two minutes on 2 CPU cores.
Source: Luo et al. 2024, "OmegaPRM", section 3.2. Bisection assumes that a dead prefix stays dead.
"""

import pyarrow.dataset as ds

import labeler

TWENTY = ["problems.limit=20", "name=first_errors"]

# 1. Every prefix of every solution: what bisection is measured against.
everything = labeler.run(labeler.load("configs/exhaustive.yaml", TWENTY))

# 2. The same run directory, another policy: any policy may read any log, so nothing is sampled.
config = labeler.load("configs/bisection.yaml", TWENTY)
searched = labeler.run(config)
asked = searched.counters.rollouts + searched.counters.replayed
print(f"bisection looked at {asked} rollouts, of which {searched.counters.rollouts} were new;")
print(f"exhaustive had sampled {everything.counters.rollouts}")

# 3. Its labels say which steps were measured, and which are inferred from the others.
bases: dict[str, int] = {}
for row in ds.dataset(config.root / "labels").to_table(columns=["labels"]).to_pylist():
    for step in row["labels"]:
        bases[step["basis"]] = bases.get(step["basis"], 0) + 1
print(bases)
