"""OmegaPRM: a tree of wrong rollouts, each bisected for its first error; no solutions needed.

    python pipelines/omegaprm.py

Cost: about 400 rollouts of the embedded model, a minute on 2 CPU cores.
Source: Luo et al. 2024, "OmegaPRM", section 3.3: the search goes on from likely right prefixes
whose rollouts went wrong, and what one search samples serves all later ones.
"""

import pyarrow.dataset as ds

import labeler

# 1. Five bare problems. The completer's own rollouts are the solutions that get searched.
config = labeler.load("configs/omega.yaml", ["name=omegaprm", "problems.limit=5"])
summary = labeler.run(config)

# 2. Every prefix that was rolled out is a state: a soft label, with how often it was chosen.
states = ds.dataset(config.root / "states").to_table().to_pylist()
chosen = max(states, key=lambda state: state["visits"])
print(f"{len(states)} states from {summary.counters.rollouts} rollouts")
print(f"chosen most often, {chosen['visits']} times: soft {chosen['soft']:.2f}")
print("  " + "\n  ".join([chosen["question"], *chosen["steps"]]))

# 3. Each rollout that was followed is a labelled solution with its first error.
labels = ds.dataset(config.root / "labels").to_table(columns=["first_error"]).to_pylist()
located = sum(bool(row["first_error"]) for row in labels)
print(f"{len(labels)} wrong rollouts followed, the first error of {located} located")

# 4. Two next steps of one prefix, of which one is dead, are a pair for preference training.
pairs = ds.dataset(config.root / "pairs").to_table().to_pylist()
print(f"{len(pairs)} pairs, such as:")
for pair in pairs[:3]:
    print(
        f"  after {len(pair['steps'])} steps\n    + {pair['preferred']}\n    - {pair['rejected']}"
    )
