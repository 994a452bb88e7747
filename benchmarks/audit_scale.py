"""Does an audit stay out of memory's way, and how far is it from merely reading the log?

    python benchmarks/audit_scale.py [--quick] [--sizes 1e6 1e7 5e7] [--work DIR]

For each size a synthetic run is really written in the layout of a run (audit_scale_run.py: 64
rollouts a prefix, units of 32 problems), read twice, and deleted. Each reading is a process of its
own, and its peak memory is its own: `scan` reads the columns that an audit needs with pyarrow and
drops them, as plain text columns and, faster, as dictionaries; `audit` is the whole audit but for
what it draws samples for (--sample 0), whose cost does not grow with the run. Imports are left out
of the times, and in the memory. Files are warm: they were just written.

The last line has, for each size, the time over that of the plain scan and the peak memory.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from audit_scale_run import GRADER, write

SIZES = (1e6, 1e7, 5e7)
QUICK = (2.5e5, 1e6)
_READ = {
    f"verdicts/{GRADER}": ["prefix_key", "completer", "gold_key", "verdict", "reason"],
    "rollouts": ["prefix_key", "completer", "n_tokens", "created_at"],
    "problems": None,
    "solutions": None,
    "staged": ["solution_id", "first_error", "first_error_confidence"],
}
"""The columns that an audit reads, by folder; None: all."""


def scan(root: Path, *, dictionaries: bool) -> int:
    """Read these columns and drop them; the rows of the rollouts."""
    import pyarrow.parquet as pq

    rows = 0
    for folder, columns in _READ.items():
        texts = [c for c in columns or [] if c not in ("n_tokens", "created_at")]
        log = dictionaries and folder.startswith(("verdicts", "rollouts"))
        for path in sorted((root / folder).glob("*.parquet")):
            file = pq.ParquetFile(path, read_dictionary=texts if log else None)
            found = file.read(columns=columns).num_rows
            rows += found if folder == "rollouts" else 0
    return rows


def audit(root: Path) -> int:
    """The exact part of the audit; the rollouts it counted."""
    from labeler.apps.audit import How, findings_of

    return int(findings_of(root, how=How(sample=0)).run["rollouts"])


WORK: dict[str, Callable[[Path], int]] = {
    "scan": lambda root: scan(root, dictionaries=False),
    "scan as dictionaries": lambda root: scan(root, dictionaries=True),
    "audit": audit,
}


def measure(name: str, root: Path) -> None:
    """Do one piece of work in this process, and print what it took."""
    import pyarrow.parquet  # noqa: F401
    import scipy.special  # noqa: F401

    import labeler.apps.audit  # noqa: F401

    began, busy = time.perf_counter(), time.process_time()
    rows = WORK[name](root)
    seconds, busy = time.perf_counter() - began, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": rows, "seconds": seconds, "cpu": busy, "mb": peak}))


def measured(name: str, root: Path) -> dict[str, Any]:
    """The same in a fresh process."""
    command = [sys.executable, __file__, "--measure", name, str(root)]
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # as `labeler audit` sets it
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=one_thread)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two small sizes, under 50 s")
    parser.add_argument("--sizes", type=float, nargs="+", help="rollouts, about")
    parser.add_argument("--work", type=Path, help="a folder with room for 25 bytes a rollout")
    parser.add_argument("--measure", nargs=2, metavar=("WORK", "RUN"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        measure(args.measure[0], Path(args.measure[1]))
        return
    ends = []
    for size in args.sizes or (QUICK if args.quick else SIZES):
        with tempfile.TemporaryDirectory(dir=args.work) as work:
            ends.append(one_size(Path(work) / "run", int(size)))
    print(" ".join(ends))


def one_size(root: Path, size: int) -> str:
    """Write, read, delete; the end of the last line."""
    began = time.perf_counter()
    write(root, size)
    held = sum(path.stat().st_size for path in root.rglob("*.parquet")) / 1e6
    print(f"{size:,} rollouts: {held:,.0f} MB written in {time.perf_counter() - began:.0f} s")
    found = {name: measured(name, root) for name in WORK}
    shutil.rmtree(root)
    for name, took in found.items():
        print(
            f"  {name:22} {took['seconds']:8.2f} s  {took['cpu']:8.2f} s of CPU  "
            f"{took['mb']:6.0f} MB  {took['rows']:,} rollouts"
        )
    ratio = found["audit"]["seconds"] / found["scan"]["seconds"]
    millions = f"{size / 1e6:g}M"
    return f"audit_over_scan_{millions}={ratio:.2f} audit_mb_{millions}={found['audit']['mb']:.0f}"


if __name__ == "__main__":
    main()
