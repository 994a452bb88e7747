"""`labeler export`: whole files that load, in splits by question, with a card and counted drops."""

import io
import json
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from labeler.apps.export import export, show
from labeler.exporting import only_read
from labeler.formats import FORMATS, ProcessBench
from labeler.model import LabelerError
from tests.apps.export.exports import exported, read, wish
from tests.processes import finished
from tests.runs import label_rows


@pytest.mark.parametrize("name", [name for name, to in FORMATS.items() if not only_read(to)])
def test_every_format_is_written_and_read_back(name: str, root: Path, tmp_path: Path) -> None:
    to = FORMATS[name]
    facts = export(wish(root, tmp_path / "out", to, test_share=0.4))
    tally = facts.tally
    assert set(tally.splits) == {"train", "test"}
    assert tally.rows_in == len(label_rows(root)) == tally.rows_out + tally.drops.total()
    files = {*facts.files.values(), "README.md"}
    assert {p.name for p in (tmp_path / "out").iterdir()} == files
    records = [record for row in exported(tmp_path / "out") for record in to.read(row)]
    assert len(records) == tally.rows_out
    assert sum(len(r.steps) for r in records) == sum(n.steps for n in tally.splits.values())
    assert not list(tmp_path.glob(".*"))


def test_an_export_is_the_labels(root: Path, tmp_path: Path) -> None:
    facts = export(wish(root, tmp_path / "out"))
    assert list(facts.files) == ["train"]
    decided = [row for row in label_rows(root) if row["first_error"] is not None]
    wanted = {(r["question"], tuple(r["steps"]), tuple(s["target"] for s in r["labels"]))
              for r in decided}  # fmt: skip
    found = exported(tmp_path / "out")
    assert {(r["prompt"], tuple(r["completions"]), tuple(r["labels"])) for r in found} == wanted
    again = export(wish(root, tmp_path / "again"))
    assert again == facts
    for file in (tmp_path / "out").iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()


def test_questions_are_in_one_split(root: Path, tmp_path: Path) -> None:
    export(wish(root, tmp_path / "out", test_share=0.5, seed=3))
    train, test = (
        {row["prompt"] for row in read(tmp_path / "out" / f"{split}.parquet")}
        for split in ("train", "test")
    )
    assert train
    assert test
    assert not train & test


def test_the_card_loads_the_files(root: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    facts = export(wish(root, tmp_path / "out", ProcessBench(), test_share=0.4))
    front = yaml.safe_load((tmp_path / "out" / "README.md").read_text().split("---")[1])
    assert front["configs"][0]["data_files"] == [
        {"split": "train", "path": "train.json"},
        {"split": "test", "path": "test.json"},
    ]
    found = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    for split, counts in facts.tally.splits.items():
        assert found[split].num_rows == counts.solutions
        assert sum(label >= 0 for label in found[split]["label"]) == counts.with_error


def test_benchmark_problems_are_dropped_and_listed(root: Path, tmp_path: Path) -> None:
    questions = sorted({row["question"] for row in label_rows(root)})
    bench = tmp_path / "bench.json"
    bench.write_text(json.dumps([{"problem": q.upper()} for q in (questions[2], "Another one?")]))
    facts = export(wish(root, tmp_path / "out", decontaminate=[bench]))
    [listed] = read(tmp_path / "out" / "decontaminated.jsonl")
    assert (listed["question"], listed["rule"]) == (questions[2], "exact")
    assert (listed["benchmark"], listed["position"]) == ("bench.json", "bench.json:1")
    assert questions[2] not in {row["prompt"] for row in exported(tmp_path / "out")}
    assert facts.benchmarks == {"bench.json": 2}
    assert "its problem overlaps a benchmark | 2 |" in (tmp_path / "out/README.md").read_text()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("b.jsonl", "", "holds no row"),
        ("b.jsonl", '{"text": "q"}\n', r"b.jsonl:1 has no question, .* \(its columns: text\)"),
        ("b.jsonl", '{"problem": "one"}\n{"problem": ["q"]}\n', "b.jsonl:2 has no question"),
        ("b.jsonl", '{"problem": "one"}\nnone\n', r"b.jsonl:2 is no row \(no JSON object"),
        ("b.jsonl", '{"question": "?!"}\n', "b.jsonl:1 has no question"),
        ("b.parquet", "no Parquet", "cannot read"),
        ("b.txt", "q", "b.txt: cannot tell what it is"),
        (None, "", "--decontaminate .*: there is no such file"),
    ],
)
def test_a_benchmark_of_the_wrong_shape_is_an_error(
    name: str | None, text: str, said: str, root: Path, tmp_path: Path
) -> None:
    file = tmp_path / (name or "absent.jsonl")
    if name:
        file.write_text(text)
    with pytest.raises(LabelerError, match=said):
        export(wish(root, tmp_path / "out", decontaminate=[file]))
    assert not (tmp_path / "out").exists()


def test_benchmarks_of_prm800k_are_read(root: Path, tmp_path: Path) -> None:
    question = label_rows(root)[0]["question"]
    bench = tmp_path / "b.jsonl"
    bench.write_text(json.dumps({"question": {"problem": question}}))
    export(wish(root, tmp_path / "out", decontaminate=[bench, bench]))
    [listed] = read(tmp_path / "out" / "decontaminated.jsonl")
    assert listed["question"] == question


def test_the_command_says_what_became_of_the_rows(root: Path, tmp_path: Path) -> None:
    code, output = finished(
        *("export", root, "--format", "trl", "--out", tmp_path / "out"),
        *("--after-error", "cut", "--test-share", "0.4", "--balance", "--seed", "1"),
    )
    assert code == 0, output
    assert "24 solutions read, " in output
    assert "train.parquet: " in output
    assert "dropped: left out to balance (as many" in output


def test_the_summary_names_the_lists(root: Path, tmp_path: Path) -> None:
    bench = tmp_path / "b.jsonl"
    bench.write_text(json.dumps({"question": label_rows(root)[0]["question"]}))
    asked = wish(root, tmp_path / "out", decontaminate=[bench])
    out = io.StringIO()
    show(export(asked), asked, Console(file=out, width=200))
    assert "overlaps a benchmark (see decontaminated.jsonl): 2" in out.getvalue()
