"""Progress labels: how much each step raises the chance of reaching the gold answer.

    python pipelines/progress_labels.py

Cost: about 1,400 rollouts of the embedded model, half a minute on 2 CPU cores.
Source: Setlur et al. 2024, "Rewarding Progress", section 3: the progress of step k under a prover
is V(k) - V(k-1). Here the prover is the completer itself, and V(0) is the bare question's value.
Other provers, and Best-of-J from the same rollouts: configs/provers.yaml.
"""

from pathlib import Path
from statistics import mean, median

import pyarrow.dataset as ds

import labeler
from labeler.labels.ratings import rating
from labeler.testbed import pool
from labeler.testbed.restated import progress_of_right_steps

# 1. Each step's progress; all steps together bring V(K) - V(0).

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

# 2. What right steps bring that say nothing new, on 64 recorded rollouts of every prefix, without a
#    model. A step that repeats the number before it leaves the value where it was: neutral, with
#    |progress| below 0.1 and its whole interval inside. One that quotes the question does not: it
#    decides whose number the solution goes on with.
recorded = pool.load(Path("data/testbed/pool.parquet"))
for kind, found in progress_of_right_steps(recorded).items():
    sizes = [abs(progress.mean) for progress in found]
    neutral = mean(rating(True, p.low, p.high, 0.1) == 0 for p in found)
    print(
        f"{len(found)} right steps, each {kind}: |progress| mean {mean(sizes):.3f}, "
        f"median {median(sizes):.3f}; neutral {neutral:.0%}"
    )
