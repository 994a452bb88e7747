"""Progress labels: how much each step raises the chance of reaching the gold answer.

    python pipelines/progress_labels.py

Cost: about 1,400 rollouts of the embedded model, half a minute on 2 CPU cores.
Source: Setlur et al. 2024, "Rewarding Progress", section 3: the progress of step k under a prover
is V(k) - V(k-1). Here the prover is the completer itself, and V(0) is the bare question's value.
"""

import pyarrow.dataset as ds

import labeler

config = labeler.load("configs/exhaustive.yaml", ["name=progress", "problems.limit=10"])
labeler.run(config)

rows = ds.dataset(config.root / "labels").to_table().to_pylist()
for row in rows[:2]:
    print(f"V(0) = {row['value_0']['soft']:.2f}  {row['question']}")
    for text, step in zip(row["steps"], row["labels"], strict=True):
        low, high = step["progress_low"], step["progress_high"]
        print(f"  {step['progress']:+.2f} [{low:+.2f}, {high:+.2f}]  {text}")
    total = sum(step["progress"] for step in row["labels"])
    print(f"  together {total:+.2f} = V(K) - V(0)\n")
