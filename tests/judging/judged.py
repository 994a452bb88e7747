"""What tests of a judge in a run share: a judged run, and the answers."""

from pathlib import Path

from labeler.apps.run import run
from labeler.config import load
from labeler.files import read_rows
from tests.runs import planted_config


def judged(folder: Path, **judge: object) -> Path:
    """A planted run with a judge; its directory."""
    config = planted_config(folder, judge=judge or {"samples": 3}, seed=3)
    run(load(config))
    return folder / "run"


def answers(root: Path) -> list[dict[str, object]]:
    files = sorted((root / "judgements").glob("*/*.parquet"))
    assert len({f.parent for f in files}) == 1
    return list(read_rows(files))
