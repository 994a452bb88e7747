"""Rows as the tools write them: what is read of them, and what is wrong with those that are not."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    Record,
    RlhFlow,
    Scan,
    Trl,
    of,
)
from labeler.model import LabelerError

BENCH = {
    "id": "gsm8k-0", "generator": "m", "problem": "What is 2+2?", "steps": ["2+2 = 5.", "So 5."],
    "final_answer_correct": False, "label": 0,
}  # fmt: skip
SHEPHERD = {
    "input": "What is 2+2? Step 1: 2+2 = 5. ки\nStep 2: So 5. The answer is: 5 ки",
    "label": "What is 2+2? Step 1: 2+2 = 5. +\nStep 2: So 5. The answer is: 5 -",
    "task": "GSM8K",
}
FLOW = [
    {"role": "user", "content": "What is 2+2? Step 1: 2+2 = 5."},
    {"role": "assistant", "content": "+"},
    {"role": "user", "content": "Step 2: So 5."},
    {"role": "assistant", "content": "-"},
]


def rated(*ratings: int | None, chosen: int | None = 0, at: str = "s") -> dict[str, Any]:
    completions = [
        {"text": f"{at}{i}", "rating": r, "flagged": False} for i, r in enumerate(ratings)
    ]
    return {"completions": completions, "human_completion": None, "chosen_completion": chosen}


def prm800k(*steps: dict[str, Any], whole: list[str] | None = None) -> dict[str, Any]:
    question = {
        "problem": "q", "ground_truth_solution": None, "ground_truth_answer": "4",
        "pre_generated_steps": whole, "pre_generated_answer": "5",
        "pre_generated_verifier_score": 0.1,
    }  # fmt: skip
    label = {"steps": list(steps), "total_time": 1, "finish_reason": "solution"}
    return {"labeler": "x", "timestamp": "t", "generation": 9, "question": question, "label": label}


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


def test_the_first_error_stands_before_nothing_unlabelled() -> None:
    read = Prm800k().read
    assert read(prm800k(rated(1), rated(-1)))[0].first_error == 2
    assert read(prm800k(rated(None), rated(-1)))[0].first_error is None
    assert read(prm800k(rated(1), rated(1)))[0].first_error == 0


def test_prm800k_gives_the_chosen_path_and_each_rival() -> None:
    row = prm800k(rated(1, -1, at="a"), rated(0, 1, chosen=1, at="b"))
    found = [(r.steps, r.hard, r.extra["ratings"]) for r in Prm800k(zero="bad").read(row)]
    assert found == [
        (("a0", "b1"), (True, True), (1, 1)),
        (("a1",), (False,), (-1,)),
        (("a0", "b0"), (True, False), (1, 0)),
    ]


def test_rating_zero_is_read_as_stated_and_never_without() -> None:
    row = prm800k(rated(0))
    assert Prm800k(zero="good").read(row)[0].hard == (True,)
    assert Prm800k(zero="bad").read(row)[0].hard == (False,)
    with pytest.raises(BadRowError, match="--zero good"):
        of("prm800k").read(row)


def test_prm800k_labels_the_pre_generated_solution_up_to_the_first_error() -> None:
    row = prm800k(rated(1, at="a"), rated(-1, chosen=None, at="b"), whole=["a0", "b0", "c"])
    [record] = Prm800k().read(row)
    assert record.steps == ("a0", "b0", "c")
    assert record.hard == (True, False, None)
    assert (record.first_error, record.answer, record.gold) == (2, "5", "4")
    again = Prm800k().write(record)
    assert Prm800k().read(again) == [
        Record(**{f: getattr(record, f) for f in record.__slots__ if f != "extra"},
               extra={**record.extra, "is_quality_control_question": False,
                      "is_initial_screening_question": False})
    ]  # fmt: skip
    assert [s["chosen_completion"] for s in again["label"]["steps"]] == [0, None]


@given(
    ratings=st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=3),
    reason=st.sampled_from(["found_error", "solution", "bad_problem", "give_up", None]),
    flagged=st.booleans(),
    ends=st.booleans(),
    whole=st.sampled_from([None, ["b0", "b0", "b0", "c"], ["c"]]),
)
def test_a_row_of_one_solution_comes_back_as_it_was(
    ratings: list[int], reason: str | None, flagged: bool, ends: bool, whole: list[str] | None
) -> None:
    row = prm800k(*(rated(r, at="b") for r in ratings), whole=whole)
    row["label"] |= {"finish_reason": reason}
    row |= {"is_quality_control_question": flagged, "is_initial_screening_question": False}
    last = row["label"]["steps"][-1]
    last["completions"][0]["flagged"] = flagged
    last["chosen_completion"] = None if ends else 0
    [record] = Prm800k(zero="bad").read(row)
    assert Prm800k().write(record) == row


def test_a_row_of_several_solutions_is_written_as_several() -> None:
    row = prm800k(rated(1, -1, at="a"), rated(0, 1, chosen=1, at="b"))
    for record in Prm800k(zero="bad").read(row):
        [again] = Prm800k(zero="bad").read(Prm800k().write(record))
        assert (again.steps, again.hard) == (record.steps, record.hard)


def test_prm800k_goes_on_from_what_a_person_wrote() -> None:
    person = {**rated(-1, chosen=None, at="a"), "human_completion": {"text": "h", "rating": None}}
    found = Prm800k().read(prm800k(person, rated(1, at="b")))
    assert [(r.steps, r.hard) for r in found] == [
        (("h", "b0"), (True, True)),
        (("a0",), (False,)),
    ]


def test_a_row_of_prm800k_without_ratings_has_no_record() -> None:
    nothing = {"completions": None, "human_completion": None, "chosen_completion": None}
    assert Prm800k().read(prm800k(nothing)) == []


def test_a_rating_survives_its_reading() -> None:
    for zero in ("good", "bad"):
        [record] = Prm800k(zero=zero).read(prm800k(rated(0), rated(1, at="b")))
        steps = Prm800k().write(record)["label"]["steps"]
        assert [s["completions"][0]["rating"] for s in steps] == [0, 1]


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


SPLIT_LABEL = SHEPHERD["label"].replace("= 5.", "= 4.")
TRL_ROW = {"prompt": "q", "completions": ["a"], "labels": [True]}
QWEN_ROW = Qwen().write(Record("q", ("a",), hard=(True,)))
APS = {"question": "q", "final_answer": "4", "question_id": 1}
SAID = "Question: What is 2+2?\nProcess: 2+2 = 5.<prm>\n\nSo 5.<prm>"
MM = {"id": 3, "conversations": [{"from": "human", "value": SAID},
                                 {"from": "gpt", "value": [0.125, 0.0]}]}  # fmt: skip


def mm(said: str = SAID, scores: object = (0.125, 0.0)) -> dict[str, Any]:
    return {"conversations": [{"from": "human", "value": said}, {"from": "gpt", "value": scores}]}


def test_mm_prm_has_a_score_for_each_tag() -> None:
    [record] = MmPrm().read(MM)
    assert (record.question, record.steps) == ("What is 2+2?", ("2+2 = 5.", "So 5."))
    assert (record.soft, record.extra) == ((0.125, 0.0), {"id": 3})
    assert MmPrm().write(record) == {**mm(scores=[0.125, 0.0]), "id": 3}


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
