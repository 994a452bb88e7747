"""Benchmark problems are found: the same words, or thirteen in a row; nothing else is."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from labeler.apps.export.benchmarks import read_benchmarks
from labeler.exporting import Benchmarks
from labeler.exporting.overlap import words

WORDS = st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), min_size=1, max_size=40)


def benchmarks(*questions: str) -> Benchmarks:
    found = Benchmarks()
    for i, question in enumerate(questions):
        assert found.add("bench.jsonl", f"bench.jsonl:{i + 1}", question)
    return found


def test_words_are_folded() -> None:
    assert words("Ａ \\frac{1}{2} of 3.5 apples, naïve_x?") == [
        "a", "frac", "1", "2", "of", "3", "5", "apples", "naïve", "x",
    ]  # fmt: skip
    assert words("一个 cat、ひ") == ["一", "个", "cat", "ひ"]


def test_the_same_words_are_the_same_question() -> None:
    hit = benchmarks("What is 2?", "What is $\\frac{1}{2}$ ?").hit("WHAT is \\frac{1}{2}")
    assert hit is not None
    assert (hit.rule, hit.position, hit.text) == ("exact", "bench.jsonl:2", "what is frac 1 2")


@given(WORDS, WORDS, WORDS)
def test_thirteen_words_in_a_row_and_not_twelve(
    shared: list[str], before: list[str], after: list[str]
) -> None:
    """Words of one side only are upper case with a mark, so that just `shared` is common."""
    found = benchmarks(" ".join(["one1", *shared, "two2"]))
    hit = found.hit(" ".join([*(f"{w}x" for w in before), *shared, *(f"{w}x" for w in after)]))
    assert (hit is not None) == (len(shared) >= 13)
    if hit is not None:
        assert hit.rule == "13-gram"
        assert hit.text in " ".join(shared)


def test_chinese_is_cut_into_characters() -> None:
    question = "小明有三个苹果他又买了五个苹果一共有几个"
    hit = benchmarks(f"题目{question}").hit(f"请问{question}呢")
    assert hit is not None
    assert hit.rule == "13-gram"


def test_known_overlaps_of_public_benchmarks(shared_data: Path) -> None:
    """ProcessBench took its problems from these: all of GSM8K's, 112 of 1,000 in MATH-500."""
    found, counts = read_benchmarks(
        [shared_data / "gsm8k_test.jsonl", shared_data / "math500.jsonl"]
    )
    assert counts == {"gsm8k_test.jsonl": 1319, "math500.jsonl": 500}
    for name, exact in (("gsm8k", 400), ("math", 112)):
        rows = json.loads((shared_data / f"processbench_{name}.json").read_text())
        hits = [found.hit(row["problem"]) for row in rows]
        assert sum(hit is not None and hit.rule == "exact" for hit in hits) == exact


def test_a_question_without_words_overlaps_nothing() -> None:
    found = Benchmarks()
    assert not found.add("b", "b:1", "?? !!")
    assert found.hit("?? !!") is None
    assert len(found) == 0
