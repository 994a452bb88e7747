"""Every row is exported or dropped with a reason; splits hold whole questions; balance is exact."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from labeler.exporting import (
    Benchmarks,
    CardFacts,
    Chosen,
    Drop,
    ExportOptions,
    Left,
    Selector,
    Tally,
    card,
)
from labeler.formats import Trl
from tests.exporting.label_rows import Row, label_row, label_sets

OPTIONS = st.builds(
    ExportOptions,
    after_error=st.sampled_from(["keep", "cut", "hard"]),
    min_confidence=st.sampled_from([None, 0.5]),
    keep_only=st.booleans(),
    balance=st.booleans(),
    test_share=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 9),
)


def chosen(
    rows: list[Row], options: ExportOptions, benchmarks: Benchmarks | None = None
) -> list[Chosen | Left]:
    selector = Selector(Trl(), options, benchmarks or Benchmarks())
    if options.balance:
        selector.balance(rows)
    return [selector.choose(row) for row in rows]


@given(label_sets(), OPTIONS)
def test_rows_in_are_rows_out_and_drops(rows: list[Row], options: ExportOptions) -> None:
    tally = Tally()
    found = chosen(rows, options)
    for row, one in zip(rows, found, strict=True):
        tally.add(row, one)
    assert tally.rows_in == len(rows) == tally.rows_out + tally.drops.total()
    assert found == chosen(rows, options)
    splits = {row["question"]: set() for row in rows}
    for row, one in zip(rows, found, strict=True):
        if isinstance(one, Chosen):
            splits[row["question"]].add(one.split)
            assert len(one.row["labels"]) == len(one.row["completions"])
            assert all(label in (True, False) for label in one.row["labels"])
    assert all(len(held) <= 1 for held in splits.values())
    text = card(CardFacts("demo", "trl", {}, options, tally))
    assert f"| in | {len(rows)} |" in text
    assert f"| out | {tally.rows_out} |" in text


@given(label_sets(), OPTIONS)
def test_balance_takes_as_many_as_it_can(rows: list[Row], options: ExportOptions) -> None:
    without = options.model_copy(update={"balance": False})
    there = Counter(c.kind for c in chosen(rows, without) if isinstance(c, Chosen))
    balanced = options.model_copy(update={"balance": True})
    taken = Counter(c.kind for c in chosen(rows, balanced) if isinstance(c, Chosen))
    for split in ("train", "test"):
        fewer = min(there[split, True], there[split, False])
        assert taken[split, True] == taken[split, False] == fewer


def test_a_benchmark_problem_is_listed_once_with_what_it_hit() -> None:
    benchmarks = Benchmarks()
    benchmarks.add("bench.jsonl", "bench.jsonl:7", "question 0 of HOW many apples")
    rows = [label_row(number=i) for i in range(6)]
    for options in (ExportOptions(), ExportOptions(balance=True)):
        first, second, third, *rest = chosen(rows, options, benchmarks)
        assert isinstance(first, Left)
        assert first.listed == {
            "problem_id": "p0",
            "question": "Question 0 of how many apples?",
            "rule": "exact",
            "benchmark": "bench.jsonl",
            "position": "bench.jsonl:7",
            "text": "question 0 of how many apples",
        }
        assert second == third == Left(Drop.CONTAMINATED)
        assert not any(isinstance(one, Left) and one.drop is Drop.CONTAMINATED for one in rest)


def test_what_the_format_cannot_hold_is_listed_with_field_and_fix() -> None:
    row = label_row()
    row["steps"][1] = "two\nlines"
    [found] = chosen([row], ExportOptions())
    assert isinstance(found, Left)
    assert found.drop is Drop.REFUSED
    assert found.listed is not None
    assert found.listed["solution_id"] == "s0"
    assert found.listed["field"] == "steps[1]"
    assert found.listed["fix"]


def test_the_card_has_the_figures_of_what_is_written() -> None:
    rows = [label_row((8, 8, 0, 0), number=0), label_row((8, 8, 8), number=1)]
    rows += [label_row(number=2) | {"first_error": None}]
    rows[0]["labels"][0] |= {"truncated": 2, "ungradable": 2}
    options = ExportOptions()
    tally = Tally()
    for row, found in zip(rows, chosen(rows, options), strict=True):
        tally.add(row, found)
    text = card(CardFacts("demo", "trl", {"train": "train.parquet"}, options, tally))
    for line in (
        "| dropped: first error undecided | 1 |",
        "| train | 2 | 1 | 1 | 0 | 7 |",
        "| solutions read whose first error is undecided | 33.3% |",
        "| graded rollouts a step, mean | 8.00 |",
        "| steps without a rollout of their own | 0.0% |",
        "| rollouts that ran out of tokens (truncated) | 4.8% |",
        "| rollouts that could not be graded | 4.8% |",
    ):
        assert line in text
