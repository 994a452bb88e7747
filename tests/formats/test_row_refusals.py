"""What is wrong with rows that do not fit their format, and with names that no format has."""

from typing import Any

import pytest

from labeler.formats import (
    FORMATS,
    BadRowError,
    Format,
    MathAps,
    MathShepherd,
    MmPrm,
    OpenRlhf,
    Prm800k,
    ProcessBench,
    Qwen,
    RlhFlow,
    Scan,
    Trl,
    of,
)
from labeler.model import LabelerError
from tests.formats.rows import (
    BENCH,
    FLOW,
    QWEN_ROW,
    SAID,
    SHEPHERD,
    TRL_ROW,
    mm,
    prm800k,
    rated,
)

SPLIT_LABEL = SHEPHERD["label"].replace("= 5.", "= 4.")
APS = {"question": "q", "final_answer": "4", "question_id": 1}


@pytest.mark.parametrize(
    ("format_", "row", "field"),
    [
        (Trl(), BENCH, "completions"),
        (Trl(), {**TRL_ROW, "labels": [True, True]}, "labels"),
        (Trl(), {**TRL_ROW, "labels": ["+"]}, "labels[0]"),
        (Trl(), {**TRL_ROW, "labels": [1.0]}, "labels[0]"),
        (Trl(), {**TRL_ROW, "completions": [], "labels": []}, "completions"),
        (Trl(), {**TRL_ROW, "completions": "a"}, "completions"),
        (Trl(), {**TRL_ROW, "soft": [1.5]}, "soft[0]"),
        (ProcessBench(), {**BENCH, "label": 2}, "label"),
        (ProcessBench(), {**BENCH, "label": -2}, "label"),
        (ProcessBench(), {**BENCH, "label": True}, "label"),
        (ProcessBench(), {**BENCH, "steps": ["a", None]}, "steps[1]"),
        (ProcessBench(), {}, "steps"),
        (MathShepherd(), {**SHEPHERD, "label": SPLIT_LABEL}, "label"),
        (MathShepherd(), {**SHEPHERD, "label": SHEPHERD["input"]}, "label"),
        (MathShepherd(), {**SHEPHERD, "label": SHEPHERD["label"] + "+"}, "label"),
        (MathShepherd(), {**SHEPHERD, "task": "PRM"}, "task"),
        (MathShepherd(), {**SHEPHERD, "input": "q ки Step 1: a ки"}, "input"),
        (MathShepherd(), {**SHEPHERD, "input": "q a ки"}, "input"),
        (MathShepherd(), {**SHEPHERD, "input": "q Step 1: a ки\nStep 3: b ки"}, "input"),
        (MathShepherd(), {**SHEPHERD, "input": "q Step 1: a"}, "input"),
        (OpenRlhf(), {"input": "q Step 1: a ки", "label": ["+", "-"]}, "label"),
        (OpenRlhf(), {"input": "q Step 1: a ки", "label": ["good"]}, "label[0]"),
        (RlhFlow(), {"conversations": FLOW[:3]}, "conversations"),
        (RlhFlow(), {"conversations": FLOW[::-1]}, "conversations[0]"),
        (RlhFlow(), {"conversations": [FLOW[0], {**FLOW[1], "content": "?"}]}, "conversations[1]"),
        (RlhFlow(), {"conversations": FLOW, "question": "Why?"}, "question"),
        (Qwen(), {**QWEN_ROW, "labels": [2]}, "labels[0]"),
        (Qwen(), {**QWEN_ROW, "messages": QWEN_ROW["messages"][1:]}, "messages"),
        (Qwen(tag="<s>"), QWEN_ROW, "messages[2]"),
        (Scan(), {"question": "q", "steps": ["a"], "scores": [float("nan")]}, "scores[0]"),
        (Scan(), {"question": "q", "steps": ["a"], "scores": [True]}, "scores[0]"),
        (Scan(), {"question": "q", "steps": ["a"], "scores": [10**400]}, "scores[0]"),
        (MmPrm(), mm(SAID.removesuffix("<prm>")), "conversations[0]"),
        (MmPrm(), mm("What is 2+2? 5.<prm>", [1]), "conversations[0]"),
        (MmPrm(), mm(scores=[0.5]), "conversations[1]"),
        (MmPrm(), mm(scores=[0.5, None]), "conversations[1].value[1]"),
        (MmPrm(), {"conversations": FLOW}, "conversations"),
        (Prm800k(), BENCH, "question"),
        (Prm800k(), prm800k(rated(2)), "label.steps[0].completions"),
        (Prm800k(), prm800k(rated(1, chosen=3)), "label.steps[0].chosen_completion"),
        (Prm800k(), {"question": "q", "label": {}}, "question, label"),
        (MathAps(), {**APS, "reasoning_steps": [{"solution_prefix": "x", "mc_value": 1}]},
         "solution_prefix"),
        (MathAps(), {**APS, "reasoning_steps": {"text": "q"}}, "mc_value"),
        (MathAps(), {**APS, "reasoning_steps": "a"}, "reasoning_steps"),
    ],
)  # fmt: skip
def test_a_row_that_does_not_fit_names_field_and_fix(
    format_: Format, row: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadRowError) as caught:
        format_.read(row)
    assert caught.value.field_name == field
    assert caught.value.fix.endswith(".")


def test_a_name_that_no_format_has_is_answered_with_the_nearest() -> None:
    with pytest.raises(LabelerError, match="did you mean 'processbench'"):
        of("process-bench")
    with pytest.raises(LabelerError, match="there are trl, openrlhf"):
        of("x")
    assert {f.name for f in FORMATS.values()} == set(FORMATS)
