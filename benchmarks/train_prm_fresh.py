"""Which problems the training benchmark uses, and solutions to test on, with their exact truth.

`first`: the pool's 400, and tested on the 1,600 after them; head, targets and pilot were chosen
while looking at these. `new`: of another seed of the stream, not looked at before all that was
settled: 1,600 to test on, then 400 to train on. No question of either kind was trained on by the
testbed's model.

The testbed's model writes one solution of each problem to test on. What it wrote is kept under
runs/, so that it is sampled once. Rows are ProcessBench's: `label` is the 0-based index of the
first step that makes the state wrong, -1 where there is none; `any` is the same for errors of any
kind.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from search_cases import Case, Taken, Truth, graded, pool_cases
from search_run import pool

from labeler.files import write_text
from labeler.testbed.measure import judged
from labeler.testbed.pool import PoolProblem
from labeler.testbed.problems import HELD, Problem, draw_many

ROOT = Path(__file__).parent.parent
MODEL = ROOT / "data/testbed/model"
CACHE = ROOT / "runs/train_prm"
POOL_PROBLEMS = 400
MAX_TOKENS = 256
BATCH = 100
SEED = 1
TESTED = 1600
RECORDED = CACHE / "new.parquet"
"""Rollouts of the new problems (train_prm_record.py makes them)."""


def new_problems(*, test: bool) -> list[Problem]:
    """The new problems to test on, or to train on."""
    every = list(draw_many(HELD, 1, TESTED + POOL_PROBLEMS))
    return every[:TESTED] if test else every[TESTED:]


@dataclass(frozen=True, slots=True)
class World:
    """What all contenders of one seed share."""

    seed: int
    problems: int
    """At most."""
    new: bool = False
    """The new problems in place of the pool's."""


def _first(ordered: Mapping[str, Taken], key: str, n: int) -> Taken:
    if n > len(ordered[key]):
        raise LookupError("a seed that was not recorded: see benchmarks/train_prm_record.py")
    return ordered[key][:n]


@lru_cache(maxsize=4)
def cases(world: World) -> tuple[Case, ...]:
    """Every problem, in the order that budgets are spent in."""
    every = pool(RECORDED) if world.new else pool()
    luck = Random(f"train_prm:{world.seed}")
    chosen = luck.sample(every, min(world.problems, len(every)))
    return tuple(replayed(chosen) if world.new else pool_cases(chosen, world.seed))


def replayed(problems: Iterable[PoolProblem]) -> Iterator[Case]:
    """Problems with their rollouts in the order of the log.

    To take more of a prefix than was recorded is a LookupError.
    """
    for problem in problems:
        truths = {name: Truth(t.state, t.any) for name, t in problem.truths.items()}
        ordered = {
            key: tuple(
                graded(c, n) for c, n in zip(r.correct, r.n_tokens, strict=True) if c is not None
            )
            for key, r in problem.rollouts.items()
        }
        yield Case(problem.task, truths, partial(_first, ordered))


def fresh(count: int, *, new: bool, cache: Path = CACHE) -> list[dict[str, Any]]:
    """One row a problem, of the first `count` to test on."""
    path = cache / f"{'new' if new else 'fresh'}-{count}-{SEED}.jsonl"
    if not path.exists():
        first = islice(draw_many(HELD, 0, POOL_PROBLEMS + count), POOL_PROBLEMS, None)
        problems = new_problems(test=True)[:count] if new else list(first)
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
