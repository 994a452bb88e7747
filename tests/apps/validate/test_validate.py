"""`labeler validate` with tokenizers that are wrong in their own ways, and with wrong files."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from labeler.apps.validate import Kind, Report, ValidateWish, show, validate
from labeler.config import ConfigError
from labeler.formats import FORMATS, Record, Row
from labeler.model import LabelerError
from tests.apps.validate.tokenizers import TESTBED, merging, of_words, with_tags
from tests.processes import finished

TOKENIZED = ["trl", "openrlhf", "math-shepherd", "rlhflow", "qwen", "scan", "mm-prm"]


def record(steps: Sequence[str] = ("2+2 = 5.", "So 5.", "Twice that is 10.")) -> Record:
    hard = (False,) * len(steps)
    soft = (0.25,) * len(steps)
    return Record("What is 2+2?", tuple(steps), id="s", is_correct=False, first_error=1,
                  hard=hard, soft=soft, source="gsm8k", generator="someone")  # fmt: skip


def written(folder: Path, name: str, *records: Record) -> Path:
    """A file of these rows."""
    rows = [FORMATS[name].write(one) for one in records or (record(),)]
    path = folder / f"{name}.{'parquet' if name == 'trl' else 'jsonl'}"
    if name == "trl":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def checked(
    path: Path, name: str, tokenizer: Path | None = None, max_length: int | None = None
) -> Report:
    return validate(ValidateWish(path, FORMATS[name], tokenizer, max_length))


def sound(name: str, rows: int) -> Report:
    return Report(rows=rows, looks_like=name)


def faults(report: Report) -> set[tuple[Kind, str]]:
    return {(fault.kind, fault.field) for fault in report.first}


@pytest.fixture(scope="module")
def tags(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_tags(tmp_path_factory.mktemp("tags"))


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return merging(tmp_path_factory.mktemp("merged"))


@pytest.mark.parametrize("name", TOKENIZED)
def test_a_sound_file_has_no_fault(name: str, tags: Path, tmp_path: Path) -> None:
    path = written(tmp_path, name, record(), record(["One step."]))
    assert checked(path, name) == sound(name, 2)
    assert checked(path, name, tags) == sound(name, 2)
    assert checked(path, name, tags, 1000) == sound(name, 2)


@pytest.mark.parametrize("name", TOKENIZED)
def test_labels_are_lost_exactly_where_the_last_one_is_cut(
    name: str, tags: Path, tmp_path: Path
) -> None:
    """One token too few loses the last label, and each length loses as many as a shorter one."""
    path = written(tmp_path, name)
    lengths = {n: checked(path, name, tags, n).faults for n in (1, *range(20, 120))}
    enough = min(n for n, found in lengths.items() if not found)
    assert all(bool(found) == (n < enough) for n, found in lengths.items())
    report = checked(path, name, tags, enough - 1)
    [fault] = report.first
    assert fault.kind is Kind.LOST
    assert f"of 3 labels 2 are left within {enough - 1}" in fault.problem
    assert fault.position == f"{path.name}:1"


def test_trl_cuts_at_1024_tokens_unasked(tmp_path: Path) -> None:
    path = written(tmp_path, "trl", record(["many words of a step"] * 100))
    report = checked(path, "trl", TESTBED)
    assert faults(report) == {(Kind.LOST, "labels")}
    assert "1024" in report.first[0].problem
    assert not checked(path, "trl", TESTBED, 5000).faults


@pytest.mark.parametrize(
    ("name", "field"),
    [("openrlhf", "input"), ("math-shepherd", "input"), ("qwen", "messages")],
)
def test_a_tag_that_splits_is_told_once(name: str, field: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, *[record()] * 5)
    report = checked(path, name, TESTBED)
    assert (report.rows, report.faults) == (5, 1)
    [fault] = report.first
    assert (fault.kind, fault.field, fault.position) == (Kind.TOKENS, field, str(TESTBED))
    assert "tokens" in fault.problem
    assert "Add it" in fault.fix


def test_reward_tokens_that_split_are_told(tmp_path: Path) -> None:
    path = written(tmp_path, "rlhflow")
    words = of_words(tmp_path / "words", "ки", chat=True)
    assert not checked(path, "rlhflow", words).counts[Kind.LOST]
    openrlhf = FORMATS["openrlhf"].__class__(good="good one", bad="?")
    row = openrlhf.write(record())
    path = tmp_path / "signs.jsonl"
    path.write_text(json.dumps(row) + "\n")
    report = validate(ValidateWish(path, openrlhf, words))
    assert [fault.field for fault in report.first] == ["label", "label"]
    assert "2 tokens" in report.first[0].problem
    assert "unknown token" in report.first[1].problem


def test_a_tag_that_is_another_token_where_it_stands(merged: Path, tmp_path: Path) -> None:
    report = checked(written(tmp_path, "openrlhf"), "openrlhf", merged)
    assert faults(report) == {(Kind.TOKENS, "input")}
    assert "found 0 times" in report.first[0].problem
    assert report.first[0].position == "openrlhf.jsonl:1"


def test_a_sign_that_is_another_token_where_it_stands(tmp_path: Path) -> None:
    words = of_words(tmp_path / "words", chat=True)
    report = checked(written(tmp_path, "rlhflow"), "rlhflow", words)
    assert faults(report) == {(Kind.TOKENS, "conversations[1]")}


def test_a_chat_format_needs_a_chat_template(merged: Path, tmp_path: Path) -> None:
    words = of_words(tmp_path / "words", "<extra_0>")
    assert faults(checked(written(tmp_path, "qwen"), "qwen", words)) == {
        (Kind.TOKENS, "chat_template")
    }
    found = faults(checked(written(tmp_path, "rlhflow"), "rlhflow", merged))
    assert found == {(Kind.TOKENS, "chat_template")}


def test_a_separator_without_a_token_leaves_labels_nowhere(tmp_path: Path) -> None:
    words = of_words(tmp_path / "words")
    report = checked(written(tmp_path, "trl"), "trl", words)
    assert faults(report) == {(Kind.TOKENS, "step_separator")}


def test_a_blank_line_that_joins_the_next_step(merged: Path, tmp_path: Path) -> None:
    path = written(tmp_path, "scan", record(["One.", "and two."]), record(["One.", "So two."]))
    report = checked(path, "scan", merged)
    assert [(f.kind, f.field, f.position) for f in report.first] == [
        (Kind.TOKENS, "steps[0]", "scan.jsonl:1")
    ]


@pytest.mark.parametrize("name", TOKENIZED)
def test_a_text_that_spells_a_special_token(name: str, tags: Path, tmp_path: Path) -> None:
    path = written(tmp_path, name, record(["One.", "Then <|end|> two."]))
    assert not checked(path, name).faults
    [fault] = checked(path, name, tags).first
    assert (fault.kind, fault.field) == (Kind.TAG, "steps[1]")
    assert "'<|end|>', a special token" in fault.problem


def test_soft_labels_for_a_hard_trainer(tmp_path: Path) -> None:
    """TRL's own code makes [0.9, 0.25, 1.0] of these [0, 0, 1]."""
    rows = [FORMATS["trl"].write(record()) | {"labels": [0.9, 0.25, 1.0]}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "soft.parquet")
    report = checked(tmp_path / "soft.parquet", "trl")
    assert faults(report) == {(Kind.SOFT, "labels")}


