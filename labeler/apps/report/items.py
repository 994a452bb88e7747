"""items.py - a row of labels as the page's browser of solutions takes it. Pure.

Steps are lists in the order of STEP_FIELDS, since a name for every number would be most of a
page. Numbers are rounded to four digits.
"""

from collections.abc import Mapping, Sequence
from typing import Any

STEP_FIELDS = (
    "n", "correct", "truncated", "ungradable", "soft", "low", "high", "soft_posterior",
    "credible_low", "credible_high", "progress", "target", "basis", "rating", "provers",
)  # fmt: skip
VALUE_FIELDS = ("n", "correct", "soft", "low", "high", "provers")
PROVER_FIELDS = ("prover", "n", "soft", "low", "high", "progress")
COLUMNS = (
    "problem_id", "solution_id", "question", "gold", "steps", "answer", "is_correct", "source",
    "generator", "value_0", "first_error", "first_error_confidence", "first_error_posterior",
    "labels", "n_rollouts", "n_tokens", "judge_first_error", "keep", "drop_reason", "failures",
    "provers_0",
)  # fmt: skip
"""What a page reads of labels/*.parquet."""


def item(row: Mapping[str, Any]) -> dict[str, Any]:
    """One solution. `judged` says whether consensus filtering looked at it."""
    return {
        "id": row["solution_id"],
        "problem": row["problem_id"],
        "source": row["source"] or "",
        "generator": row["generator"] or "",
        "question": row["question"],
        "gold": row["gold"],
        "answer": row["answer"],
        "right": row["is_correct"],
        "first": row["first_error"],
        "sure": _short(row["first_error_confidence"]),
        "chances": [
            [p["step"], _short(p["probability"])] for p in row["first_error_posterior"] or ()
        ],
        "judged": row["keep"] is not None,
        "judge": row["judge_first_error"],
        "keep": row["keep"],
        "dropped": row["drop_reason"],
        "rollouts": row["n_rollouts"],
        "tokens": row["n_tokens"],
        "failures": [[f["step"], f["cause"]] for f in row["failures"] or ()],
        "steps": row["steps"],
        "value": _values({**row["value_0"], "provers": row["provers_0"]}, VALUE_FIELDS),
        "labels": [_values(step, STEP_FIELDS) for step in row["labels"]],
    }


def _values(held: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    """A prefix's values, those under further completers as lists of PROVER_FIELDS."""
    under = [_listed(prover, PROVER_FIELDS) for prover in held["provers"] or ()]
    return _listed({**held, "provers": under}, names)


def _listed(held: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    return [_short(held[name]) for name in names]


def _short(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    return round(value, 4) if isinstance(value, float) else value
