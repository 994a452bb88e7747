"""How likely each of a few answers is: shares of two, and tokens that are answers."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.model import Completion, Finish, LabelerError
from labeler.prompts import load_tokenizer
from labeler.samplers.choices import as_text, chosen, ids_of, logprob, share
from tests.tiny_model import write_tokenizer

LOGPROB = st.floats(-1e4, 0)


@given(LOGPROB, LOGPROB)
def test_two_shares_make_one_whole(a: float, b: float) -> None:
    text = as_text({"Yes": a, "No": b})
    yes, no = share(text, "Yes", "No"), share(text, "No", "Yes")
    assert yes is not None
    assert no is not None
    assert math.isclose(yes + no, 1.0)
    assert (yes > 0.5) == (a > b) or math.isclose(a, b, abs_tol=1e-9)
    if max(a, b) - min(a, b) < 100:
        assert yes == pytest.approx(
            math.exp(a - max(a, b)) / sum(math.exp(x - max(a, b)) for x in (a, b))
        )


def test_an_answer_that_cannot_be_given_has_no_share() -> None:
    assert share('{"Yes": -Infinity, "No": -0.1}', "Yes", "No") == pytest.approx(0.0)
    assert share('{"Yes": -0.1, "No": -Infinity}', "Yes", "No") == 1.0


@pytest.mark.parametrize(
    "text",
    ["", "Yes", "[]", "null", '{"Yes": -0.1}', '{"Yes": "x", "No": 0}', '{"Yes": null, "No": 0}',
     '{"Yes": NaN, "No": 0}', '{"Yes": 2.5, "No": 0}', '{"Yes": true, "No": false}',
     '{"Yes": "-0.1", "No": "-2"}', '{"Yes": Infinity, "No": 0}',
     '{"Yes": -Infinity, "No": -Infinity}'],
)  # fmt: skip
def test_what_was_not_told_is_not_made_up(text: str) -> None:
    assert share(text, "Yes", "No") is None


@pytest.mark.parametrize(
    ("value", "known"),
    [(-0.5, -0.5), (0, 0.0), (1e-6, 1e-6), (-math.inf, -math.inf), (None, None), (math.nan, None)],
)
def test_a_log_probability(value: object, known: float | None) -> None:
    assert logprob(value) == known


@pytest.mark.parametrize("value", ["-0.1", True, 0.5, math.inf, [], {}, -(10**400)])
def test_what_is_no_log_probability(value: object) -> None:
    with pytest.raises(ValueError, match="log probability"):
        logprob(value)


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert share(text, "Yes", "No") is None or json.loads(text)


def test_a_choice_is_one_token_of_its_own(tmp_path: Path) -> None:
    tokenizer = load_tokenizer(write_tokenizer(tmp_path))
    found = ids_of(tokenizer, ("Y", "N"))
    assert [tokenizer.decode([i]) for i in found.values()] == ["Y", "N"]
    for wrong in (("Yes", "No"), ("Y", "Y"), ("", "Y")):
        with pytest.raises(LabelerError, match="no token of its own"):
            ids_of(tokenizer, wrong)


def test_a_completion_says_what_the_engine_told() -> None:
    ids = {"Yes": 7, "No": 9}
    told = Completion("x", Finish.LENGTH, 1, 5, 3, {7: -0.5, 9: -1.5})
    assert chosen(told, ids) == Completion('{"Yes": -0.5, "No": -1.5}', Finish.STOP, 1, 5, 3)
    half = chosen(Completion("x", Finish.LENGTH, 1, 5, 3, {7: -0.5}), ids)
    assert share(half.text, "Yes", "No") is None
    failed = Completion("refused", Finish.ERROR, 0, 5)
    assert chosen(failed, ids) == failed
