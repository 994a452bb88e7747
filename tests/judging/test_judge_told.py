"""What people and commands are told of a judge: tables, refusals, doctor."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from labeler.apps.checks import Status, guarded
from labeler.apps.checks.completer import choices
from labeler.apps.consensus import consensus
from labeler.apps.doctor import roles
from labeler.apps.inspect import header
from labeler.apps.label import label
from labeler.apps.pilot import completers
from labeler.apps.run import run
from labeler.config import ConfigError, load
from labeler.files import RunDir
from labeler.model import LabelerError
from tests.judging.judged import answers
from tests.runs import label_rows, planted_config, write_problems
from tests.tiny_model import write_tokenizer


def test_labels_are_shown_with_what_the_judge_said(root: Path) -> None:
    for row in label_rows(root):
        shown = header(row).plain
        assert (f"kept no ({row['drop_reason']})" in shown) != row["keep"]


def test_bands_stand_in_order(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    consensus(root, Console(width=100))
    lines = capsys.readouterr().out.splitlines()
    shown = [name for name in ("below 3", "3 to below 5", "5 to below 8", "20 and above")
             if any(line.strip().startswith(name) for line in lines)]  # fmt: skip
    at = [next(i for i, line in enumerate(lines) if line.strip().startswith(n)) for n in shown]
    assert len(at) > 1
    assert at == sorted(at)


def test_the_table_counts_what_the_labels_say(root: Path) -> None:
    with (root / "shown.txt").open("w") as file:
        found = consensus(root, Console(file=file, width=100))
        consensus(root, Console(file=file, width=100), as_json=True)
    rows = label_rows(root)
    assert found.solutions == len(rows)
    assert found.kept == sum(row["keep"] for row in rows)
    text = (root / "shown.txt").read_text()
    assert f"kept {found.kept} of {found.solutions} solutions" in text
    assert json.loads(text[text.index("\n{") :])["kept"] == found.kept


def test_without_a_judge_there_is_nothing_to_show(tmp_path: Path) -> None:
    run(load(planted_config(tmp_path, 2)))
    with pytest.raises(LabelerError, match="no judge was asked"):
        consensus(tmp_path / "run", Console())
    with pytest.raises(LabelerError, match="no labels"):
        consensus(tmp_path, Console())
    with pytest.raises(ConfigError, match="has no judge"):
        label(tmp_path / "run", ["consensus.tolerance=1"])


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        ({"kind": "oracle"}, "'locate', 'verify'"),
        ({"kind": "verify", "yes": "A", "no": "A"}, "yes and no are the same answer"),
        ({"kind": "verify", "no": ""}, "judge.no: "),
        ({"chains": 2}, "judge.chains: no such key; it is one of kind: verify"),
        ({"kind": "verify", "samples": 2}, "it is one of kind: locate"),
        ({"template": "own.txt", "text": "{question}{steps}"}, "judge.template: must be the path"),
        ({"template": 3}, "judge.template: must be the path"),
        ({"template": "$LABELER_NOT_SET/own.txt"}, "cannot be read"),
    ],
)
def test_a_judge_that_cannot_be_is_refused(tmp_path: Path, judge: object, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        load(planted_config(tmp_path, judge=judge))
    assert says in str(error.value)


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("Find it.\n{steps}\nThe problem was {question}")
    loaded = load(planted_config(tmp_path, judge={"template": str(own)}))
    assert loaded.judge is not None
    shown = loaded.judge.shown("Q?", ("one {question}", "two"), loaded.prompt).question
    assert shown == "Find it.\nStep 1: one {question}\n\nStep 2: two\nThe problem was Q?"
    own.write_text("no slots")
    with pytest.raises(ConfigError, match=r"must hold \{question\} once"):
        load(planted_config(tmp_path, judge={"template": str(own)}))
    with pytest.raises(ConfigError, match="cannot be read"):
        load(planted_config(tmp_path, judge={"template": str(tmp_path / "none")}))


def test_a_judge_is_not_taken_for_the_generator(tmp_path: Path) -> None:
    bare = write_problems(tmp_path / "bare.jsonl", 6, solutions=0)
    changes = {"problems": {"path": str(bare)}, "generator": {"per_problem": 2}}
    run(load(planted_config(tmp_path, **changes)))
    before = completers(RunDir(tmp_path / "run"))
    assert None not in before
    run(load(planted_config(tmp_path, **changes, judge={"when": "always"})))
    assert answers(tmp_path / "run")
    assert completers(RunDir(tmp_path / "run")) == before
    for other in ({"when": "always", "kind": "verify", "chains": 1}, None):
        run(load(planted_config(tmp_path, **changes, judge=other)))
        assert completers(RunDir(tmp_path / "run")) == before


def test_the_doctor_looks_at_a_judge_of_its_own(tmp_path: Path) -> None:
    own = {"prompt": {"kind": "raw"}, "completer": {"kind": "planted", "delay_ms": 1.0}}
    found = roles(load(planted_config(tmp_path, judge=own)))["judge"]
    assert found.prompt.kind == "raw"
    assert found.completer == load(planted_config(tmp_path, judge=own)).judge.completer  # type: ignore[union-attr]
    assert "judge" not in roles(load(planted_config(tmp_path, judge={})))


def test_the_doctor_looks_at_the_answers_of_a_judge(tmp_path: Path) -> None:
    model = write_tokenizer(tmp_path / "model")
    own = {"kind": "endpoint", "url": "http://127.0.0.1:9/v1", "model": "j"}
    told = {}
    for yes, tokenizer in (("Y", str(model)), ("Yes", str(model)), ("Yes", None)):
        judge = {"kind": "verify", "yes": yes, "no": "N"}
        judge["completer"] = {**own, "tokenizer": tokenizer}
        its = roles(load(planted_config(tmp_path, judge=judge)))["judge"]
        [check] = guarded("judge", lambda its=its, yes=yes: [choices(its, (yes, "N"), "judge")])
        told[yes, bool(tokenizer)] = (check.status, check.detail)
    assert told["Y", True] == (Status.OK, "'Y' and 'N' are one token each")
    assert told["Yes", True][0] is Status.FAIL
    assert "no token of its own" in told["Yes", True][1]
    assert told["Yes", False][0] is Status.OK


def test_the_run_directory_of_a_judge_is_no_other_run(tmp_path: Path) -> None:
    with_judge = load(planted_config(tmp_path, judge={"samples": 2}))
    assert with_judge.hash == load(planted_config(tmp_path)).hash
    assert not RunDir(tmp_path / "run").judgements("x").exists()
