"""The benchmark's synthetic run is a run: the log, the scan and the audit read it."""

from pathlib import Path

import audit_scale
import audit_scale_run
import numpy as np

from labeler.files import RunDir, count_rows, parts
from labeler.model import Ask
from labeler.rollout_log import RolloutLog
from tests.apps.audits import by_solution, scanned


def test_a_synthetic_run_is_read_as_any_other(tmp_path: Path) -> None:
    root = tmp_path / "run"
    audit_scale_run.write(root, audit_scale_run.MEAN)
    rows = count_rows(parts(RunDir(root).rollouts))
    assert {name: work(root) for name, work in audit_scale.WORK.items()} == dict.fromkeys(
        audit_scale.WORK, rows
    )
    chains, scan = scanned(root)
    assert set(np.unique(chains.n)) == {audit_scale_run.N}
    log = RolloutLog(RunDir(root), "0000", audit_scale_run.GRADER, "")
    held = by_solution(chains)
    for kept in scan.kept:
        for solution in kept.task.solutions:
            asks = [Ask(kept.task.prefix(solution, k), 99) for k in range(len(solution.steps))]
            gold = kept.task.problem.gold_key
            replies = [log.reply(audit_scale_run.COMPLETER, ask, gold) for ask in asks]
            counted = [(reply.graded, reply.correct) for reply in replies]
            assert [counts[:2] for counts in held[solution.id]["counts"]] == counted
            right = log.own_verdict(kept.task.prefix(solution, len(solution.steps)).key, gold)
            assert right is not None
            assert held[solution.id]["right"] == (right.outcome == "correct")
