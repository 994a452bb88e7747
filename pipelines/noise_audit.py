"""How noisy are Monte-Carlo labels at N, and what changes that? The study behind docs/noise.md.

    python pipelines/noise_audit.py [PROBLEMS]

Cost: no model; the recorded pool (464,195 rollouts of 1,461 solutions), about four minutes on one
core. The truth is exact, and of two kinds: `any` is the first wrong step, `state` the first one
that changes what later steps work with; a slip that changes nothing no rollout can see.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.dataset as ds
from rich.console import Console

import labeler
from labeler.apps.audit import findings_of
from labeler.apps.calibrate import calibrate
from labeler.apps.label import label
from labeler.audit.findings import Findings
from labeler.consensus import ConsensusConfig, decide
from labeler.testbed.pool import load
from labeler.testbed.programmed_judge import Judgeable, ProgrammedJudge

POOL = Path("data/testbed/pool.parquet")
KINDS = ("any", "state")

# 1. Label the pool from all 64 rollouts of every prefix, with a value model fitted to these without
#    any truth, and write down what is true.
settings = ["name=pool_64", "policy={kind: exhaustive, n: 64}"]
if len(sys.argv) > 1:
    settings += [f"problems.limit={sys.argv[1]}", f"name=pool_64_{sys.argv[1]}"]
run = labeler.load("configs/pool.yaml", settings)
labeler.run(run)
model = run.root / "value_model.yaml"
calibrate(run.root, None, model, Console(quiet=True))
labeler.run(labeler.load("configs/pool.yaml", [*settings, f"value_model={model}"]))
truths = {}
for problem in load(POOL):
    for solution in problem.task.solutions:
        steps = tuple(step.text for step in solution.steps)
        truths[problem.task.problem.question, steps] = problem.truths[solution.id]


def labels() -> list[dict]:  # type: ignore[type-arg]
    """The run's labels as they are now."""
    return ds.dataset(run.root / "labels").to_table().to_pylist()


rows = labels()
for kind in KINDS:
    with (run.root / f"truth_{kind}.jsonl").open("w") as file:
        for row in rows:
            first = getattr(truths[row["question"], tuple(row["steps"])], kind)
            named = {"solution_id": row["solution_id"], "first_error": first or 0}
            file.write(json.dumps(named) + "\n")

# 2. Audit it against either truth.
found = {kind: findings_of(run.root, run.root / f"truth_{kind}.jsonl") for kind in KINDS}


def table(title: str, columns: dict[str, tuple[Findings, str, str, str]]) -> None:
    """Print measures by N, each with its interval: (findings, measure, reference, rule)."""
    print(f"\n{title}\n| N | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
    cells: dict[int, list[str]] = {}
    for audit, *wanted in columns.values():
        for row in audit.rows:
            if [row.measure, row.reference, row.rule, row.group] == [*wanted, ""] and row.n:
                between = "" if row.low is None else f" ({row.low:.3f}-{row.high:.3f})"
                value = "-" if row.value is None else f"{row.value:.3f}{between}"
                cells.setdefault(row.n, []).append(value)
    for n, values in sorted(cells.items()):
        print(f"| {n} | " + " | ".join(values) + " |")


state, anything = found["state"], found["any"]
table(
    "Hard labels: share of the wrong steps that look good, of the right ones that look bad",
    {
        "wrong step good (state)": (state, "hard_false_good", "truth", ""),
        "right step bad (state)": (state, "hard_false_bad", "truth", ""),
        "wrong step good (any)": (anything, "hard_false_good", "truth", ""),
    },
)
table(
    "Soft labels: right steps below a wrong one of the same solution; error and reliability",
    {
        "inverted (state)": (state, "rank_inversion", "truth", ""),
        "tied (state)": (state, "rank_tie", "truth", ""),
        "standard error": (state, "soft_se", "value", ""),
        "reliability": (state, "soft_reliability", "value", ""),
    },
)
for kind in KINDS:
    table(
        f"First errors found, wrong answers ({kind})",
        {
            rule + how: (found[kind], f"located_{how.strip()}", "truth", rule)
            for rule, how in (
                ("first_zero", " exact"), ("bisection", " exact"), ("bisection", " early"),
                ("posterior", " exact"), ("posterior", " undecided"),
            )
        },
    )  # fmt: skip

# 3. What posterior soft labels change: the error at N = 8 against the other 56 rollouts.
label(run.root, ["labels.n=8"])
whole = {row["solution_id"]: row["labels"][:-1] for row in rows}
few = {row["solution_id"]: row["labels"][:-1] for row in labels()}
pairs = [
    (a, b) for name in whole for a, b in zip(few[name], whole[name], strict=True) if a["n"] == 8
]
rest = np.array([(b["correct"] - a["correct"]) / (b["n"] - 8) for a, b in pairs])
noise = np.mean(rest * (1 - rest) / (np.array([b["n"] for _, b in pairs]) - 9))
for name in ("soft", "soft_posterior"):
    error = np.mean((np.array([a[name] for a, _ in pairs]) - rest) ** 2) - noise
    print(f"RMSE of {name} at N = 8 against the value: {error**0.5:.4f} ({len(pairs)} prefixes)")

# 4. What adaptive search changes: first errors missed, and what each way costs.
advice = state.advice
assert advice is not None
print("\n| policy, rule | N at most | confidence | missed (state) | rollouts a solution |")
print("|---|---|---|---|---|")
for o in advice.options:
    interval = "" if o.low is None else f" ({o.low:.3f}-{o.high:.3f})"
    sure = "" if o.confidence is None else f"{o.confidence:g}"
    print(f"| {o.policy} {o.rule} | {o.n} | {sure} | {o.error:.3f}{interval} | {o.rollouts:.1f} |")

# 5. What consensus filtering changes, with a judge of a given quality.
located = [row for row in labels() if row["first_error"] is not None and not row["is_correct"]]
known = [
    Judgeable(
        id=row["solution_id"], steps=len(row["steps"]), first_error=true.any or 0,
        slip=true.any != true.state, difficulty=1 - (row["value_0"]["soft"] or 0),
        by_rollouts=row["first_error"],
    )
    for row in located
    for true in [truths[row["question"], tuple(row["steps"])]]
]  # fmt: skip
print("\n| judge | wrong alone | kept | of these wrong | unfiltered wrong |\n|---|---|---|---|---|")
unfiltered = sum(s.by_rollouts != s.first_error for s in known) / len(known)
for quality in (0.5, 0.7, 0.9):
    judge = ProgrammedJudge(quality=quality)
    told = [judge.names(s) for s in known]
    alone = sum(t != s.first_error for s, t in zip(known, told, strict=True)) / len(known)
    kept = [
        s
        for s, t in zip(known, told, strict=True)
        if decide(s.by_rollouts, t, ConsensusConfig())[0]
    ]
    left = sum(s.by_rollouts != s.first_error for s in kept) / len(kept)
    share = len(kept) / len(known)
    print(f"| {quality:.0%} | {alone:.1%} | {share:.0%} | {left:.1%} | {unfiltered:.1%} |")

# 6. In words.
for line in (*state.sentences, *state.cautions):
    print(line)