def test_a_rating_of_zero_is_no_fault(tmp_path: Path) -> None:
    row = FORMATS["prm800k"].write(record())
    row["label"]["steps"][0]["completions"][0]["rating"] = 0
    (tmp_path / "p.jsonl").write_text(json.dumps(row))
    assert checked(tmp_path / "p.jsonl", "prm800k") == sound("prm800k", 1)


def test_unreadable_rows_are_counted(tmp_path: Path) -> None:
    sound = json.dumps(FORMATS["scan"].write(record())).encode()
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n".join([sound, b"no JSON", b"[1]", b'{"question": "\xff"}', b"{}", sound]))
    report = checked(path, "scan")
    assert report.rows == 6
    assert report.counts == {Kind.UNREADABLE: 3, Kind.SHAPE: 1}
    assert [fault.position for fault in report.first] == [f"rows.jsonl:{n}" for n in (2, 3, 4, 5)]
    assert [fault.problem for fault in report.first][:2] == [
        "no JSON object, or a value that cannot be read"
    ] * 2


def test_the_first_faults_are_told_and_all_are_counted(tmp_path: Path) -> None:
    row: Row = FORMATS["scan"].write(record()) | {"scores": [2, 2, 2]}
    (tmp_path / "rows.jsonl").write_text((json.dumps(row) + "\n") * 30)
    out = io.StringIO()
    show(checked(tmp_path, "scan"), FORMATS["scan"], Console(file=out, width=300))
    lines = out.getvalue().splitlines()
    assert len(lines) == 22
    assert lines[0].startswith("rows.jsonl:1 scores[0]: 2 is not from 0 to 1. ")
    assert lines[-2:] == ["... and 10 more", "30 rows, 30 faults: shape 30"]


