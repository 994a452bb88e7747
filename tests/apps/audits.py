"""What tests of the audit share: a planted run, and what a scan of a run gives."""

import json
import re
from pathlib import Path
from typing import Any

from labeler.apps.audit.kept import Sample
from labeler.apps.audit.scan import Scan
from labeler.apps.audit.sources import open_source
from labeler.apps.run import run
from labeler.apps.truths import read_truths
from labeler.audit.chains import Chains, join
from labeler.config import load
from tests.runs import label_rows, planted_config

N = 16


def planted(folder: Path, problems_count: int = 12, **changes: object) -> Path:
    """The directory of a planted run, done: N rollouts of each prefix, some truncated."""
    folder.mkdir(exist_ok=True)
    held = {
        "policy": {"kind": "exhaustive", "n": N},
        "completer": {"kind": "planted", "truncated": 0.1},
    }
    run(load(planted_config(folder, problems_count, **(held | changes))))
    return folder / "run"


def scanned(root: Path, truth: Path | None = None) -> tuple[Chains, Scan]:
    """All chains of a run as one, and the scan that gave them."""
    truths = read_truths(truth) if truth is not None else {}
    scan = Scan(open_source(root), truths, Sample(20))
    return join(list(scan.chains())), scan


def by_solution(chains: Chains) -> dict[str, dict[str, Any]]:
    """What chains hold of each solution, as plain numbers."""
    found = {}
    for s, name in enumerate(chains.solution_ids):
        of = slice(chains.first[s], chains.first[s + 1])
        counts = (chains.n, chains.correct, chains.truncated, chains.ungradable)
        found[name] = {
            "problem": chains.problem_ids[s],
            "right": int(chains.right[s]),
            "located": int(chains.located[s]),
            "truth": int(chains.truth[s]),
            "counts": [tuple(map(int, row)) for row in zip(*(c[of] for c in counts), strict=True)],
            "tokens": chains.tokens[of].tolist(),
        }
    return found


def truths(root: Path, path: Path) -> Path:
    """What planted steps say themselves: the first one with a value of at most .05."""
    lines = []
    for row in label_rows(root):
        values = [float(re.findall(r"Value (\d[.\d]*)\.", step)[0]) for step in row["steps"]]
        first = next((k for k, value in enumerate(values, 1) if value <= 0.05), 0)
        lines.append(json.dumps({"solution_id": row["solution_id"], "first_error": first}) + "\n")
    path.write_text("".join(lines))
    return path
