"""Math-Shepherd, start to end: 8 rollouts after every step, soft and hard labels.

    python pipelines/math_shepherd.py

Cost: about 1,400 rollouts of the embedded model, half a minute on 2 CPU cores.
Source: Wang et al. 2024, "Math-Shepherd", section 3.3: the soft label of a step is the share of
its rollouts that reach the gold answer, the hard label whether any does.
"""

import pyarrow.dataset as ds

import labeler

# 1. Ten problems with gold answers. They come without solutions, so the model writes four each.
config = labeler.load("configs/exhaustive.yaml", ["name=math_shepherd", "problems.limit=10"])

# 2. Roll out every prefix, grade, label. Run it twice: the second time all is in the log.
summary = labeler.run(config)
print(f"{summary.counters.rollouts} rollouts sampled, {summary.counters.replayed} replayed")

# 3. One row a solution, in plain Parquet.
rows = ds.dataset(config.root / "labels").to_table().to_pylist()
wrong = next(row for row in rows if row["is_correct"] is False)
print(wrong["question"])
for text, step in zip(wrong["steps"], wrong["labels"], strict=True):
    print(f"  soft {step['soft']:.2f}  hard {step['hard']!s:5}  {text}")
print(f"gold {wrong['gold']}, answered {wrong['answer']}, first error: {wrong['first_error']}")
