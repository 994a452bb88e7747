"""`labeler export`: whole files that load, counted drops, constant memory, clear errors."""

import gc
import io
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from rich.console import Console

from labeler.apps.export import ExportWish, export, show
from labeler.apps.export.folder import whole_folder
from labeler.apps.export.settings import format_of, options_of
from labeler.apps.label import label
from labeler.apps.run import run
from labeler.apps.validate import ValidateWish, validate
from labeler.config import ConfigError, load
from labeler.exporting import Drop, ExportOptions, only_read
from labeler.files import FileError, RunDir, parts
from labeler.formats import FORMATS, TAGGED, Format, Orm, ProcessBench, Record, Row, Trl
from labeler.model import LabelerError
from tests.processes import finished
from tests.runs import label_rows, planted_config


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planted run of 24 solutions; nothing changes it."""
    folder = tmp_path_factory.mktemp("exported")
    run(load(planted_config(folder)))
    return folder / "run"


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(root, tmp_path / "run")
    return tmp_path / "run"


def wish(root: Path, out: Path, to: Format | None = None, **more: Any) -> ExportWish:  # noqa: ANN401
    files = tuple(more.pop("decontaminate", ()))
    return ExportWish(root, to or Trl(), out, ExportOptions(**more), files)


def read(file: Path) -> list[Row]:
    if file.suffix == ".parquet":
        return pq.read_table(file).to_pylist()
    text = file.read_text(encoding="utf-8")
    return json.loads(text) if file.suffix == ".json" else list(map(json.loads, text.splitlines()))


def exported(folder: Path) -> list[Row]:
    return [row for file in sorted(folder.glob("t[re]*.*")) for row in read(file)]


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
        ("b.jsonl", '{"text": "q"}\n', r"b.jsonl:1 has no question .* \(its columns: text\)"),
        ("b.jsonl", '{"problem": "one"}\n{"problem": ["q"]}\n', "b.jsonl:2 has no question"),
        ("b.jsonl", '{"problem": "one"}\nnone\n', r"b.jsonl:2 is no row \(malformed\)"),
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


def test_soft_labels_for_a_hard_trainer_are_an_error(root: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--labels soft: trainers of trl read true or false"):
        export(wish(root, tmp_path / "out", labels="soft"))


def test_a_format_that_is_only_read_is_refused(root: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--format math-aps: math-aps is only read"):
        export(wish(root, tmp_path / "out", FORMATS["math-aps"]))


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("trl", {"labels": "ratings"}, "no place for -1, 0 and 1"),
        ("prm800k", {"zero": "bad"}, "--labels ratings"),
        ("orm", {"labels": "soft", "after_error": "cut"}, "a solution that is cut has none"),
        ("processbench", {"after_error": "cut"}, "a solution that is cut has none"),
    ],
)
def test_options_that_a_format_has_no_place_for(
    name: str, options: Row, said: str, root: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=said):
        export(wish(root, tmp_path / "out", FORMATS[name], **options))
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_chosen_is_what_the_format_is_for() -> None:
    for name, to in FORMATS.items():
        chosen = options_of({"labels": None, "undecided": None}, to)
        assert chosen.labels == ("soft" if to.carries_soft else "hard")
        assert chosen.undecided == ("keep" if name == "orm" else "drop")
    assert options_of({"labels": "hard"}, FORMATS["scan"]).labels == "hard"
    for given in ({"labels": "hard"}, {"balance": True}, {"undecided": "drop"}):
        assert options_of(given, FORMATS["orm"]).undecided == "drop"


def test_outcomes_of_undecided_solutions_are_exported(copy: Path, tmp_path: Path) -> None:
    label(copy, ["labels.decided=0.999999"])
    undecided = sum(row["first_error"] is None for row in label_rows(copy))
    assert undecided
    facts = export(ExportWish(copy, Orm(), tmp_path / "out", options_of({}, Orm())))
    assert len(exported(tmp_path / "out")) == len(label_rows(copy))
    assert not facts.tally.drops


def test_ratings_are_written_and_the_card_says_so(copy: Path, tmp_path: Path) -> None:
    asked = wish(copy, tmp_path / "out", FORMATS["prm800k"], labels="ratings")
    with pytest.raises(LabelerError, match=r"labels\.neutral"):
        export(asked)
    label(copy, ["labels.neutral=0.99"])
    export(asked)
    wanted = Counter(
        tuple((text, step["rating"]) for text, step in zip(r["steps"], r["labels"], strict=True))
        for r in label_rows(copy)
        if r["first_error"] is not None
    )
    steps = [[s["completions"][0] for s in r["label"]["steps"]] for r in exported(tmp_path / "out")]
    given = Counter(tuple((s["text"], s["rating"]) for s in row) for row in steps)
    assert given == wanted
    assert {rating for row in given for _, rating in row} >= {-1, 0}
    card = (tmp_path / "out" / "README.md").read_text()
    assert "| neutral | 0.99 |" in card
    assert "Labels are ratings: 1 is good" in card


def test_a_placeholder_is_written_and_told(root: Path, tmp_path: Path) -> None:
    for name in TAGGED:
        out = tmp_path / name
        export(
            wish(
                root,
                out,
                format_of(name, "<|step|>"),
                labels="soft" if name == "mm-prm" else "hard",
            )
        )
        assert "<|step|>" in (out / "README.md").read_text()
        report = validate(ValidateWish(out, format_of(name, "<|step|>")))
        assert (report.faults, report.rows) == (0, len(exported(out)))
        assert (name == "trl") == (not validate(ValidateWish(out, FORMATS[name])).faults)


@pytest.mark.parametrize(
    ("name", "placeholder", "said"),
    [("scan", "<s>", "nothing in rows of scan"), ("trl", "", "empty"), ("trl", "\udcff", "UTF-8")],
)
def test_a_placeholder_that_is_none(name: str, placeholder: str, said: str) -> None:
    with pytest.raises(ConfigError, match=f"--placeholder.*{said}"):
        format_of(name, placeholder)


def test_a_placeholder_that_meets_the_formats_own_text(root: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'Step' cannot be told from .* Choose another"):
        export(wish(root, tmp_path / "out", format_of("openrlhf", "Step")))


def test_nothing_left_is_an_error_that_counts(root: Path, tmp_path: Path) -> None:
    with pytest.raises(
        LabelerError,
        match=r"none of the 24 .* has not looked at it \(a run with a `judge:` does\): 24\)",
    ):
        export(wish(root, tmp_path / "out", keep_only=True))
    assert list(tmp_path.iterdir()) == []


def test_a_format_that_holds_none_of_them_says_why(root: Path, tmp_path: Path) -> None:
    with pytest.raises(LabelerError, match=r"Solution \w+, steps\[0\]: it holds 'Value'"):
        export(wish(root, tmp_path / "out", Trl(separator="Value")))
    assert list(tmp_path.iterdir()) == []


def test_what_the_format_cannot_hold_is_listed(root: Path, tmp_path: Path) -> None:
    facts = export(wish(root, tmp_path / "out", Trl(separator="Step 5")))
    refused = read(tmp_path / "out" / "refused.jsonl")
    assert {row["field"] for row in refused} == {"steps[4]"}
    assert len(refused) == facts.tally.drops[Drop.REFUSED] > 0
    wanted = {row["solution_id"] for row in label_rows(root) if row["first_error"] is not None}
    assert {row["solution_id"] for row in refused} < wanted


def test_no_labels_is_an_error(copy: Path, tmp_path: Path) -> None:
    shutil.rmtree(copy / "labels")
    with pytest.raises(LabelerError, match="has no labels"):
        export(wish(copy, tmp_path / "out"))
    with pytest.raises(ConfigError, match="is not a run directory"):
        export(wish(tmp_path / "absent", tmp_path / "out"))


def test_a_torn_label_file_leaves_nothing(copy: Path, tmp_path: Path) -> None:
    last = parts(RunDir(copy).labels)[-1]
    last.unlink()  # a link to the staged part
    last.write_bytes(b"PAR1")
    with pytest.raises(FileError, match=r"cannot read .* writes the labels anew"):
        export(wish(copy, tmp_path / "out"))
    pq.write_table(pa.table({"question": ["q"]}), last)
    with pytest.raises(FileError, match="has schema version none"):
        export(wish(copy, tmp_path / "out"))
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


class Watched(Trl):
    """TRL rows, with something that happens at every one."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__()
        object.__setattr__(self, "happens", happens)

    def write(self, record: Record) -> dict[str, Any]:
        self.happens()
        return super().write(record)


