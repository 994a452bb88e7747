"""Which problems the training benchmark uses, and solutions to test on, with their exact truth.

A draw is a seed of the stream of held-out problems. Draw 0 has the pool's 400 to train on and the
1,600 after them to test on; draws 1, 2, ... have 1,600 to test on, then 400 to train on. No
question was trained on by the testbed's model, nor is any in two draws.

The testbed's model writes one solution of each problem to test on. What it wrote is kept under
runs/, so that it is sampled once. Rows are ProcessBench's: `label` is the 0-based index of the
first step that makes the state wrong, -1 where there is none; `any` is the same for errors of any
kind.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any

from search_cases import Case, Taken, Truth, graded, pool_cases
from search_run import POOL, pool

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


def recorded(draw: int) -> Path:
    """Where the rollouts of a draw's training problems are (train_prm_record.py makes them)."""
    return CACHE / f"draw-{draw}.parquet" if draw else POOL


def problems_of(draw: int, *, test: bool) -> tuple[Problem, ...]:
    """A draw's problems to test on, or to train on."""
    first = TESTED if draw else POOL_PROBLEMS
    return drawn(draw)[:first] if test == bool(draw) else drawn(draw)[first:]


@lru_cache(maxsize=4)
def drawn(draw: int) -> tuple[Problem, ...]:
    """All problems of a draw."""
    return tuple(draw_many(HELD, draw, TESTED + POOL_PROBLEMS))


@dataclass(frozen=True, slots=True)
class World:
    """What all contenders of one seed share."""

    seed: int
    problems: int
    """At most."""
    draw: int = 0


def _first(ordered: Mapping[str, Taken], key: str, n: int) -> Taken:
    if n > len(ordered[key]):
        raise LookupError("a seed that was not recorded: see benchmarks/train_prm_record.py")
    return ordered[key][:n]


@lru_cache(maxsize=4)
def cases(world: World) -> tuple[Case, ...]:
    """Every problem, in the order that budgets are spent in."""
    every = pool(recorded(world.draw))
    luck = Random(f"train_prm:{world.seed}")
    chosen = luck.sample(every, min(world.problems, len(every)))
    return tuple(replayed(chosen) if world.draw else pool_cases(chosen, world.seed))


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


def fresh(draw: int, count: int) -> list[dict[str, Any]]:
    """One row a problem, of the first `count` of a draw to test on."""
    path = CACHE / f"draw-{draw}-test-{count}.jsonl"
    if not path.exists():
        problems = problems_of(draw, test=True)[:count]
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
    torch.set_num_threads(1)
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
