"""trial.py - opens a completer in a process of its own, and lets it complete a few prefixes.

`python -m labeler.apps.checks.trial` reads a Trial from its input and writes a Result to its
output. A process apart has the environment that the engine wants, may crash, and takes all its
threads and memory with it.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from labeler.config import RunConfig
from labeler.model import Completion, Finish, LabelerError, Prefix

INDICES = (0, 1)
MAX_TOKENS = 64
TIMEOUT_S = 900.0
_MARK = "labeler-trial:"


@dataclass(frozen=True, slots=True)
class Result:
    """How the trial went."""

    completions: int
    failed: int
    tokens: int
    start_s: float
    """Seconds to open the completer."""
    seconds: float
    """Seconds of completing."""
    example: str
    """A text that it gave, or the cause of a failure."""
    error: str = ""
    """Why nothing could be tried."""


def attempt(config: RunConfig, prefixes: Sequence[Prefix]) -> Result:
    """Try `config.completer` on the prefixes, in another process that ends with this call."""
    trial = {
        "config": config.model_dump(mode="json"),
        "prefixes": [[p.question, p.text, p.step, p.template] for p in prefixes],
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__],
            input=json.dumps(trial).encode(),
            env={**os.environ, **config.environment},
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _nothing(f"no answer within {TIMEOUT_S:.0f} s")
    for line in done.stdout.decode(errors="replace").splitlines():
        if line.startswith(_MARK):
            return Result(**json.loads(line.removeprefix(_MARK)))
    last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    return _nothing(f"its process ended with {done.returncode}: {' '.join(last)}")


def _nothing(error: str) -> Result:
    return Result(0, 0, 0, 0.0, 0.0, "", error)


async def _try(config: RunConfig, prefixes: Sequence[Prefix]) -> Result:
    began = time.perf_counter()
    async with config.completer.open(config.prompt, config.seed) as source:
        few = min(config.completer.sampling.max_tokens, MAX_TOKENS)
        sampler = source.sampler(config.completer.sampling.model_copy(update={"max_tokens": few}))
        ready = time.perf_counter()
        groups = await asyncio.gather(*(sampler.complete(p, INDICES) for p in prefixes))
        done = time.perf_counter()
    completions = [c for group in groups for c in group]
    failed = [c for c in completions if c.finish is Finish.ERROR]
    return Result(
        completions=len(completions),
        failed=len(failed),
        tokens=sum(c.n_tokens for c in completions),
        start_s=ready - began,
        seconds=done - ready,
        example=_example(failed or completions),
    )


def _example(completions: Sequence[Completion]) -> str:
    text = " ".join(completions[0].text.split()) if completions else ""
    return text if len(text) <= 100 else f"{text[:100]}..."


def main() -> None:
    """What the other process does."""
    trial = json.load(sys.stdin)
    try:
        config = RunConfig.model_validate(trial["config"])
        result = asyncio.run(_try(config, [Prefix(*p) for p in trial["prefixes"]]))
    except LabelerError as error:
        result = _nothing(str(error))
    except Exception as error:  # noqa: BLE001 - the process that waits must hear of it
        result = _nothing(f"{type(error).__name__}: {error}")
    print(_MARK + json.dumps(asdict(result)), flush=True)


if __name__ == "__main__":
    main()
