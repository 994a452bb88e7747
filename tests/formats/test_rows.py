"""Rows as the tools write them: what is read of them, and what is written back."""

import json
from pathlib import Path
from typing import Any

import pytest

from labeler.formats import (
    BadRowError,
    MathAps,
    MathShepherd,
    MmPrm,
    OpenRlhf,
    ProcessBench,
    Record,
    RlhFlow,
    of,
)
from tests.formats.rows import BENCH, FLOW, MM, SHEPHERD, mm


@pytest.mark.parametrize("name", ["processbench_gsm8k.json", "processbench_math.json"])
def test_processbench_is_written_byte_for_byte(shared_data: Path, name: str) -> None:
    text = (shared_data / name).read_text(encoding="utf-8")
    bench = of("processbench")
    rows = [bench.write(*bench.read(row)) for row in json.loads(text)]
    assert json.dumps(rows, indent=2, ensure_ascii=False) == text


def test_processbench_counts_steps_from_zero() -> None:
    [record] = ProcessBench().read(BENCH)
    assert (record.first_error, record.hard) == (1, None)
    assert ProcessBench().read({**BENCH, "label": -1})[0].first_error == 0


@pytest.mark.parametrize("name", ["math_aps.jsonl", "math_aps_tree.jsonl"])
def test_math_aps_gives_every_leaf_with_its_values(shared_data: Path, name: str) -> None:
    rows = [json.loads(line) for line in (shared_data / name).open(encoding="utf-8")]
    for row in rows:
        records = MathAps(threshold=0).read(row)
        searched = row["reasoning_steps"]
        if isinstance(searched, list):
            ends = {"".join(item["solution_prefix"].split()) for item in searched}
            spelled = {"".join((r.question + "".join(r.steps)).split()) for r in records}
            assert spelled <= ends
            inner = {s for s in ends if any(o != s and o.startswith(s) for o in ends)}
            assert spelled == ends - inner
        else:
            assert len(records) == _leaves(searched)
        for record in records:
            assert record.soft is not None
            assert record.hard == tuple(value > 0 for value in record.soft)
            assert record.gold == row["final_answer"]


def _leaves(node: dict[str, Any]) -> int:
    return sum(map(_leaves, node["children"])) or 1


def test_a_flat_sample_is_put_together_by_its_prefixes() -> None:
    values = {"q": 0.5, "q\n\na": 0.5, "q\n\na\n\nb": 0.0, "q\n\na\n\nc": 1.0, "q\n\nab": 0.25}
    steps = [{"solution_prefix": p, "mc_value": v} for p, v in reversed(values.items())]
    row = {"question": "q", "final_answer": "4", "question_id": 7, "reasoning_steps": steps}
    found = {r.steps: (r.soft, r.hard, r.first_error) for r in MathAps(threshold=0.25).read(row)}
    assert found == {
        ("a", "b"): ((0.5, 0.0), (True, False), 2),
        ("a", "c"): ((0.5, 1.0), (True, True), 0),
        ("ab",): ((0.25,), (False,), 1),
    }
    assert {r.hard for r in of("math-aps").read(row)} == {None}
    twice = {**row, "reasoning_steps": [*steps, {"solution_prefix": "q\n\nab", "mc_value": 0.75}]}
    assert {r.steps: r.soft for r in of("math-aps").read(twice)}[("ab",)] == (0.5,)
    with pytest.raises(BadRowError, match="only read"):
        of("math-aps").write(Record("q", ("a",)))


def test_math_shepherd_walks_both_texts() -> None:
    [record] = MathShepherd().read(SHEPHERD)
    assert record.question == "What is 2+2?"
    assert record.steps == ("2+2 = 5.", "So 5. The answer is: 5")
    assert (record.hard, record.answer) == ((True, False), "5")
    assert MathShepherd().write(record) == SHEPHERD


def test_a_step_that_brings_its_number_has_it_once() -> None:
    record = Record("q", ("Step 1: Step 1: a", "Step 2: b"), hard=(True, True))
    assert OpenRlhf().write(record)["input"] == "q Step 1: a ки\nStep 2: b ки"


def test_rlhflow_is_cut_at_its_column_or_where_the_first_step_says_so() -> None:
    [record] = RlhFlow().read({"conversations": FLOW})
    assert (record.question, record.steps) == (
        "What is 2+2?",
        ("Step 1: 2+2 = 5.", "Step 2: So 5."),
    )
    assert record.hard == (True, False)
    assert RlhFlow().write(record)["conversations"] == FLOW
    bare = [{"role": "user", "content": "What is 2+2? It is 5."}, FLOW[3]]
    with pytest.raises(BadRowError, match="question"):
        RlhFlow().read({"conversations": bare})
    [told] = RlhFlow().read({"conversations": bare, "question": "What is 2+2?"})
    assert told.steps == ("It is 5.",)


def test_mm_prm_has_a_score_for_each_tag() -> None:
    [record] = MmPrm().read(MM)
    assert (record.question, record.steps) == ("What is 2+2?", ("2+2 = 5.", "So 5."))
    assert (record.soft, record.extra) == ((0.125, 0.0), {"id": 3})
    assert MmPrm().write(record) == {**mm(scores=[0.125, 0.0]), "id": 3}
