"""`labeler compare`: two sets of labels of the same solutions, by hand and through the formats."""

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from labeler.apps.compare import Compared, Reading, compare, record_of
from labeler.apps.compare.agreement import agreement
from labeler.apps.compare.join import join
from labeler.apps.run import run
from labeler.config import ConfigError, load
from labeler.formats import FORMATS, BadRowError, Record, recognise, with_tag
from labeler.model import LabelerError
from tests.runs import label_rows, planted_config
from tests.test_cli import labeler


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run directory with labels."""
    folder = tmp_path_factory.mktemp("compared")
    run(load(planted_config(folder)))
    return folder / "run"


def compared(root: Path, path: Path, **how: str | float) -> tuple[Compared, str]:
    printed = io.StringIO()
    found = compare(root, Reading(path, **how), Console(file=printed, width=100))
    return found, printed.getvalue()


def decided(root: Path) -> list[Record]:
    """The run's labels whose first error is known, with every hard and soft label."""
    records = [record_of(row) for row in label_rows(root)]
    return [r for r in records if r.first_error is not None]


def saved(path: Path, rows: Sequence[Any]) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(list(rows)))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("name", [n for n in FORMATS if n not in ("math-aps", "orm")])
def test_our_own_labels_agree_with_us_in_every_format(
    root: Path, tmp_path: Path, name: str
) -> None:
    form = FORMATS[name]
    rows = [form.write(record) for record in decided(root)]
    assert {recognise(row) for row in rows} == {name}
    found, shown = compared(root, saved(tmp_path / f"theirs.{form.file}", rows))
    assert found.read.format == name
    assert len(found.joined.pairs) == len({(r.question, r.steps) for r in decided(root)})
    assert (found.joined.ambiguous, found.joined.theirs_alone) == (0, 0)
    if FORMATS[name].carries_soft:
        assert found.numbers.accuracy.value is None
        assert found.numbers.soft.value == 0
    else:
        assert found.numbers.accuracy.value == found.numbers.steps.value == 1
    assert f"{len(found.joined.pairs)} matched" in shown


def test_soft_labels_give_first_errors_by_a_stated_threshold_alone(
    root: Path, tmp_path: Path
) -> None:
    rows = [FORMATS["scan"].write(record) for record in decided(root)]
    file = saved(tmp_path / "theirs.jsonl", rows)
    assert compared(root, file)[0].numbers.f1.of == 0
    assert compared(root, file, threshold=0.2)[0].numbers.f1.of == len(rows)


def test_another_placeholder_is_read_where_it_is_told(root: Path, tmp_path: Path) -> None:
    form = with_tag(FORMATS["openrlhf"], "<s>")
    file = saved(tmp_path / "theirs.jsonl", [form.write(record) for record in decided(root)])
    assert compared(root, file, placeholder="<s>")[0].numbers.accuracy.value == 1
    with pytest.raises(ConfigError, match="does not end with 'ки'"):
        compared(root, file)


def test_json_holds_what_the_table_shows(root: Path, tmp_path: Path) -> None:
    rows = [FORMATS["processbench"].write(r) for r in decided(root)]
    file = saved(tmp_path / "theirs.json", [*rows, {**rows[0], "label": 99}])
    printed = io.StringIO()
    found = compare(root, Reading(file), Console(file=printed, width=40), as_json=True)
    whole = json.loads(printed.getvalue())
    assert whole["joined"]["matched"] == len(found.joined.pairs)
    assert whole["accuracy"]["value"] == 1
    assert (whole["rows"], whole["refused"]) == (len(rows) + 1, 1)
    assert "no index of a step" in whole["refused_first"][0]


def record(question: str, *steps: str, **says: int | bool | None) -> Record:
    return Record(question, steps, **says)


