"""How busy does labeler keep its engine, against plain vLLM on the same work?

    python benchmarks/engine_busy.py [--quick] [--smollm2 models/smollm2-135m]

One process, two engines of the same settings, in turns: a labeler run (search, fulfilment, log,
verdicts, labels) over a batch of problems, then `LLM.generate` with the very prompts and token
counts that the run has logged. The ratio of tokens per second is what labeler costs. Each model
is measured in a process of its own, with the environment that its configuration asks for; start-up
is left out, on both sides. `--quick` takes the testbed model and one
round of a few seconds: a smoke test, in which the end of a run (few completions in flight) weighs
more than it does in a real one; its ratio varied from 0.7 to 1.0.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labeler.config import RunConfig, parse
from labeler.files import RunDir, parts, read_rows
from labeler.ingest import ingest, read_unit
from labeler.model import Prefix, Task

if TYPE_CHECKING:
    from vllm import LLM

    from labeler.prompts import Renderer

TESTBED = Path("data/testbed")


def config_of(model: Path, folder: Path, limit: int, rounds: int, max_tokens: int) -> RunConfig:
    """An exhaustive run over testbed problems.

    The testbed model writes the solutions itself; another model is given the gold ones.
    Two units a round, and one round more to warm up: as many as one actor works on by default.
    """
    data: dict[str, Any] = {
        "name": "engine_busy",
        "run_dir": str(folder),
        "problems": {
            "path": str(TESTBED / "problems.jsonl"),
            "limit": limit,
            "columns": {} if model == TESTBED / "model" else {"solution": "gold_solution"},
        },
        "steps": {"merge_below": 20, "max_steps": 40},
        "completer": {
            "kind": "vllm",
            "model": str(model),
            "max_model_len": 512,
            "sampling": {"temperature": 1.0, "max_tokens": max_tokens},
        },
        "generator": {"per_problem": 1},
        "policy": {"kind": "exhaustive", "n": 8},
        "unit_size": max(limit // (2 * (rounds + 1)), 1),
    }
    return parse(data, "engine_busy")


async def measure(config: RunConfig, rounds: int) -> list[dict[str, float]]:
    """Tokens per second of both, a dict for each round."""
    from vllm import LLM

    from labeler.prompts import Renderer, load_tokenizer
    from labeler.samplers import VllmConfig
    from labeler.samplers.vllm_engine import engine_arguments
    from labeler.units import workshop

    run = RunDir(config.root)
    units = [
        u.unit
        for u in ingest(config.problems, config.steps, run, config.hash, config.unit_size).units
    ]
    completer = config.completer
    assert isinstance(completer, VllmConfig)
    model = Path(completer.model)
    plain = LLM(**engine_arguments(completer, model, model, cuda=False))
    renderer = Renderer(load_tokenizer(model), config.prompt)
    results = []
    async with workshop(config, run) as shop:
        share = max(len(units) // (rounds + 1), 1)
        for i in range(rounds + 1):  # round 0 warms both up
            mine = units[i * share : (i + 1) * share]
            before, began = shop.counters.tokens, time.perf_counter()
            await asyncio.gather(*(shop.work(unit) for unit in mine))
            seconds = time.perf_counter() - began
            tokens = shop.counters.tokens - before
            prompts, counts = logged(config, run, mine, renderer)
            assert sum(counts) == tokens
            again = generate(plain, prompts, counts)
            results.append({"labeler": tokens / seconds, "plain": tokens / again, "tokens": tokens})
    return results[1:]


def logged(
    config: RunConfig, run: RunDir, units: list[str], renderer: "Renderer"
) -> tuple[list[list[int]], list[int]]:
    """The prompt and the token count of each rollout of these units."""
    prompts, counts = [], []
    for unit in units:
        ids = {}
        for problem, solutions in read_unit(run, unit):
            task = Task(problem, solutions, config.prompt.digest)
            bare = Prefix(problem.question, "", 0, task.template)
            prefixes = [task.prefix(s, k) for s in solutions for k in range(len(s.steps))]
            ids |= {prefix.key: renderer.ids(prefix) for prefix in (bare, *prefixes)}
        rows = list(read_rows(parts(run.rollouts, unit)))
        prompts += [ids[r["prefix_key"]] for r in rows]
        counts += [r["n_tokens"] for r in rows]
    return prompts, counts


def generate(llm: "LLM", prompts: list[list[int]], counts: list[int]) -> float:
    """Seconds that plain vLLM takes to generate exactly that many tokens for each prompt."""
    from vllm import SamplingParams

    params = [
        SamplingParams(
            temperature=1.0, max_tokens=n, min_tokens=n, ignore_eos=True, seed=i, detokenize=True
        )
        for i, n in enumerate(counts)
    ]
    began = time.perf_counter()
    llm.generate([{"prompt_token_ids": p} for p in prompts], params, use_tqdm=False)
    return time.perf_counter() - began


def child(model: str, limit: int, rounds: int, max_tokens: int) -> None:
    """Measure one model in this process; prints JSON."""
    with tempfile.TemporaryDirectory() as folder:
        config = config_of(Path(model), Path(folder), limit, rounds, max_tokens)
        print(json.dumps(asyncio.run(measure(config, rounds))))


def ratio_of(name: str, model: Path, limit: int, rounds: int, max_tokens: int) -> float:
    """Median ratio over the rounds of one model, measured in a child process."""
    config = config_of(model, Path("unused"), limit, rounds, max_tokens)
    arguments = [sys.executable, __file__, "--child", str(model)]
    sizes = ["--limit", str(limit), "--rounds", str(rounds), "--max-tokens", str(max_tokens)]
    done = subprocess.run(
        [*arguments, *sizes],
        env=os.environ | config.completer.environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    rounds_ = json.loads(done.stdout.splitlines()[-1])
    for r in rounds_:
        print(
            f"{name:10}{r['tokens']:9,.0f} tokens   labeler {r['labeler']:8,.0f}/s   "
            f"plain vLLM {r['plain']:8,.0f}/s   ratio {r['labeler'] / r['plain']:.2f}"
        )
    return statistics.median(r["labeler"] / r["plain"] for r in rounds_)


def main() -> None:
    """Print a row a round and the headline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--smollm2", type=Path, default=Path("models/smollm2-135m"))
    parser.add_argument("--child")
    parser.add_argument("--limit", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--max-tokens", type=int, default=256)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, arguments.limit, arguments.rounds, arguments.max_tokens)
        return
    limit, rounds = (56, 1) if arguments.quick else (arguments.limit, arguments.rounds)
    found = {"testbed": ratio_of("testbed", TESTBED / "model", limit, rounds, arguments.max_tokens)}
    if arguments.quick:
        print("SmolLM2 is left out by --quick")
    elif not arguments.smollm2.is_dir():
        print(f"no SmolLM2 in {arguments.smollm2}: python pipelines/smollm2.py makes it")
    else:
        found["smollm2"] = ratio_of("smollm2", arguments.smollm2, 24, 3, 48)
    print(" ".join(f"{name}_ratio={ratio:.2f}" for name, ratio in found.items()))


if __name__ == "__main__":
    main()
