"""prm - a small process reward model, trained on a run's labels: the proof that they train.

A base model's hidden states, a linear head, and a loss at step ends alone. It is made to compare
labels under one trainer, not to compete with trainers: one process, no mixed precision.

`settings` has what is chosen, `examples` reads label shards (through `datasets`) and benchmark
files, `encoding` turns a solution into token ids and step ends, `network` is the model on disk and
in memory, `training` and `scoring` are the loop and what scores mean, `evaluation` is the report.

    python -m labeler.prm train RUN --out DIR
    python -m labeler.prm evaluate DIR FILE

Nothing here imports torch, transformers or datasets before it is called (extra `prm`).
"""