def test_labels_that_change_meanwhile_are_an_error(copy: Path, tmp_path: Path) -> None:
    def publish_anew() -> None:
        shutil.copytree(copy / "labels", tmp_path / "new", dirs_exist_ok=True)
        shutil.rmtree(copy / "labels")
        (tmp_path / "new").rename(copy / "labels")

    with pytest.raises(LabelerError, match="published anew while it was read"):
        export(wish(copy, tmp_path / "out", Watched(publish_anew)))
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten(root: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    export(wish(root, tmp_path / "out"))
    before = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    with pytest.raises(FileError, match="is there already"):
        export(wish(root, tmp_path / "out"))
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == before


def test_what_a_killed_export_left_is_cleared_away(root: Path, tmp_path: Path) -> None:
    if (pid := os.fork()) == 0:
        with whole_folder(tmp_path / "out") as folder:
            (folder / "old.jsonl").write_text("{}\n")
            os._exit(9)
    os.waitpid(pid, 0)
    assert not (tmp_path / "out").exists()
    export(wish(root, tmp_path / "out"))
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert not (tmp_path / "out" / "old.jsonl").exists()


def test_a_full_disk_leaves_nothing(root: Path, tmp_path: Path) -> None:
    code, output = finished(
        "export", root, "--format", "processbench", "--out", tmp_path / "out", most_bytes=2000
    )
    assert (code, "Nothing was written" in output, "Traceback" in output) == (1, True, False)
    assert list(tmp_path.iterdir()) == []


ROWS = 50_000


@pytest.fixture(scope="module")
def large(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run with each solution so often that there are 50,000, in one file of one row group."""
    folder = tmp_path_factory.mktemp("large") / "run"
    shutil.copytree(root, folder)
    files = parts(RunDir(folder).labels)
    few = pa.concat_tables(pq.read_table(file) for file in files)
    many = pa.concat_tables([few] * (ROWS // few.num_rows + 1)).slice(0, ROWS)
    for file in files:
        file.unlink()
    table = many.replace_schema_metadata(few.schema.metadata)
    pq.write_table(table, files[0], row_group_size=ROWS)
    return folder


def test_memory_does_not_grow_with_the_rows(large: Path, tmp_path: Path) -> None:
    """Counts what has come to life since the start, every 997 rows: no more than the batches."""
    alive: list[int] = []
    rows = count()

    def look() -> None:
        if next(rows) % 997 == 0:
            alive.append(len(gc.get_objects()))

    gc.collect()
    gc.freeze()  # what was there before does not count
    try:
        facts = export(wish(large, tmp_path / "out", Watched(look)))
    finally:
        gc.unfreeze()
    assert facts.tally.rows_in == ROWS
    assert len(alive) > 20
    assert max(alive) < 20_000, "batches hold fewer objects, all rows over a million"


def test_the_command_says_what_became_of_the_rows(root: Path, tmp_path: Path) -> None:
    code, output = finished(
        *("export", root, "--format", "trl", "--out", tmp_path / "out"),
        *("--after-error", "cut", "--test-share", "0.4", "--balance", "--seed", "1"),
    )
    assert code == 0, output
    assert "24 solutions read, " in output
    assert "train.parquet: " in output
    assert "dropped: left out to balance (as many" in output


def test_wrong_usage_exits_with_2(root: Path, tmp_path: Path) -> None:
    code, output = finished("export", root, "--format", "trk", "--out", tmp_path / "out")
    assert (code, "did you mean 'trl'?" in output, "Traceback" in output) == (2, True, False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"labels": "sof"}, "--labels: Input should be 'hard', 'soft' or 'ratings'"),
        ({"test_share": 1.0, "min_confidence": -1}, "--min-confidence: .*\n  --test-share: "),
        ({"undecided": "keep"}, "\n  --labels hard needs to know"),
    ],
)
def test_wrong_options_are_told_by_name(given: Row, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as error:
        options_of(given, Trl())
    assert "Value error" not in str(error.value)


def test_the_summary_names_the_lists(root: Path, tmp_path: Path) -> None:
    bench = tmp_path / "b.jsonl"
    bench.write_text(json.dumps({"question": label_rows(root)[0]["question"]}))
    asked = wish(root, tmp_path / "out", decontaminate=[bench])
    out = io.StringIO()
    show(export(asked), asked, Console(file=out, width=200))
    assert "overlaps a benchmark (see decontaminated.jsonl): 2" in out.getvalue()
