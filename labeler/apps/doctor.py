"""doctor.py - `labeler doctor`: is this environment fit, and would this configuration run?

Each check is a line with what was found and, where something is wrong, how to mend it. They are
printed as they come, since a model takes its time to load. A check that raises is a FAIL of its
own; the others go on. Nothing is written but into a scratch directory.
"""

import asyncio
from collections.abc import Generator, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from labeler.apps.checks import Check, Status, guarded
from labeler.apps.checks.machine import machine_checks, seen
from labeler.apps.checks.packages import installed, package_checks
from labeler.config import RunConfig
from labeler.files import RunDir
from labeler.model import Task
from labeler.samplers import VllmConfig

if TYPE_CHECKING:
    from rich.console import Console

_STYLE = {Status.OK: "green", Status.WARN: "yellow", Status.FAIL: "bold red"}


def doctor(config: RunConfig | None, console: "Console") -> bool:
    """Check the environment and, given a configuration, all that its run needs.

    Returns whether nothing FAILED.
    """
    bad = {Status.WARN: 0, Status.FAIL: 0}
    with closing(checks(config)) as found:
        for check in found:
            _show(check, console)
            if check.status in bad:
                bad[check.status] += 1
    warnings = f", {bad[Status.WARN]} to look at" if bad[Status.WARN] else ""
    verdict = f"{bad[Status.FAIL]} FAILED" if bad[Status.FAIL] else "nothing FAILED"
    console.print(f"{verdict}{warnings}", highlight=False)
    return not bad[Status.FAIL]


def checks(config: RunConfig | None) -> Generator[Check, None, None]:
    """All checks, each made when it is asked for."""
    yield from guarded("environment", lambda: environment_checks(config))
    if config is not None:
        with TemporaryDirectory(prefix="labeler-doctor-") as folder:
            yield from config_checks(config, RunDir(Path(folder)))


def environment_checks(config: RunConfig | None) -> Iterator[Check]:
    """Python, machine and packages."""
    packages = installed()
    wanted = config is not None and any(
        isinstance(c.completer, VllmConfig) for c in roles(config).values()
    )
    yield from machine_checks(seen(), packages.versions)
    yield from package_checks(packages, needs_vllm=wanted)


def config_checks(config: RunConfig, scratch: RunDir) -> Iterator[Check]:
    """Input, run directory and completers of one configuration."""
    from labeler.apps.checks import completer, inputs

    yield from guarded("run directory", lambda: inputs.directory_checks(config))
    tasks: tuple[Task, ...] = ()

    def read() -> Iterator[Check]:
        nonlocal tasks
        first = inputs.first_rows(config, scratch)
        tasks = first.tasks
        yield from inputs.problem_checks(config, first)

    yield from guarded("problems", read)
    yield from guarded("golds", lambda: asyncio.run(inputs.gold_checks(config, tasks)))
    for role, its in roles(config).items():
        yield from guarded(role, partial(completer.completer_checks, its, tasks, role))
    if config.judge is not None and (wanted := config.judge.choices):
        its = roles(config).get("judge", config)
        yield from guarded("judge", lambda: [completer.choices(its, wanted, "judge")])


def roles(config: RunConfig) -> dict[str, RunConfig]:
    """The completers of a run by role, each as the completer of a configuration."""
    found = {"completer": config}
    if config.generator is not None and config.generator.completer is not None:
        found["generator"] = config.model_copy(update={"completer": config.generator.completer})
    for prover in config.completers:
        if prover.completer is not None:
            found[f"prover {prover.name}"] = config.model_copy(
                update={"completer": prover.completer}
            )
    if (judge := config.judge) is not None and (judge.completer or judge.prompt):
        found["judge"] = config.model_copy(
            update={
                "completer": judge.completer or config.completer,
                "prompt": judge.prompt or config.prompt,
            }
        )
    return found


def _show(check: Check, console: "Console") -> None:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=4, no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(
        Text(check.status, _STYLE[check.status]), Text(_plain(f"{check.name}: {check.detail}"))
    )
    if check.mend:
        grid.add_row("", Text(_plain(f"to mend: {check.mend}"), "bold"))
    console.print(grid)


def _plain(text: str) -> str:
    """One line without terminal codes: messages and completions hold anything."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())
