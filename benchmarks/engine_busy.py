"""How busy does labeler keep its engine, against plain vLLM on the same work?

    python benchmarks/engine_busy.py [--quick] [--searches N ...] [--smollm2 models/smollm2-135m]

One process, two engines of the same settings: a labeler run (search, fulfilment, log, verdicts,
labels) over freshly drawn testbed problems, then vLLM's own loop with the very prompts and token
counts that the run has logged. The ratio of tokens per second is what labeler costs. Each model is
measured in a process of its own, with the environment that its configuration asks for.

What counts of both is the middle of a run: some seconds with the engine full and more work waiting.
(An engine fills and drains once a run, little of a long one and much of this.) The run is then cut
off, plain vLLM takes its turn, and the next round begins: the pace of a shared machine changes
within a minute, so the headline is the median of the rounds' ratios. `--quick` is a smoke test of
one round on the testbed model; it may be off by 0.3 and more.

An exhaustive search asks for all at once; an adaptive one waits for each reply, so that many
problems have to be searched side by side. `--searches 64 128 256 512` shows how many: each is a run
with so many of them in flight.
"""

import argparse
import asyncio
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labeler.config import RunConfig, parse
from labeler.files import RunDir, parts, read_rows
from labeler.grading import AnswerGrader
from labeler.ingest import ingest, read_unit
from labeler.model import Prefix, Task
from labeler.testbed.problems import HELD, draw_many

if TYPE_CHECKING:
    from vllm import LLM, SamplingParams

    from labeler.model import Sampler
    from labeler.prompts import Renderer
    from labeler.units import Workshop

