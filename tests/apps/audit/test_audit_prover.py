"""`labeler audit --completer`: a further completer's values, in place of the run's own."""

import json
from pathlib import Path

import pytest

from labeler.apps.audit import How, Outputs, audit, findings_of
from labeler.apps.audit.kept import Sample
from labeler.apps.audit.scan import Scan
from labeler.apps.audit.sources import AuditError, open_source
from labeler.audit.chains import join
from labeler.config import ConfigError
from labeler.posterior import ValueModel
from labeler.terminal import console
from tests.apps.audits import N, by_solution, planted
from tests.prover_runs import CUT, SAME, columns
from tests.runs import label_rows

FITTED = ValueModel(hazard=0.2)
PROVERS = [CUT | {"n": N}, SAME | {"n": 4, "value_model": FITTED.model_dump()}]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted(tmp_path_factory.mktemp("provers"), completers=PROVERS)


def test_its_counts_are_those_of_its_columns(root: Path) -> None:
    chains = by_solution(join(list(Scan(open_source(root, "cut"), {}, Sample(0)).chains())))
    rows = {row["solution_id"]: row for row in label_rows(root)}
    assert set(chains) == set(rows)
    for solution, found in chains.items():
        held = [(c["n"], c["correct"]) for c in columns(rows[solution], "cut")[:-1]]
        assert [counts[:2] for counts in found["counts"]] == held


def test_nothing_is_said_of_the_own_completers_labels(root: Path) -> None:
    own, other = findings_of(root), findings_of(root, how=How(completer="cut"))
    assert (own.run["prover"], other.run["prover"]) == (None, "cut")
    assert own.run["completer"] != other.run["completer"]
    assert any(row.measure == "label_rollouts" for row in own.rows)
    assert not any(row.measure == "label_rollouts" for row in other.rows)


def test_its_value_model_is_its_own(root: Path) -> None:
    assert open_source(root, "same").value_model == FITTED
    assert open_source(root, "cut").value_model == ValueModel()


def test_the_own_completer_once_more_has_the_whole_log(root: Path) -> None:
    """It is asked for fewer rollouts, and these are the same ones."""
    once, again = findings_of(root), findings_of(root, how=How(completer="same", sample=0))
    assert (again.run["completer"], again.run["pool"]) == (once.run["completer"], N)


def test_of_two_runs_it_is_the_seconds(root: Path, tmp_path: Path) -> None:
    audit(root, root, How(completer="cut"), Outputs(tmp_path / "two.json"), console())
    both = json.loads((tmp_path / "two.json").read_text())
    assert [both[side]["run"]["prover"] for side in ("first", "second")] == [None, "cut"]
    assert any(c["difference"] for c in both["contrasts"])


def test_an_unknown_name_is_told_with_the_known_ones(root: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no further completer 'nobody', but cut, same"):
        open_source(root, "nobody")
    with pytest.raises(ConfigError, match="`completers:` in its configuration names such"):
        open_source(planted(tmp_path, 2), "cut")


def test_one_that_was_not_asked_yet(root: Path, tmp_path: Path) -> None:
    """A configuration that names it, and a manifest that does not."""
    alone = planted(tmp_path, 2)
    held = json.loads((alone / "config.json").read_text())
    held["config"]["completers"] = json.loads((root / "config.json").read_text())["config"][
        "completers"
    ]
    (alone / "config.json").write_text(json.dumps(held))
    with pytest.raises(AuditError, match="holds no rollouts of cut yet"):
        open_source(alone, "cut")
