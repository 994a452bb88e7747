"""What an export is asked for: options that a format has, or has not, a place for."""

from collections import Counter
from pathlib import Path

import pytest

from labeler.apps.export import ExportWish, export
from labeler.apps.export.settings import format_of, options_of
from labeler.apps.label import label
from labeler.apps.validate import ValidateWish, validate
from labeler.config import ConfigError
from labeler.formats import FORMATS, TAGGED, Orm, Row, Trl
from labeler.model import LabelerError
from tests.apps.export.exports import exported, wish
from tests.processes import finished
from tests.runs import label_rows


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
        ("processbench", {"after_error": "hard"}, "holds no labels of steps"),
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
