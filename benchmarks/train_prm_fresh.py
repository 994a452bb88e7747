"""Fresh solutions of testbed problems that no label is made from, with their exact truth.

The testbed model writes one solution of each held-out problem beyond those of the pool (the first
2,000 were kept out of its own training). What it wrote is kept under runs/, so that it is sampled
once; the file says what it was made with, and is made again where that differs. Rows are
ProcessBench's: `label` is the 0-based index of the first step that makes the state wrong, -1 where
there is none; `any` is the same for errors of any kind.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from labeler.files import write_text
from labeler.testbed.measure import judged
from labeler.testbed.problems import HELD, Problem, draw_many

ROOT = Path(__file__).parent.parent
MODEL = ROOT / "data/testbed/model"
CACHE = ROOT / "runs/train_prm"
POOL_PROBLEMS = 400
MAX_TOKENS = 256
BATCH = 100
SEED = 1


def fresh(count: int, cache: Path = CACHE) -> list[dict[str, Any]]:
    """One row a problem, of the first `count` problems after the pool's."""
    path = cache / f"fresh-{count}-{SEED}.jsonl"
    if not path.exists():
        problems = list(islice(draw_many(HELD, 0, POOL_PROBLEMS + count), POOL_PROBLEMS, None))
        rows = [row_of(p, text) for p, text in zip(problems, written(problems), strict=True)]
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, "".join(json.dumps(row) + "\n" for row in rows))
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def row_of(problem: Problem, text: str) -> dict[str, Any]:
    """A solution as a row of ProcessBench."""
    found = judged(problem, text)
    return {
        "id": problem.id,
        "generator": "testbed",
        "problem": problem.question,
        "steps": list(found.steps),
        "final_answer_correct": found.solved,
        "label": (found.errors.state or 0) - 1,
        "any": (found.errors.any or 0) - 1,
    }


def written(problems: Sequence[Problem]) -> Iterator[str]:
    """What the testbed model writes at temperature 1; a truncated text stays as it is."""
    import torch
    from transformers import AutoModelForCausalLM

    from labeler.prompts import load_tokenizer

    tokenizer: Any = load_tokenizer(MODEL)
    tokenizer.padding_side = "left"
    model: Any = AutoModelForCausalLM.from_pretrained(MODEL)
    torch.manual_seed(SEED)
    for start in range(0, len(problems), BATCH):
        turns = [[{"role": "user", "content": p.question}] for p in problems[start : start + BATCH]]
        given = tokenizer.apply_chat_template(
            turns, add_generation_prompt=True, padding=True, return_tensors="pt", return_dict=True
        )
        end = tokenizer.eos_token_id
        told = model.generate(
            **given, do_sample=True, top_k=0, max_new_tokens=MAX_TOKENS, eos_token_id=end
        )
        for ids in told[:, given["input_ids"].shape[1] :]:
            yield tokenizer.decode(ids, skip_special_tokens=True)
