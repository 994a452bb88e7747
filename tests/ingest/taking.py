"""What tests of ingest share: rows written, taken in and refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labeler.files import RunDir
from labeler.ingest import Ingested, ingest, read_unit
from labeler.model import Problem, Solution
from labeler.problems import ProblemsConfig
from labeler.steps import StepsConfig

STEPS = StepsConfig(max_steps=3, max_chars=30)


def source(path: Path) -> ProblemsConfig:
    return ProblemsConfig(path=str(path), max_chars=50)


def write(path: Path, lines: list[bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\n".join(lines))
    return path


def take(path: Path, run: RunDir, unit_size: int = 2) -> Ingested:
    return ingest(source(path), STEPS, run, "hash", unit_size)


def rows(*given: dict[str, Any]) -> list[bytes]:
    return [json.dumps(row).encode() for row in given]


def quarantined(run: RunDir) -> list[dict[str, Any]]:
    if not run.quarantine.exists():
        return []
    return [json.loads(line) for line in run.quarantine.read_text().splitlines()]


def reasons(run: RunDir) -> list[tuple[str, str]]:
    return [(q["position"], q["reason"]) for q in quarantined(run)]


def everything(run: RunDir, made: Ingested) -> Iterator[tuple[Problem, Solution | None]]:
    """All a directory holds, in no order that means anything."""
    for unit in made.units:
        for problem, solutions in read_unit(run, unit.unit):
            yield problem, None
            yield from ((problem, solution) for solution in solutions)


def tree(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file with its bytes and its inode: a file that is rewritten has another one."""
    found = (p for p in root.rglob("*") if p.is_file())
    return {str(p.relative_to(root)): (p.read_bytes(), p.stat().st_ino) for p in found}
