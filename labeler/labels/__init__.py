"""labels - what the rollouts of a solution's prefixes mean: its row of labels.

1. Pure and order-blind: counts in, one row out. Another rule, threshold or N costs no rollout.
2. Measured and inferred never share a field. soft, hard, progress and their intervals speak of
   rollouts of that very prefix and are None where there are none; `target` may be inferred, and
   `basis` says so.
3. Prefix K, the whole solution, needs no rollout: its value is the verdict of its own answer.
   Its label has n = 1, that one answer, and an interval of no width; it counts in no cost.
4. A prefix that was not asked, failed, or only gave ungradable rollouts is unknown, not bad.

5. Every prover goes one way: equal counts give equal columns, whoever gave them.

`rows` has the nouns, `values` the arithmetic of one prefix, `beliefs` what all counts of a problem
say together, `first_error` the rules, `provers` and `best_of` values under further provers,
`ratings` and `weighted` two labels on top, and `view` puts a row together. They know neither the
log nor Parquet.
"""

from labeler.labels.beliefs import believe
from labeler.labels.config import LabelConfig
from labeler.labels.provers import ProverEvidence
from labeler.labels.rows import (
    Basis,
    Failure,
    ProverValue,
    SolutionLabel,
    StepLabel,
    StepProbability,
    Stopping,
    Value,
)
from labeler.labels.states import Child, Pair, StateLabel, Visited, pairs, state_label
from labeler.labels.values import Tally, difference, jeffreys, measured, tally
from labeler.labels.view import Evidence, label

__all__ = [
    "Basis",
    "Child",
    "Evidence",
    "Failure",
    "LabelConfig",
    "Pair",
    "ProverEvidence",
    "ProverValue",
    "SolutionLabel",
    "StateLabel",
    "StepLabel",
    "StepProbability",
    "Stopping",
    "Tally",
    "Value",
    "Visited",
    "believe",
    "difference",
    "jeffreys",
    "label",
    "measured",
    "pairs",
    "state_label",
    "tally",
]
