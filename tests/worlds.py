"""A world in memory: a planted sampler, a grader of plain integers, and a log in a folder.

Small real parts, for laws that need hundreds of runs: the sampler and the log are those of the
package, the grader reads "The answer is N." and nothing else.
"""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from labeler.files import RunDir
from labeler.fulfil import Fulfiller
from labeler.model import Finish, Outcome, Problem, Reason, Verdict
from labeler.prompts import PromptConfig
from labeler.rollout_log import RolloutLog
from labeler.samplers import PlantedConfig
from labeler.search import Asks, Replies, Search, drive

_ANSWER = re.compile(r"The answer is (-?\d+)\.")


class IntegerGrader:
    """Grades "The answer is N." against an integer gold; "?" in a text makes it ungradable."""

    version = "integers"

    async def grade(
        self, gold: str, completions: Sequence[tuple[str, Finish]]
    ) -> Sequence[Verdict]:
        return [self._one(gold, text, finish) for text, finish in completions]

    async def check_gold(self, gold: str) -> Verdict:
        return self._one(gold, f"The answer is {gold}.", Finish.STOP)

    def _one(self, gold: str, text: str, finish: Finish) -> Verdict:
        if finish is Finish.LENGTH:
            return Verdict(Outcome.INCORRECT, Reason.TRUNCATED, None, 0.0)
        if "?" in text:
            return Verdict(Outcome.UNGRADABLE, Reason.UNPARSED_ANSWER, None, 0.0)
        said = _ANSWER.findall(text)
        if not said:
            return Verdict(Outcome.INCORRECT, Reason.NO_ANSWER, None, 0.0)
        right = said[-1] == gold
        outcome = Outcome.CORRECT if right else Outcome.INCORRECT
        return Verdict(outcome, Reason.MATCH if right else Reason.WRONG, said[-1], 0.0)


def new_log(folder: Path, unit: str = "0000") -> RolloutLog:
    """The log of a unit as it lies in `folder`."""
    return RolloutLog(RunDir(folder), unit, IntegerGrader.version, "hash")


def run_search(
    search: Search, log: RolloutLog, problem: Problem, config: PlantedConfig | None = None
) -> list[Asks]:
    """Drive a search through the real loop; returns what it asked, round by round."""
    asked: list[Asks] = []

    async def main() -> None:
        async with (config or PlantedConfig()).open(PromptConfig(), seed=0) as source:
            fulfiller = Fulfiller(log, source.sampler(), IntegerGrader())

            async def answer(asks: Asks) -> Replies:
                asked.append(asks)
                return await fulfiller.answer(problem, asks)

            await drive(search, answer)

    asyncio.run(main())
    return asked