def test_the_format_that_rows_look_like_is_told(tmp_path: Path) -> None:
    out = io.StringIO()
    report = checked(written(tmp_path, "qwen"), "scan")
    show(report, FORMATS["scan"], Console(file=out, width=300))
    assert "the first row looks like qwen: --format names another" in out.getvalue()


def test_rows_that_were_not_themselves_are_told(tmp_path: Path) -> None:
    node = {"text": "q", "mc_value": 0.5}
    row = {"question": "q", "final_answer": "4", "reasoning_steps": node}
    out = io.StringIO()
    report = checked(_file(tmp_path / "a.jsonl", json.dumps(row)), "math-aps")
    show(report, FORMATS["math-aps"], Console(file=out, width=300))
    assert out.getvalue().startswith("1 rows were only read: nothing writes this format\n")


def test_lists_beside_an_export_are_no_part_of_it(tmp_path: Path) -> None:
    written(tmp_path, "scan")
    for name in ("refused.jsonl", "decontaminated.jsonl", "README.md", ".hidden.jsonl"):
        (tmp_path / name).write_text('{"other": 1}\n')
    assert checked(tmp_path, "scan") == sound("scan", 1)


def _run(folder: Path) -> Path:
    (folder / "labels").mkdir()
    _file(folder / "config.json", "{}")
    return folder


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda folder: folder / "absent", ConfigError, "no such file or folder"),
        (lambda folder: folder, ConfigError, "holds no data file"),
        (lambda folder: _file(folder / "empty.jsonl", ""), LabelerError, "holds no row"),
        (lambda folder: _file(folder / "empty.json", "[]"), LabelerError, "holds no row"),
        (lambda folder: _file(folder / "a.parquet", "x"), LabelerError, "^cannot read"),
        (lambda folder: _file(folder / "a.csv", "x"), ConfigError, "cannot tell what it is"),
        (lambda folder: _file(folder / "\udcff.jsonl", "x"), ConfigError, "is no UTF-8"),
        (_run, ConfigError, "holds a run's own labels"),
        (lambda folder: _run(folder) / "labels", ConfigError, "holds a run's own labels"),
    ],
)
def test_a_file_that_cannot_be_looked_at(
    make: object, error: type[Exception], said: str, tmp_path: Path
) -> None:
    assert callable(make)
    with pytest.raises(error, match=said):
        checked(make(tmp_path), "scan")


def _file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_text_that_no_file_can_hold_is_a_fault(tmp_path: Path) -> None:
    rows = [FORMATS["trl"].write(record()), FORMATS["trl"].write(record(["\ud800", "So 5."]))]
    rows += [rows[0] | {"soft": None, "more": json.loads("[" * 900 + "]" * 900)}]
    path = _file(tmp_path / "rows.jsonl", "\n".join(map(json.dumps, rows)))
    for tokenizer in (None, TESTBED):
        report = checked(path, "trl", tokenizer)
        assert ("rows.jsonl:2", "completions") in {(f.position, f.field) for f in report.first}
        assert report.counts[Kind.SHAPE] <= 2


def test_wrong_tokenizers_and_options_are_errors(tmp_path: Path) -> None:
    path = written(tmp_path, "scan")
    (tmp_path / "none").mkdir()
    with pytest.raises(LabelerError, match="no tokenizer at"):
        checked(path, "scan", tmp_path / "none")
    (tmp_path / "none" / "tokenizer.json").write_text("{}")
    with pytest.raises(LabelerError, match="no tokenizer at"):
        checked(path, "scan", tmp_path / "none")
    with pytest.raises(ConfigError, match="is no folder"):
        checked(path, "scan", tmp_path / "absent")
    with pytest.raises(ConfigError, match="give --tokenizer, too"):
        checked(path, "scan", max_length=10)
    with pytest.raises(ConfigError, match="no trainer tokenizes rows of processbench"):
        checked(path, "processbench", TESTBED)


def test_the_command_exits_with_1_on_faults(tmp_path: Path) -> None:
    path = written(tmp_path, "openrlhf")
    code, output = finished("validate", path, "--format", "openrlhf", "--tokenizer", TESTBED)
    assert code == 1
    assert "input: 'ки' is 4 tokens" in output
    assert output.endswith("1 rows, 1 faults: tokens 1\n")
