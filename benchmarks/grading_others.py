"""Math-Verify on (gold, text) rows, in the main thread of a process of its own.

Its time-outs are signals, which need that thread; they cannot interrupt a long C call, and some
inputs abort the process. So the parent waits no longer than `limit_s` for a row: a hang or an
abort costs that row, is counted, and a fresh process goes on. Called as its README says, with
its own time-outs: parse(f"${gold}$"), parse(text), verify(gold, answer).
What this module does not know: what a row should give.
"""

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Self


@dataclass(frozen=True, slots=True)
class Answered:
    """What a checker said of one row, and how long it took."""

    correct: bool
    seconds: float
    failure: str = ""
    """Why: a reason, or "hang" and "abort" where there was no answer."""
    decided: bool = True
    """False where the checker says that it cannot tell."""


class MathVerify:
    """A process that is started again whenever a row ended it."""

    def __init__(self, limit_s: float = 20.0) -> None:
        self.limit_s = limit_s
        self._process: subprocess.Popen[str] | None = None
        self._said: queue.Queue[str] = queue.Queue()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._end()

    def grade(self, rows: Iterable[tuple[str, str]]) -> list[Answered]:
        """One answer for each (gold, text), in order."""
        return [self._one(gold, text) for gold, text in rows]

    def _one(self, gold: str, text: str) -> Answered:
        process = self._started()
        began = time.perf_counter()
        assert process.stdin is not None
        process.stdin.write(json.dumps([gold, text]) + "\n")
        process.stdin.flush()
        try:
            said = self._said.get(timeout=self.limit_s)
        except queue.Empty:
            self._end()
            return Answered(False, time.perf_counter() - began, "hang")
        if not said:
            self._end()
            return Answered(False, time.perf_counter() - began, "abort")
        correct, seconds = json.loads(said)
        return Answered(correct, seconds)

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            assert self._process.stdout is not None
            self._said = queue.Queue()
            threading.Thread(
                target=_listen, args=(self._process.stdout, self._said), daemon=True
            ).start()
            self._said.get()  # its imports are done
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _listen(stream: IO[str], said: "queue.Queue[str]") -> None:
    """Lines to the queue; an empty one at the end."""
    for line in stream:
        said.put(line)
    said.put("")


def _serve() -> None:
    """Answer [gold, text] lines with [correct, seconds] lines."""
    from math_verify import parse, verify

    verify(parse("$1$"), parse("$\\sqrt{4}-1$"))  # warm
    print("ready", flush=True)
    for line in sys.stdin:
        gold, text = json.loads(line)
        began = time.perf_counter()
        try:
            correct = bool(verify(parse(f"${gold}$"), parse(text)))
        except Exception:  # noqa: BLE001 - whatever it raises, it did not say correct
            correct = False
        print(json.dumps([correct, time.perf_counter() - began]), flush=True)


if __name__ == "__main__":
    _serve()
