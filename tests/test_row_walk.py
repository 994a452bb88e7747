"""READ FIRST: one row of input walks through the package and comes out as a row of labels.

Each stop is one module, called the way units.py calls it. The completer is a planted world, in
which the text itself states how likely each prefix leads to the gold answer.
"""

import asyncio
import json
from pathlib import Path

import pyarrow.parquet as pq

from labeler.files import RunDir
from labeler.fulfil import Fulfiller
from labeler.grading import AnswerGrader
from labeler.ingest import ingest, read_unit
from labeler.labels import Evidence, LabelConfig, believe, label, tally
from labeler.model import Ask, Finish, Task
from labeler.policies import Bisection
from labeler.problems import ProblemsConfig
from labeler.prompts import PromptConfig
from labeler.rollout_log import RolloutLog
from labeler.samplers import PlantedConfig
from labeler.search import Asks, Replies, drive
from labeler.shards import write_labels
from labeler.steps import StepsConfig

ROW = {
    "id": "planted-1",
    "question": "Planted problem 1. Gold 42. Value 0.9.",
    "answer": "42",
    "solution": "Step 1. Value 1.\nStep 2. Value 1.\nStep 3. Value 0.\n"
    "Step 4. Value 0. The answer is 41.",
}


async def walk(run: RunDir) -> dict:
    # 1. A row of a file is read, its solution cut into steps, and both stored in one unit.
    source = run.root.parent / "problems.jsonl"
    source.write_text(json.dumps(ROW) + "\n")
    ingested = ingest(ProblemsConfig(path=str(source)), StepsConfig(), run, "hash", unit_size=32)
    [unit] = ingested.units
    [(problem, solutions)] = read_unit(run, unit.unit)
    assert (problem.id, problem.gold) == ("planted-1", "42")
    assert [step.text for step in solutions[0].steps] == ROW["solution"].split("\n")

    # 2. The solution's own answer is graded: 41 is not 42, so an error is somewhere in 1..4.
    async with AnswerGrader() as grader:
        [own] = await grader.grade(problem.gold, [(solutions[0].text, Finish.STOP)])
        assert (own.outcome, own.answer) == ("incorrect", "41")

        # 3. A policy searches. It yields asks for rollouts of prefixes, and hears their verdicts.
        task = Task(problem, solutions)
        search = Bisection(n=4).search(task)
        asked: list[int] = []

        # 4. Each ask is fulfilled: what the log lacks is sampled, graded, appended, replied.
        log = RolloutLog(run, unit.unit, grader.version, "hash")
        async with PlantedConfig().open(PromptConfig(), seed=0) as source_of_text:
            sampler = source_of_text.sampler()
            fulfiller = Fulfiller(log, sampler, grader)

            async def answer(asks: Asks) -> Replies:
                asked.extend(ask.prefix.step for ask in asks)
                return await fulfiller.answer(problem, asks)

            await drive(search, answer)
        assert asked == [2, 3]  # prefix 2 is alive, prefix 3 is dead: two probes, not four
        assert fulfiller.counters.rollouts == 8
        await log.compact()

    # 5. What rollouts mean is decided from the log alone.
    tallies = {
        k: tally(
            log.reply(
                sampler.completer, Ask(task.prefix(solutions[0], k), 4), problem.gold_key
            ).rollouts
        )
        for k in asked
    }
    evidence, config = Evidence(own, tallies), LabelConfig()

    # 6. The value model weighs all counts of the problem's solutions: where did the value drop?
    keys = [task.prefix(solutions[0], k).key for k in range(len(solutions[0].steps))]
    counts = {keys[k]: held for k, held in tallies.items()}
    [belief] = believe([keys], [evidence.is_correct], counts, config.value_model, config.confidence)
    row = label(problem, solutions[0], evidence, config, belief)

    # 7. The row goes to Parquet, in the shape that a trainer reads.
    write_labels(run.labels / "0000.parquet", [row], "hash")
    [written] = pq.read_table(run.labels / "0000.parquet").to_pylist()
    return written


def test_one_row_walks_from_input_to_label(tmp_path: Path) -> None:
    row = asyncio.run(walk(RunDir(tmp_path / "run")))
    assert row["first_error"] == 3
    assert row["first_error_confidence"] > 0.5
    assert [step["target"] for step in row["labels"]] == [True, True, False, False]
    assert [step["basis"] for step in row["labels"]] == [
        "inferred", "measured", "measured", "measured",
    ]  # fmt: skip
    assert [step["soft"] for step in row["labels"]] == [None, 1.0, 0.0, 0.0]
    assert row["n_rollouts"] == 8
