"""report.py - measures the testbed model with vLLM: the figures of data/testbed/README.md.

    python -m labeler.testbed.report --solutions out.jsonl

It samples solutions of the held-out problems, judges them, and rolls out the prefixes around
each first state error, to see how often the model recovers from it. float32, one process,
seeds from content: on the same machine and library versions it prints the same figures.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from statistics import mean, quantiles
from typing import Any

from labeler.testbed import measure
from labeler.testbed.problems import Problem, load
from labeler.testbed.wording import SEPARATOR

_ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
}


@dataclass(frozen=True, slots=True)
class Request:
    """One text to sample: a problem, the steps it continues from, and which of several."""

    problem: Problem
    steps: Sequence[str]
    index: int

    @property
    def prefix(self) -> str:
        """The assistant text so far, with the separator that ends its last step."""
        return "".join(step + SEPARATOR for step in self.steps)

    @property
    def seed(self) -> int:
        """From content, so that the order of requests does not matter."""
        content = "\0".join((self.problem.question, *self.steps, str(self.index)))
        return int.from_bytes(blake2b(content.encode(), digest_size=4).digest(), "big")


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model wrote for a request."""

    request: Request
    text: str
    finished: bool
    n_tokens: int

    @property
    def solution(self) -> str:
        """Prefix and completion together."""
        return self.request.prefix + self.text


class Sampler:
    """The model in vLLM, at temperature 1."""

    def __init__(self, model: Path, max_tokens: int) -> None:
        for name, value in _ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        from vllm import LLM

        self.max_tokens = max_tokens
        self.llm: Any = LLM(
            str(model),
            dtype="float32",
            enforce_eager=True,
            kv_cache_memory_bytes=256 << 20,
            block_size=32,
            max_num_seqs=256,
            max_model_len=512,
            enable_chunked_prefill=False,
            disable_log_stats=True,
        )
        self.tokenizer: Any = self.llm.get_tokenizer()

    def prompt(self, request: Request) -> list[int]:
        """The token ids: the templated question, then the assistant text so far."""
        messages = [{"role": "user", "content": request.problem.question}]
        text = self.tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True
        )
        ids: list[int] = self.tokenizer.encode(text + request.prefix, add_special_tokens=False)
        return ids

    def complete(self, requests: Sequence[Request]) -> list[Completion]:
        """One completion a request, in order."""
        from vllm import SamplingParams

        prompts = [{"prompt_token_ids": self.prompt(request)} for request in requests]
        params = [
            SamplingParams(temperature=1.0, max_tokens=self.max_tokens, seed=request.seed)
            for request in requests
        ]
        replies = self.llm.generate(prompts, params, use_tqdm=False)
        made = []
        for request, reply in zip(requests, replies, strict=True):
            out = reply.outputs[0]
            finished = out.finish_reason == "stop"
            made.append(Completion(request, out.text, finished, len(out.token_ids)))
        return made


def values_around(sampler: Sampler, solutions: Iterable[measure.Judged], n: int) -> dict[str, str]:
    """The values of the prefixes just before and just after the first state error."""
    wrong = [s for s in solutions if s.errors.state is not None]
    rows: dict[str, str] = {}
    for name, shift in (("last prefix before the error", 1), ("prefix that ends with it", 0)):
        prefixes = [s.steps[: (s.errors.state or 0) - shift] for s in wrong]
        requests = [
            Request(s.problem, steps, i)
            for s, steps in zip(wrong, prefixes, strict=True)
            for i in range(n)
        ]
        made = sampler.complete(requests)
        right = [measure.judged(c.request.problem, c.solution).solved for c in made]
        shares = [mean(right[i : i + n]) for i in range(0, len(right), n)]
        fifth, *_, last = quantiles(shares, n=20)
        zero = measure.share(sum(s == 0 for s in shares), len(shares))
        rows[name] = (
            f"mean {mean(shares):.3f}, 5th percentile {fifth:.2f}, "
            f"95th {last:.2f}; no success in {n}: {zero}"
        )
    return rows


def report(sampler: Sampler, problems: Sequence[Problem], per_problem: int, n: int) -> list[Any]:
    """Print every figure; the completions and their truth are returned."""
    made = sampler.complete([Request(p, (), i) for p in problems for i in range(per_problem)])
    solutions = [measure.judged(c.request.problem, c.text) for c in made]
    rows = measure.figures(solutions)
    rows["truncated"] = measure.share(sum(not c.finished for c in made), len(made))
    rows["tokens a solution"] = f"mean {mean(c.n_tokens for c in made):.0f}, " + (
        f"most {max(c.n_tokens for c in made)}"
    )
    places = measure.positions(solutions)
    print(measure.table(f"{len(made)} solutions of {len(problems)} problems", rows), end="\n\n")
    print(measure.table("first state error at", places["step"]), end="\n\n")
    print(measure.table("in which part of the solution", places["part"]), end="\n\n")
    print(measure.table("first error", measure.reasons(solutions)), end="\n\n")
    print(measure.table("solved, by steps of the gold solution", measure.by_length(solutions)))
    if n:
        values = values_around(sampler, solutions, n)
        print("\n" + measure.table(f"value from {n} rollouts", values))
    return list(zip(made, solutions, strict=True))


def main() -> None:
    """Measure the testbed model on the held-out problems."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--model", type=Path, default=Path("data/testbed/model"))
    parser.add_argument("--problems", type=Path, default=Path("data/testbed/problems.jsonl"))
    parser.add_argument("--per-problem", type=int, default=2)
    parser.add_argument("--rollouts", type=int, default=8, help="of each prefix; 0: none")
    parser.add_argument("--max-tokens", type=int, default=256)
    parser.add_argument("--solutions", type=Path, help="write the sampled solutions here")
    options = parser.parse_args()
    sampler = Sampler(options.model, options.max_tokens)
    problems = load(options.problems)
    pairs = report(sampler, problems, options.per_problem, options.rollouts)
    if options.solutions:
        rows = [
            {"id": s.problem.id, "index": c.request.index, "text": c.text, "solved": s.solved}
            for c, s in pairs
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        options.solutions.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
