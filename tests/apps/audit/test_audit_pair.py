"""`labeler audit` of two planted runs: they are compared by what they share, and by that alone."""

import json
from pathlib import Path

import pytest

from labeler.apps.audit import How
from labeler.apps.audit.sources import AuditError
from labeler.apps.run import run
from labeler.config import load
from tests.apps.audit.printing import printed
from tests.apps.audits import planted
from tests.runs import label_rows, planted_config, rollout_rows


def test_two_policies_on_the_same_problems(root: Path, truth: Path, tmp_path: Path) -> None:
    other = planted(tmp_path, policy={"kind": "bisection", "n": 8}, problems_count=24)
    path = tmp_path / "both.json"
    shown = printed(root, other, How(sample=0, truth=truth), json=path)
    assert "rollouts a solution" in shown
    both = json.loads(path.read_text())
    rows = {r["first"]["measure"]: r for r in both["contrasts"] if not r["first"]["group"]}
    spent = rows["label_rollouts"]
    held = [len(rollout_rows(one)) / len(label_rows(one)) for one in (root, other)]
    assert [spent[side]["value"] for side in ("first", "second")] == pytest.approx(held)
    assert spent["difference"] == pytest.approx(spent["second"]["value"] - spent["first"]["value"])
    assert spent["low"] <= spent["difference"] <= spent["high"] < 0
    assert not any("left out" in caution for caution in both["second"]["cautions"])


def test_a_run_beside_itself_differs_in_nothing(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    printed(root, root, json=path)
    for contrast in json.loads(path.read_text())["contrasts"]:
        assert contrast["difference"] in (0, None)
        assert contrast["low"] in (0, None)


def test_only_what_two_runs_share_is_compared(root: Path, tmp_path: Path) -> None:
    few = planted(tmp_path / "few", problems_count=6)
    path = tmp_path / "both.json"
    printed(root, few, json=path)
    both = json.loads(path.read_text())
    assert both["first"]["run"]["problems"] == both["second"]["run"]["problems"] == 6
    assert any("left out" in caution for caution in both["first"]["cautions"])
    (tmp_path / "none").mkdir()
    config = planted_config(tmp_path / "none")
    problems = tmp_path / "none" / "problems.jsonl"
    problems.write_text(
        problems.read_text().replace("planted-", "other-").replace("Gold 1", "Gold 9")
    )
    run(load(config))
    with pytest.raises(AuditError, match="nothing can be compared"):
        printed(root, tmp_path / "none" / "run")


def test_runs_that_share_problems_alone_are_compared_by_these(tmp_path: Path) -> None:
    """Each wrote its own solutions."""
    roots = []
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        config = planted_config(folder, seed=seed, generator={"per_problem": 2})
        problems = folder / "problems.jsonl"
        rows = [json.loads(line) | {"solutions": []} for line in problems.read_text().splitlines()]
        problems.write_text("".join(json.dumps(row) + "\n" for row in rows))
        run(load(config))
        roots.append(folder / "run")
    printed(roots[0], roots[1], json=tmp_path / "both.json")
    both = json.loads((tmp_path / "both.json").read_text())
    assert both["first"]["run"]["problems"] == 12
    assert any("hardly a solution" in caution for caution in both["first"]["cautions"])