def test_solutions_meet_whatever_their_white_space() -> None:
    ours = [record("What  is\n2+2?", " 2+2 = 4. ", "So 4.", first_error=0)]
    theirs = [record("What is 2+2?", "Step 1: 2+2 = 4.", "So\n4. The answer is: 4", first_error=0)]
    assert len(join(ours, theirs, says_answer=True).pairs) == 1
    without = [record("q", "So 4. The answer is: ", first_error=0)]
    assert len(join([record("q", "So 4.", first_error=0)], without, says_answer=True).pairs) == 1
    other = join(ours, theirs, says_answer=False)
    assert (len(other.pairs), other.other_steps, other.ours_alone, other.theirs_alone) == (
        0,
        1,
        1,
        1,
    )


def test_labels_that_contradict_each_other_are_left_out() -> None:
    a, b = record("q", "a", first_error=0), record("q", "a", first_error=1)
    other = record("q", "b", first_error=0)
    for ours, theirs in (([a, other], [a, b, other]), ([a, b, other], [a, other])):
        joined = join(ours, theirs, says_answer=False)
        assert (len(joined.pairs), joined.ambiguous) == (1, 1)
        assert (joined.ours_alone, joined.theirs_alone) == (0, 0)
    twice = join([a, a], [a, a, a], says_answer=False)
    assert (len(twice.pairs), twice.ambiguous, twice.ours, twice.theirs) == (1, 0, 1, 1)


def pairs(*errors: tuple[int | None, int | None], right: Sequence[bool | None] = ()) -> list:
    """Solutions of four steps: our first error and theirs, each of a problem of its own."""
    ours = [record(str(i), *"abcd", first_error=e) for i, (e, _) in enumerate(errors)]
    answers = right or [None] * len(errors)
    theirs = [
        record(str(i), *"abcd", first_error=e, is_correct=answers[i])
        for i, (_, e) in enumerate(errors)
    ]
    return list(join(ours, theirs, says_answer=False).pairs)


def test_numbers_by_hand() -> None:
    errors = [(1, 1), (2, 3), (4, 3), (0, 3), (None, 3), (0, 0), (2, 0), (1, None)]
    found = agreement(pairs(*errors))
    assert (found.accuracy.value, found.accuracy.of) == (2 / 7, 7)
    assert found.undecided.value == 1 / 7
    assert (found.error.value, found.right.value) == (0.2, 0.5)
    assert found.f1.value == pytest.approx(2 * 0.2 * 0.5 / 0.7)
    assert found.confusion == {
        "error": {"early": 1, "exact": 1, "late": 1, "none": 1, "undecided": 1},
        "none": {"early": 1, "exact": 0, "late": 0, "none": 1, "undecided": 0},
    }
    # Steps up to both first errors: 1 of 1, 1 of 2, 2 of 3, 2 of 3, 4 of 4, 1 of 2.
    assert (found.steps.value, found.steps.of) == (11 / 15, 15)
    assert found.f1.low is None  # too few solutions hold no wrong step


def test_intervals_hold_their_number_and_are_the_seeds() -> None:
    some = pairs(*[(1, 1), (2, 3), (0, 0), (2, 0)] * 10)
    found = agreement(some)
    for number in (found.accuracy, found.f1, found.error, found.right, found.steps):
        assert number.low is not None
        assert number.high is not None
        assert number.value is not None
        assert number.low < number.value < number.high
    assert agreement(some, seed=1) != found == agreement(some)


def test_trace_errors_are_of_right_answers() -> None:
    errors = [(2, 2), (3, 2), (0, 0), (1, 1), (1, 0)]
    found = agreement(pairs(*errors, right=[True, True, True, False, None]))
    assert (found.traces, found.traces_found, found.traces_ours) == (2, 1, 2)


def test_nothing_to_compare_is_no_number() -> None:
    found = agreement(pairs((None, None)))
    assert (found.f1.value, found.steps.value, found.accuracy.low) == (None, None, None)
    assert agreement([]).accuracy.of == 0


def row_of(root: Path, name: str) -> dict[str, Any]:
    return FORMATS[name].write(decided(root)[0])


