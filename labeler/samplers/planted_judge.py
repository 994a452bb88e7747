r"""planted_judge.py - a judge of planted solutions: reads the values that steps state, and can err.

A step is wrong to it once a value of at most 0.05 is stated. Asked for the first wrong step, it
errs in one answer of five: half of these it is off by a step (or finds an error where there is
none), half of them it says nothing that can be read. Asked to choose, it takes the first choice for
"all right" with a probability near .9, else near .1, and errs in one answer of ten. Its luck
follows from seed, prompt and index.
"""

import math
import re
from collections.abc import Sequence

from labeler.model import Completion, Finish, Prefix
from labeler.samplers.base import JUDGE, Luck, Sampling, fingerprint, uniform
from labeler.samplers.choices import Choices, as_text

_VALUE = re.compile(r"Value (\d+(?:\.\d+)?)\.")
DEAD = 0.05
ERRS = 0.2


class PlantedJudge:
    """A judge in a planted world."""

    def __init__(self, sampling: Sampling, seed: int, choices: Choices = ()) -> None:
        self._seed = seed
        self._choices = choices
        self.completer = fingerprint(sampling, JUDGE, {"kind": "planted"}, choices)

    async def complete(self, prefix: Prefix, indices: Sequence[int]) -> list[Completion]:
        """One answer for each index; `prefix` is what the judge is shown."""
        values = [float(value) for value in _VALUE.findall(prefix.question)[1:]]
        named = next((k for k, value in enumerate(values, 1) if value <= DEAD), 0)
        luck = Luck(self._seed, JUDGE, prefix.key)
        told = self._choice if self._choices else self._one
        return [told(named, len(values), luck.bits(i)) for i in indices]

    def _one(self, named: int, steps: int, bits: bytes) -> Completion:
        chance = uniform(bits)
        if chance < ERRS / 2:
            text = "I cannot say."
        else:
            off = named - 1 if named > 1 else named + 1
            text = f"\\boxed{{{min(off, steps) if chance < ERRS else named}}}"
        return _said(text, bits)

    def _choice(self, named: int, steps: int, bits: bytes) -> Completion:
        right = (not named) != (uniform(bits) < ERRS / 2)
        first = (0.85 if right else 0.05) + 0.1 * uniform(bits[12:])
        shares = (first, *([(1 - first) / (len(self._choices) - 1)] * (len(self._choices) - 1)))
        told = {c: math.log(p) for c, p in zip(self._choices, shares, strict=True)}
        return _said(as_text(told), bits)


def _said(text: str, bits: bytes) -> Completion:
    return Completion(text, Finish.STOP, 1, 1, int.from_bytes(bits[8:12], "big") >> 1)
