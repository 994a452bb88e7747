"""Wrong solutions of the trained model, read by a person: truth must agree with every one.

A row: the problem's question and program, the solution, the first error (of either kind), the
first one that changes the state (0 = none), and the kind of the first error. `shipped-` rows are
of the shipped model, read with the function's verdicts in view and then written from them;
`wide-` ones are of the model after its first cycle of training, the rest after its second, and
these were judged before the function was asked (one, held-0-262, was revised with the function).
"""

import json
from pathlib import Path
from typing import Any

import pytest

from labeler.testbed.program import Program
from labeler.testbed.truth import first_errors, judge, split

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "hand_checked.jsonl").read_text().splitlines()
]


def test_there_are_fifty_of_the_shipped_model() -> None:
    assert len({(r["question"], r["solution"]) for r in ROWS}) == len(ROWS)
    assert sum(row["id"].startswith("shipped-") for row in ROWS) >= 50


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_truth_agrees_with_the_reader(row: dict[str, Any]) -> None:
    truths = judge(Program.from_json(row["program"]), split(row["solution"]))
    found = first_errors(truths)
    assert (found.any or 0, found.state or 0) == (row["first_error"], row["first_state_error"])
    assert found.any is not None
    assert truths[found.any - 1].kind == row["kind"]
