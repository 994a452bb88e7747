"""The card and its counts add up."""

from dataclasses import replace

import pytest
import yaml

from labeler.files import RunDir
from labeler.shards import (
    Facts,
    LabelCounts,
    card,
    count_labels,
    publish,
    write_card,
    write_labels,
)
from tests.shards.staged import row, stage

# -- counts and card ------------------------------------------------------------------------


def test_counts_add_up_over_files(run: RunDir) -> None:
    rows = [row("a"), row("b", is_correct=True, first_error=0), row("c", None, None), row("d")]
    write_labels(run.staged / "1.parquet", rows[:1], "")
    write_labels(run.staged / "2.parquet", rows[1:], "")
    write_labels(run.staged / "3.parquet", [], "")
    found = count_labels(sorted(run.staged.iterdir()))
    assert found == LabelCounts(
        solutions=4,
        right=1,
        wrong=2,
        steps=8,
        targets={"true": 4, "false": 4},
        bases={"measured": 8},
        first_errors={2: 2, 0: 1, None: 1},
        rollouts=68,
        tokens=680,
        step_rollouts=4 * 9,
        truncated=8,
        ungradable=4,
    )
    assert found.share(found.truncated) == pytest.approx(8 / 36)
    assert count_labels([]) == LabelCounts()


def facts(counts: LabelCounts) -> Facts:
    return Facts(
        name="demo",
        counts=counts,
        rows_in=10,
        policy="exhaustive",
        n=8,
        completer="abc",
        grader="v1",
        sampling={"temperature": 0.7},
        quarantined={"no gold": 3},
        failed=3,
    )


def test_the_card_says_what_became_of_the_rows(run: RunDir) -> None:
    publish(run, {"labels": stage(run, "a", "b", "c", "d")})
    write_card(run, facts(count_labels(sorted(run.labels.iterdir()))))
    text = run.card.read_text(encoding="utf-8")
    front = yaml.safe_load(text.split("---")[1])
    assert front["configs"][0]["data_files"] == [{"split": "train", "path": "labels/*.parquet"}]
    assert front["size_categories"] == ["n<1K"]
    assert "license" not in front
    for line in (
        "| rows in | 10 |",
        "| labelled | 4 |",
        "| quarantined: no gold | 3 |",
        "| failed | 3 |",
        "| target true | 4 (50.0%) |",
        "| step 2 | 4 (100.0%) |",
        "| truncated | 22.2% |",
    ):
        assert line in text
    assert "**Warning:** 22.2% of rollouts ran out of tokens" in text


def test_the_card_warns_above_five_percent_only() -> None:
    quiet = card(facts(LabelCounts(step_rollouts=100, truncated=5, ungradable=5)))
    assert "Warning" not in quiet
    loud = card(facts(LabelCounts(step_rollouts=100, truncated=5, ungradable=6)))
    assert "6.0% of rollouts could not be graded" in loud


def test_the_card_explains_the_columns_that_were_asked_for() -> None:
    plain = card(facts(LabelCounts()))
    assert not any(word in plain for word in ("provers", "`rating`", "`weighted`"))
    told = {"hot": "`abc`, 8 rollouts a prefix", "hot/best_of_4": "Best-of-4 of hot"}
    text = card(replace(facts(LabelCounts()), provers=told, neutral=0.1, weighted=True))
    assert "| hot/best_of_4 | Best-of-4 of hot |" in text
    assert "lies within 0.1 of zero" in text
    assert "`weighted` is" in text


def test_a_card_without_labels_still_reads() -> None:
    assert "| labelled | 0 |" in card(facts(LabelCounts()))