BAD: dict[str, tuple[Callable[[Path], list[Any]], dict[str, Any], str]] = {
    "empty": (lambda _: [], {}, "holds no row"),
    "another format": (lambda r: [row_of(r, "trl")], {"format": "scan"}, "--format names another"),
    "no format": (lambda _: [{"a": 1}], {}, "those of no format"),
    "wrong shape": (lambda r: [{**row_of(r, "trl"), "labels": [True]}], {}, "labels for"),
    "no such name": (lambda r: [row_of(r, "trl")], {"format": "tlr"}, "did you mean 'trl'"),
    "other problems": (
        lambda _: [{"prompt": "q", "completions": ["a"], "labels": [True]}], {}, "not even a q"
    ),
    "other steps": (
        lambda r: [{**row_of(r, "trl"), "completions": ["a"], "labels": [True], "soft": None}],
        {}, "but other steps",
    ),
    "zero for another": (lambda r: [row_of(r, "trl")], {"zero": "good"}, "trl has none"),
    "zero of a third kind": (lambda r: [row_of(r, "prm800k")], {"zero": "half"}, "good or bad"),
    "threshold that is none": (
        lambda r: [row_of(r, "scan")], {"threshold": float("nan")}, "a value between 0 and 1"),
    "threshold of hard labels": (lambda r: [row_of(r, "trl")], {"threshold": 0.5}, "hard ones"),
    "no object": (lambda _: [[1, 2]], {}, "no row: no JSON object"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_compared_says_why(root: Path, tmp_path: Path, name: str) -> None:
    rows, how, said = BAD[name]
    with pytest.raises(ConfigError, match=said):
        compared(root, saved(tmp_path / "theirs.jsonl", rows(root)), **how)


def test_a_file_or_labels_that_are_not_there(root: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file"):
        compared(root, tmp_path / "none.jsonl")
    with pytest.raises(LabelerError, match="no labels"):
        compared(tmp_path, tmp_path / "none.jsonl")
    (tmp_path / "torn.parquet").write_bytes(b"PAR1")
    with pytest.raises(LabelerError, match="Parquet"):
        compared(root, tmp_path / "torn.parquet")


def test_a_rating_of_zero_asks_how_it_is_read(root: Path, tmp_path: Path) -> None:
    whole = max(decided(root), key=lambda r: (r.first_error == 0, len(r.steps)))
    ratings = (0,) * len(whole.steps)
    row = FORMATS["prm800k"].write(Record(whole.question, whole.steps, extra={"ratings": ratings}))
    file = saved(tmp_path / "theirs.jsonl", [row])
    with pytest.raises(ConfigError, match="--zero good"):
        compared(root, file)
    assert compared(root, file, zero="good")[0].numbers.accuracy.value == 1
    assert compared(root, file, zero="bad")[0].numbers.accuracy.value == 0


def test_real_benchmarks_are_recognised(shared_data: Path) -> None:
    for name in ("processbench_gsm8k.json", "processbench_math.json"):
        rows = json.loads((shared_data / name).read_text(encoding="utf-8"))
        assert {recognise(row) for row in rows} == {"processbench"}
    for name in ("math_aps.jsonl", "math_aps_tree.jsonl"):
        for line in (shared_data / name).open(encoding="utf-8"):
            assert recognise(json.loads(line)) == "math-aps"


def test_what_no_format_reads_is_a_bad_row() -> None:
    for form in FORMATS.values():
        for wild in ({}, {"question": None}, dict.fromkeys(("prompt", "input", "messages"), 3)):
            with pytest.raises(BadRowError):
                form.read(wild)


def test_the_command_answers_and_a_bad_file_is_wrong_usage(root: Path, tmp_path: Path) -> None:
    rows = [FORMATS["trl"].write(record) for record in decided(root)]
    good, bad = saved(tmp_path / "good.parquet", rows), saved(tmp_path / "bad.jsonl", [])
    answer = labeler("compare", str(root), "--against", str(good), "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert json.loads(answer.stdout)["accuracy"]["value"] == 1
    refused = labeler("compare", str(root), "--against", str(bad))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "holds no row" in refused.stderr
