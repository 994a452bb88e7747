"""How noisy are Monte-Carlo labels at N, and what changes that? The study behind docs/noise.md.

    python pipelines/noise_audit.py [PROBLEMS]

Cost: no model; the recorded pool (464,195 rollouts of 1,461 solutions), about five minutes on one
core. The truth is exact, and of two kinds: `any` is the first wrong step, `state` the first one
that changes what later steps work with; a slip that changes nothing no rollout can see.
"""

import json
import sys
from collections.abc import Iterable, Iterator
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
from labeler.scores import interval, ratio
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
    cells = {}
    for column, (audit, *wanted) in columns.items():
        for row in audit.rows:
            if [row.measure, row.reference, row.rule, row.group] == [*wanted, ""]:
                bounds = None if row.low is None or row.high is None else (row.low, row.high)
                cells[row.n, column] = shown(row.value, bounds)
    for n in (1, 2, 4, 8, 16, 32, 64):
        print(f"| {n} | " + " | ".join(cells[n, column] for column in columns) + " |")


def shown(value: float | None, bounds: tuple[float, float] | None) -> str:
    """A number with its 95% interval over problems."""
    if value is None:
        return "-"
    return f"{value:.3f}" + (f" ({bounds[0]:.3f}-{bounds[1]:.3f})" if bounds else "")


def over_problems(rows: Iterable[tuple[str, tuple[float, ...]]]) -> np.ndarray:
    """(problems, C): what rows of (problem, C numbers) add up to."""
    sums: dict[str, np.ndarray] = {}
    for problem, numbers in rows:
        sums[problem] = sums.get(problem, 0) + np.array(numbers)
    return np.array(list(sums.values()))


def mean(rows: Iterable[tuple[str, tuple[float, float]]]) -> str:
    """The second numbers' sum over the first's, with its interval."""
    sums = over_problems(rows)
    return shown(ratio(sums.sum(axis=0)), interval(sums, ratio))


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

# 3. What posterior soft labels change: the error at N = 8 against V, from the other 56 rollouts
#    (whose own noise is taken off).
label(run.root, ["labels.n=8"])
whole = {row["solution_id"]: row["labels"][:-1] for row in rows}


def errors(name: str) -> Iterator[tuple[str, tuple[float, float]]]:
    """Of each prefix: its problem, 1, and the squared error of this label less the noise."""
    for row in labels():
        for few, many in zip(row["labels"][:-1], whole[row["solution_id"]], strict=True):
            n = many["n"] - few["n"]
            rest = (many["correct"] - few["correct"]) / n
            yield row["problem_id"], (1, (few[name] - rest) ** 2 - rest * (1 - rest) / (n - 1))


def root_mean(sums: np.ndarray) -> float | None:
    """The root of a mean, from sums as `errors` gives them."""
    return float(max(sums[1], 0) / sums[0]) ** 0.5


print("\n| label at N = 8 | RMSE against the value |\n|---|---|")
for name in ("soft", "soft_posterior"):
    sums = over_problems(errors(name))
    print(f"| {name} | {shown(root_mean(sums.sum(axis=0)), interval(sums, root_mean))} |")

# 4. What adaptive search changes: first errors missed, and what each way costs.
advice = state.advice
assert advice is not None
print("\n| policy, rule | N at most | confidence | missed (state) | rollouts a solution |")
print("|---|---|---|---|---|")
for o in advice.options:
    missed = shown(o.error, None if o.low is None or o.high is None else (o.low, o.high))
    sure = "" if o.confidence is None else f"{o.confidence:g}"
    print(f"| {o.policy}, {o.rule} | {o.n} | {sure} | {missed} | {o.rollouts:.1f} |")

#    The replay is on a sample; the same policy run on all of them:
print("\n| adaptive on all wrong answers, confidence | missed (state) | undecided |\n|---|---|---|")
for confidence in (0.9, 0.95, 0.99):
    policy = f"policy={{kind: adaptive, confidence: {confidence}}}"
    searched = labeler.load("configs/pool.yaml", [*settings, policy, f"value_model={model}"])
    searched = searched.model_copy(update={"run_dir": f"{run.root}_{confidence}"})
    labeler.run(searched)
    rows = ds.dataset(searched.root / "labels").to_table().to_pylist()
    wrong = [row for row in rows if not row["is_correct"]]
    true = [truths[row["question"], tuple(row["steps"])].state for row in wrong]
    named = [(row["problem_id"], row["first_error"]) for row in wrong]
    missed = mean((p, (1, at != t)) for (p, at), t in zip(named, true, strict=True))
    print(f"| {confidence:g} | {missed} | {mean((p, (1, at is None)) for p, at in named)} |")

# 5. What consensus filtering changes, with a judge of a given quality: wrong first errors (any).
located = [row for row in labels() if row["first_error"] is not None and not row["is_correct"]]
known = []
for row in located:
    true = truths[row["question"], tuple(row["steps"])]
    solution = Judgeable(
        id=row["solution_id"],
        steps=len(row["steps"]),
        first_error=true.any or 0,
        slip=true.any != true.state,
        difficulty=1 - (row["value_0"]["soft"] or 0),
        by_rollouts=row["first_error"],
    )
    known.append((row["problem_id"], solution))
print("\n| judge's quality | wrong alone | kept | of these wrong | unfiltered wrong |")
print("|---|---|---|---|---|")
astray = {s.id: s.by_rollouts != s.first_error for _, s in known}
for quality in (0.5, 0.7, 0.9):
    judge = ProgrammedJudge(quality=quality)
    told = {s.id: judge.names(s) for _, s in known}
    agreed = {s.id: decide(s.by_rollouts, told[s.id], ConsensusConfig())[0] for _, s in known}
    cells = (
        mean((p, (1, told[s.id] != s.first_error)) for p, s in known),
        mean((p, (1, agreed[s.id])) for p, s in known),
        mean((p, (1, astray[s.id])) for p, s in known if agreed[s.id]),
        mean((p, (1, astray[s.id])) for p, s in known),
    )
    print(f"| {quality:.0%} | " + " | ".join(cells) + " |")

# 6. In words.
for line in (*state.sentences, *state.cautions):
    print(line)
