"""One unit of work: what becomes of problems whose generator fails."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from labeler.config import RunConfig
from labeler.files import RunDir
from labeler.grading import AnswerGrader
from labeler.ingest import ingest
from labeler.labelling import tasks_of
from labeler.model import Completion, Finish, Prefix
from labeler.prompts import PromptConfig
from labeler.samplers import COMPLETER, GENERATOR, PlantedConfig
from labeler.units import UnitReport, Workshop


class Broken:
    """A sampler whose every completion fails."""

    completer = "broken"

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> Sequence[Completion]:
        return [Completion("no engine", Finish.ERROR, 0, 0, None) for _ in indices]


def test_a_problem_whose_generator_fails_is_a_failure_of_its_unit(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(
        '{"question": "Planted problem 1. Gold 1. Value 1.", "answer": "1"}\n'
        '{"question": "Planted problem 2. Gold 2. Value 1.", "answer": "2",'
        ' "solution": "Step 1. Value 1. The answer is 2."}\n'
    )
    config = RunConfig.model_validate(
        {
            "name": "units",
            "problems": {"path": str(source)},
            "completer": {"kind": "planted"},
            "generator": {"per_problem": 2},
        }
    )
    run = RunDir(tmp_path / "run")
    [unit] = ingest(config.problems, config.steps, run, config.hash, 32).units

    async def work() -> UnitReport:
        async with AnswerGrader() as grader, PlantedConfig().open(PromptConfig(), 0) as source:
            samplers = {COMPLETER: source.sampler(), GENERATOR: Broken()}
            return await Workshop(config, run, samplers, grader).work(unit.unit)

    report = asyncio.run(work())
    [bare] = [t for t in tasks_of(config, run, unit.unit) if not t.solutions]
    assert bare.problem.gold == "1"
    assert report.staged.solutions == 1
    assert list(report.failures.values()) == ["no engine"]
    assert all(key.startswith(GENERATOR) for key in report.failures)
