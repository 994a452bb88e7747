"""What tests of readers share: one row read, and the outcomes of many."""

from pathlib import Path
from typing import Any

from labeler.problems import ProblemsConfig, Rejected, Row, read
from labeler.problems.rows import parse


def one(row: dict[str, Any], **config: object) -> Row:
    found = parse("f.jsonl:1", row, ProblemsConfig.model_validate({"path": "f.jsonl", **config}))
    assert isinstance(found, Row), found
    return found


def refused(row: dict[str, Any], **config: object) -> str:
    found = parse("f.jsonl:1", row, ProblemsConfig.model_validate({"path": "f.jsonl", **config}))
    assert isinstance(found, Rejected), found
    assert found.row == row
    return found.reason


def read_bytes(folder: Path, data: bytes, name: str = "in.jsonl", **config: object) -> list[Any]:
    (folder / name).write_bytes(data)
    return list(read(ProblemsConfig.model_validate({"path": str(folder / name), **config})))


def outcomes(found: list[Any]) -> list[tuple[str, str]]:
    return [(r.position, r.reason if isinstance(r, Rejected) else r.problem.gold) for r in found]
