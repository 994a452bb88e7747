"""How busy does labeler keep its engine, against plain vLLM on the same work?

    python benchmarks/engine_busy.py [--quick] [--searches N ...] [--smollm2 models/smollm2-135m]

One process, two engines of the same settings, in turns: a labeler run (search, fulfilment, log,
verdicts, labels) over a batch of problems, then `LLM.generate` with the very prompts and token
counts that the run has logged. The ratio of tokens per second is what labeler costs. Each model
is measured in a process of its own, with the environment that its configuration asks for; start-up
is left out, on both sides. `--quick` takes the testbed model and one round of a few seconds: a
smoke test, in which the end of a run (few completions in flight) weighs more than it does in a
real one; its ratios vary by 0.2 and more.

An exhaustive search asks for all at once; an adaptive one waits for each reply, so that many
problems have to be searched side by side. `--searches 16 64 256` shows how many: each is a round
over the same problems with so many of them in flight, in eight units, as in a run.
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
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labeler.config import RunConfig, parse
from labeler.files import RunDir, parts, read_rows
from labeler.grading import AnswerGrader
from labeler.ingest import ingest, read_unit
from labeler.model import Prefix, Task

if TYPE_CHECKING:
    from vllm import LLM

    from labeler.prompts import Renderer
    from labeler.units import Workshop

TESTBED = Path("data/testbed")


@dataclass(frozen=True, slots=True)
class Work:
    """What is measured: a model, a policy, and how many problems it is given."""

    name: str
    model: str
    kind: str
    problems: int
    """In a first unit, which warms both engines up, and all rounds."""
    rounds: int
    searches: int
    """Problems in flight."""
    max_tokens: int = 256

    def config(self, folder: Path) -> RunConfig:
        """A run over testbed problems.

        The testbed model writes the solutions itself; another model is given the gold ones. As
        many units are in flight as one actor works on by default.
        """
        data: dict[str, Any] = {
            "name": self.name,
            "run_dir": str(folder / self.name),
            "problems": {
                "path": str(TESTBED / "problems.jsonl"),
                "limit": self.problems,
                "columns": {} if self.own_solutions else {"solution": "gold_solution"},
            },
            "steps": {"merge_below": 20, "max_steps": 40},
            "completer": {
                "kind": "vllm",
                "model": self.model,
                "max_model_len": 512,
                "sampling": {"temperature": 1.0, "max_tokens": self.max_tokens},
            },
            "generator": {"per_problem": 1 if self.kind == "exhaustive" else 4},
            "policy": {"kind": self.kind},
            "unit_size": max(self.searches // (2 if self.kind == "exhaustive" else 8), 1),
        }
        return parse(data, "engine_busy")

    @property
    def own_solutions(self) -> bool:
        """Whether the model writes its own."""
        return Path(self.model) == TESTBED / "model"


async def measure(works: Sequence[Work], folder: Path) -> list[dict[str, Any]]:
    """Tokens per second of both engines, a dict for each work and round."""
    from vllm import LLM

    from labeler.prompts import Renderer, load_tokenizer
    from labeler.samplers import COMPLETER, GENERATOR, VllmConfig
    from labeler.samplers.vllm_engine import engine_arguments
    from labeler.units import Workshop

    first = works[0].config(folder)
    completer = first.completer
    assert isinstance(completer, VllmConfig)
    model = Path(completer.model)
    plain = LLM(**engine_arguments(completer, model, model, cuda=False))
    renderer = Renderer(load_tokenizer(model), first.prompt)
    found = []
    async with completer.open(first.prompt, first.seed) as source, AnswerGrader() as grader:
        samplers = {COMPLETER: source.sampler(), GENERATOR: source.sampler(None, GENERATOR)}
        for work in works:
            config = work.config(folder)
            run = RunDir(config.root)
            read = ingest(config.problems, config.steps, run, config.hash, config.unit_size)
            units = [unit.unit for unit in read.units]
            shop = Workshop(config, run, samplers, grader)
            share = (len(units) - 1) // work.rounds
            for i in range(work.rounds + 1):
                mine = units[1 + (i - 1) * share :][:share] if i else units[:1]
                before, began = shop.counters.tokens, time.perf_counter()
                await worked_on(shop, mine, config.units_in_flight)
                seconds = time.perf_counter() - began
                tokens = shop.counters.tokens - before
                prompts, counts = logged(config, run, mine, renderer)
                assert sum(counts) == tokens
                again = generate(plain, prompts, counts)
                speeds = {"tokens": tokens, "labeler": tokens / seconds, "plain": tokens / again}
                if i:
                    found.append({"name": work.name, "searches": work.searches, **speeds})
    return found


async def worked_on(shop: "Workshop", units: Iterable[str], in_flight: int) -> None:
    """All these units, a few at a time, as a runner does."""
    waiting = iter(units)

    async def worker() -> None:
        for unit in waiting:
            await shop.work(unit)

    await asyncio.gather(*(worker() for _ in range(in_flight)))


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


def measured(works: Sequence[Work]) -> list[dict[str, Any]]:
    """Measure works of one model in a child process, and print a row a round."""
    config = works[0].config(Path("unused"))
    done = subprocess.run(
        [sys.executable, __file__, "--child", json.dumps([asdict(work) for work in works])],
        env=os.environ | config.completer.environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    for r in found:
        print(
            f"{r['name']:10}{r['searches']:4} in flight {r['tokens']:9,.0f} tokens   "
            f"labeler {r['labeler']:7,.0f}/s   plain {r['plain']:7,.0f}/s   "
            f"ratio {r['labeler'] / r['plain']:.2f}"
        )
    return found


def headline(found: Sequence[dict[str, Any]]) -> str:
    """The median ratio of each work."""
    names = dict.fromkeys(r["name"] for r in found)
    ratios = {n: [r["labeler"] / r["plain"] for r in found if r["name"] == n] for n in names}
    return " ".join(f"{name}_ratio={statistics.median(all_):.2f}" for name, all_ in ratios.items())


def works_of(arguments: argparse.Namespace) -> list[list[Work]]:
    """What is measured, a list for each model."""
    model, other = str(TESTBED / "model"), str(arguments.smollm2)
    if arguments.searches:
        return [[Work(f"adaptive{n}", model, "adaptive", 400, 1, n) for n in arguments.searches]]
    if arguments.quick:
        return [
            [
                Work("testbed", model, "exhaustive", 36, 1, 24),
                Work("adaptive", model, "adaptive", 24, 1, 24),
            ]
        ]
    ours = [
        Work("testbed", model, "exhaustive", 256, 3, 64),
        Work("adaptive", model, "adaptive", 400, 1, 256),
    ]
    if not arguments.smollm2.is_dir():
        print(f"no SmolLM2 in {other}: python pipelines/smollm2.py makes it")
        return [ours]
    return [ours, [Work("smollm2", other, "exhaustive", 24, 3, 6, max_tokens=48)]]


def main() -> None:
    """Print a row a round and the headline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--smollm2", type=Path, default=Path("models/smollm2-135m"))
    parser.add_argument("--searches", type=int, nargs="+", metavar="N")
    parser.add_argument("--child")
    arguments = parser.parse_args()
    if arguments.child:
        with tempfile.TemporaryDirectory() as folder:
            works = [Work(**work) for work in json.loads(arguments.child)]
            print(json.dumps(asyncio.run(measure(works, Path(folder)))))
        return
    print(headline([r for works in works_of(arguments) for r in measured(works)]))


if __name__ == "__main__":
    main()