TESTBED = Path("data/testbed")
SUPPLY = 4
"""Problems that a round is given, for each in flight."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is measured: a model, a policy, and how many problems it is given."""

    name: str
    model: str
    kind: str
    searches: int
    """Problems in flight, in as many units as a run has by default."""
    rounds: int
    seconds: float
    """Of each round."""
    max_tokens: int = 256
    at_once: int = 256
    """Completions that both engines work on at once. One must take far less time than a round, for
    its tokens count when it is done."""

    def config(self, folder: Path) -> RunConfig:
        """A run over testbed problems.

        The testbed model writes the solutions itself; another model is given the gold ones.
        """
        data: dict[str, Any] = {
            "name": self.name,
            "run_dir": str(folder / self.name),
            "problems": {
                "path": str(folder / f"{self.name}.jsonl"),
                "columns": {} if self.own_solutions else {"solution": "gold_solution"},
            },
            "steps": {"merge_below": 20, "max_steps": 40},
            "completer": {
                "kind": "vllm",
                "model": self.model,
                "max_model_len": 512,
                "sampling": {"temperature": 1.0, "max_tokens": self.max_tokens},
                "engine": {"max_num_seqs": self.at_once},
            },
            "generator": {"per_problem": 1 if self.kind == "exhaustive" else 4},
            "policy": {"kind": self.kind},
        }
        units = parse(data, "engine_busy").units_in_flight
        return parse(data | {"unit_size": max(self.searches // units, 1)}, "engine_busy")

    @property
    def own_solutions(self) -> bool:
        """Whether the model writes its own."""
        return Path(self.model) == TESTBED / "model"

    def write_problems(self, folder: Path) -> None:
        """Problems that no shipped file holds."""
        problems = draw_many(HELD, 1, self.rounds * self.searches * SUPPLY)
        rows = [json.dumps(p.to_json()) for p in problems]
        (folder / f"{self.name}.jsonl").write_text("\n".join(rows) + "\n")


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
            work.write_problems(folder)
            config = work.config(folder)
            run = RunDir(config.root)
            read = ingest(config.problems, config.steps, run, config.hash, config.unit_size)
            units = [unit.unit for unit in read.units]
            shop = Workshop(config, run, samplers, grader)
            share = len(units) // work.rounds
            for i in range(work.rounds):
                mine = units[i * share : (i + 1) * share]
                begins, ends = await middle(shop, mine, config.units_in_flight, work.seconds)
                await idle(samplers[COMPLETER])
                rows = [r for r in logged(config, run, mine, renderer) if begins <= r.at < ends]
                tokens = sum(row.tokens for row in rows)
                found.append(
                    {
                        "name": work.name,
                        "searches": work.searches,
                        "tokens": tokens,
                        "labeler": tokens / (ends - begins),
                        "plain": generate(plain, rows, work),
                    }
                )
    return found


async def middle(
    shop: "Workshop", units: Sequence[str], in_flight: int, seconds: float
) -> tuple[float, float]:
    """Work on units, a few at a time, as a runner does, until the middle of the run is over.

    It begins with the first search that ends, when the engine is full.
    """
    waiting = iter(units)

    async def worker() -> None:
        for unit in waiting:
            await shop.work(unit)

    done = shop.counters.solutions
    workers = asyncio.gather(*(worker() for _ in range(in_flight)))
    while shop.counters.solutions == done:  # noqa: ASYNC110 - counters tell nobody
        await asyncio.sleep(0.05)
    begins = time.time()
    await asyncio.wait([workers], timeout=seconds)
    ends = time.time()
    if next(waiting, None) is None:
        raise SystemExit("engine_busy: the round ran out of problems")
    workers.cancel()
    with suppress(asyncio.CancelledError):
        await workers
    return begins, ends


async def idle(sampler: "Sampler") -> None:
    """Wait until the engine has dropped what was cut off: two must not step at once.

    What is asked for now comes back after that.
    """
    await sampler.complete(Prefix("What is 1 + 1?", "", 0), [0])


@dataclass(frozen=True, slots=True)
class Row:
    """A rollout as it was logged."""

    at: float
    prompt: list[int]
    tokens: int


def logged(config: RunConfig, run: RunDir, units: Sequence[str], renderer: "Renderer") -> list[Row]:
    """Every rollout of these units, in the order in which they came back."""
    found = []
    for unit in units:
        ids = {}
        for problem, solutions in read_unit(run, unit):
            task = Task(problem, solutions, config.prompt.digest)
            bare = Prefix(problem.question, "", 0, task.template)
            prefixes = [task.prefix(s, k) for s in solutions for k in range(len(s.steps))]
            ids |= {prefix.key: renderer.ids(prefix) for prefix in (bare, *prefixes)}
        rows = read_rows(parts(run.rollouts, unit))
        found += [Row(r["created_at"], ids[r["prefix_key"]], r["n_tokens"]) for r in rows]
    return sorted(found, key=lambda row: row.at)


def generate(llm: "LLM", rows: Sequence[Row], work: Work) -> float:
    """Tokens per second of plain vLLM on these prompts and token counts, its engine kept full.

    They are fed by and by, over again where they run out; what counts begins when as many have
    come back as run at once.
    """
    engine = llm.llm_engine
    waiting = enumerate(cycle(rows))
    open_: dict[str, int] = {}
    tokens = done = 0
    begins = math.inf
    while (now := time.perf_counter()) < begins + work.seconds:
        while len(open_) < 2 * work.at_once:
            i, row = next(waiting)
            open_[str(i)] = row.tokens
            engine.add_request(str(i), {"prompt_token_ids": row.prompt}, exactly(row.tokens, i))
        for output in engine.step():
            if output.finished:
                tokens += open_.pop(output.request_id)
                done += 1
        if begins == math.inf and done >= work.at_once:
            begins, tokens = time.perf_counter(), 0
    engine.abort_request(list(open_))
    return tokens / (now - begins)


def exactly(tokens: int, seed: int) -> "SamplingParams":
    """Parameters of a completion that is so long."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    return SamplingParams(
        temperature=1.0,
        max_tokens=tokens,
        min_tokens=tokens,
        ignore_eos=True,
        seed=seed,
        output_kind=RequestOutputKind.FINAL_ONLY,
    )


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
        return [[Work(f"adaptive{n}", model, "adaptive", n, 5, 8) for n in arguments.searches]]
    if arguments.quick:
        quick = [("testbed", "exhaustive", 32), ("adaptive", "adaptive", 96)]
        return [[Work(name, model, kind, n, 1, 3) for name, kind, n in quick]]
    kinds = [("testbed", "exhaustive", 64), ("adaptive", "adaptive", 512), ("omega", "omega", 512)]
    ours = [Work(name, model, kind, n, 5, 8) for name, kind, n in kinds]
    if not arguments.smollm2.is_dir():
        print(f"no SmolLM2 in {other}: python pipelines/smollm2.py makes it")
        return [ours]
    return [ours, [Work("smollm2", other, "exhaustive", 6, 3, 20, max_tokens=48, at_once=32)]]


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
