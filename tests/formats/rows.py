"""Rows for tests of formats, as the tools write them."""

from typing import Any

from labeler.formats import Qwen, Record

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
TRL_ROW = {"prompt": "q", "completions": ["a"], "labels": [True]}
QWEN_ROW = Qwen().write(Record("q", ("a",), hard=(True,)))
SAID = "Question: What is 2+2?\nProcess: 2+2 = 5.<prm>\n\nSo 5.<prm>"
MM = {"id": 3, "conversations": [{"from": "human", "value": SAID},
                                 {"from": "gpt", "value": [0.125, 0.0]}]}  # fmt: skip


def mm(said: str = SAID, scores: object = (0.125, 0.0)) -> dict[str, Any]:
    return {"conversations": [{"from": "human", "value": said}, {"from": "gpt", "value": scores}]}


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
