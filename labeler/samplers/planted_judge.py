"""planted_judge.py - a judge of planted solutions: reads the values that steps state, and can err.

It names the first step with a value of at most 0.05. One answer in five it errs: half of these it
is off by a step (or finds an error where there is none), half of them it says nothing that can be
read. Its luck follows from seed, prompt and index.
"""

import re
from collections.abc import Sequence

from labeler.model import Completion, Finish, Prefix
from labeler.samplers.base import JUDGE, Luck, Sampling, fingerprint, uniform

_VALUE = re.compile(r"Value (\d+(?:\.\d+)?)\.")
DEAD = 0.05
ERRS = 0.2


class PlantedJudge:
    """A judge in a planted world."""

    def __init__(self, sampling: Sampling, seed: int) -> None:
        self._seed = seed
        self.completer = fingerprint(sampling, JUDGE, {"kind": "planted"})

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> list[Completion]:
        """One answer for each index; `prefix` is what the judge is shown."""
        values = [float(value) for value in _VALUE.findall(prefix.question)[1:]]
        named = next((k for k, value in enumerate(values, 1) if value <= DEAD), 0)
        luck = Luck(self._seed, JUDGE, prefix.key)
        return [self._one(named, len(values), luck.bits(i)) for i in indices]

    def _one(self, named: int, steps: int, bits: bytes) -> Completion:
        chance = uniform(bits)
        if chance < ERRS / 2:
            text = "I cannot say."
        else:
            off = named - 1 if named > 1 else named + 1
            text = f"\\boxed{{{min(off, steps) if chance < ERRS else named}}}"
        return Completion(text, Finish.STOP, 1, 1, int.from_bytes(bits[8:12], "big") >> 1)
