"""A verifier scores every prefix, and names the first one that it finds wrong."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.judging import Judged, Judgement, Round, Saying, Verifier, first_below
from labeler.model import Ask, Finish, Rollout
from labeler.prompts import PromptConfig
from labeler.samplers.choices import as_text

STEPS = ("one", "two", "three")
SCORES = st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=8)


def rollout(ask: Ask, index: int, text: str, finish: Finish = Finish.STOP) -> Rollout:
    return Rollout(ask.prefix.key, 0, index, "j", 0, text, finish, 1, 1, 0.0)


def scored(p: float | None) -> str:
    import math

    return as_text({} if p is None else {"Yes": math.log(p), "No": math.log(1 - p)})


def drive(judgement: Judgement, replies: list[list[list[Rollout]]]) -> Judged:
    try:
        next(judgement)
        for reply in replies:
            judgement.send(reply)
    except StopIteration as done:
        found: Judged = done.value
        return found
    raise AssertionError("it wants more")


def judged(scores: Sequence[float | None], threshold: float = 0.5) -> Judged:
    asking = Verifier().judgement("Q?", STEPS[: len(scores)], PromptConfig(), threshold)
    asks = next(Verifier().judgement("Q?", STEPS[: len(scores)], PromptConfig(), threshold)).asks
    told = [[rollout(a, 0, scored(p))] for a, p in zip(asks, scores, strict=True)]
    return drive(asking, [told])


@given(SCORES, st.floats(0.01, 0.99))
def test_the_first_score_below_the_threshold_names(scores: list[float | None], at: float) -> None:
    named = first_below(scores, at)
    low = [k for k, s in enumerate(scores, 1) if s is not None and s < at]
    unknown = [k for k, s in enumerate(scores, 1) if s is None]
    if named is None:
        assert unknown
        assert not low or min(unknown) < min(low)
    else:
        assert named == (min(low) if low else 0)
        assert not unknown or (named and named < min(unknown))


def test_every_prefix_is_asked_of_at_once() -> None:
    verifier = Verifier()
    asked = next(verifier.judgement("Q?", STEPS, PromptConfig(), 0.5))
    assert asked.chosen
    assert [a.n for a in asked.asks] == [1, 1, 1]
    for k, ask in enumerate(asked.asks, 1):
        assert [f"Step {j}: {STEPS[j - 1]}" in ask.prefix.question for j in (1, 2, 3)] == [
            j <= k for j in (1, 2, 3)
        ]
        assert ask.prefix.text == ""
    assert verifier.calls(3) == 3


def test_what_scores_come_to() -> None:
    assert judged([0.9, 0.3, 0.1]).first_error == 2
    assert judged([0.9, 0.8, 0.6]).first_error == 0
    assert judged([0.9, 0.8, 0.6], threshold=0.7).first_error == 3
    assert judged([0.9, None, 0.1]).saying is Saying.UNPARSED
    assert judged([0.1, None, 0.1]).first_error == 1
    assert [a.score for a in judged([0.9, None]).answers] == [pytest.approx(0.9), None]


def test_chains_are_averaged_and_cut_ones_left_out() -> None:
    verifier = Verifier(chains=2)
    asking = verifier.judgement("Q?", STEPS[:2], PromptConfig(), 0.5)
    first = next(asking)
    assert (first.chosen, [a.n for a in first.asks]) == (False, [2, 2])
    a, b = first.asks
    chains = [
        [rollout(a, 0, "fine"), rollout(a, 1, "hm")],
        [rollout(b, 0, "wrong"), rollout(b, 1, "cut of", Finish.LENGTH)],
    ]
    second = asking.send(chains)
    assert second.chosen
    assert [ask.prefix.text for ask in second.asks] == [
        t + verifier.cue for t in ("fine", "hm", "wrong")
    ]
    assert [ask.prefix.question for ask in second.asks] == [a.prefix.question] * 2 + [
        b.prefix.question
    ]
    told = [
        [rollout(ask, 0, scored(p))] for ask, p in zip(second.asks, (0.9, 0.3, 0.1), strict=True)
    ]
    with pytest.raises(StopIteration) as done:
        asking.send(told)
    found = done.value.value
    assert found.first_error == 2  # .6 and .1
    assert [(a.step, a.text, a.finish.value) for a in found.answers] == [
        (1, "fine", "stop"),
        (1, "hm", "stop"),
        (2, "wrong", "stop"),
        (2, "cut of", "length"),
    ]
    assert [a.score for a in found.answers] == [pytest.approx(p) for p in (0.9, 0.3, 0.1, None)]


def test_chains_that_are_all_cut_off_were_asked_for_all_the_same() -> None:
    asking = Verifier(chains=1).judgement("Q?", STEPS[:1], PromptConfig(), 0.5)
    [ask] = next(Verifier(chains=1).judgement("Q?", STEPS[:1], PromptConfig(), 0.5)).asks
    found = drive(asking, [[[rollout(ask, 0, "cut of", Finish.LENGTH)]], []])
    assert found.saying is Saying.UNPARSED
    assert [a.text for a in found.answers] == ["cut of"]


def test_chains_without_their_choice_are_incomplete() -> None:
    asking = Verifier(chains=1).judgement("Q?", STEPS[:1], PromptConfig(), 0.5)
    [ask] = next(Verifier(chains=1).judgement("Q?", STEPS[:1], PromptConfig(), 0.5)).asks
    assert drive(asking, [[[rollout(ask, 0, "fine")]], [[]]]).saying is Saying.INCOMPLETE


def test_a_cut_chain_has_no_score_even_where_a_whole_one_says_the_same() -> None:
    asking = Verifier(chains=2).judgement("Q?", STEPS[:1], PromptConfig(), 0.5)
    [ask] = next(Verifier(chains=2).judgement("Q?", STEPS[:1], PromptConfig(), 0.5)).asks
    chains = [rollout(ask, 0, "so"), rollout(ask, 1, "so", Finish.LENGTH)]
    found = drive(asking, [[chains], [[rollout(ask, 0, scored(0.9))]]])
    assert [a.score for a in found.answers] == [pytest.approx(0.9), None]


def test_it_is_asked_for_the_answers_that_it_chooses_between() -> None:
    plain, letters = Verifier(), Verifier(yes="Y", no="N")
    assert "one word, Yes or No." in plain.text
    assert letters.text == plain.text.replace("Yes or No", "Y or N")
    assert letters.cue == "\n\nIs every step right? Y or N?\n"
    own = Verifier(yes="Y", no="N", text="{question} {steps}", cue="Yes or No?")
    assert (own.text, own.cue) == ("{question} {steps}", "Yes or No?")


def test_a_judge_is_named_by_what_it_is_shown() -> None:
    text, prompt = "{question} {steps}", PromptConfig()
    names = {
        (chains, cue): Verifier(text=text, chains=chains, cue=cue).name(["c"], prompt)
        for chains in (0, 1, 2)
        for cue in ("a", "b")
    }
    assert names[0, "a"] == names[0, "b"]  # without chains nobody sees the cue
    assert names[1, "a"] == names[2, "a"]
    assert len(set(names.values())) == 3


def test_with_something_missing_nothing_is_named() -> None:
    one = Verifier().judgement("Q?", STEPS[:2], PromptConfig(), 0.5)
    asks = next(Verifier().judgement("Q?", STEPS[:2], PromptConfig(), 0.5)).asks
    found = drive(one, [[[rollout(asks[0], 0, scored(0.1))], []]])
    assert (found.saying, found.first_error) == (Saying.INCOMPLETE, None)
    none = drive(Verifier().judgement("Q?", STEPS[:2], PromptConfig(), 0.5), [[[], []]])
    assert none.saying is Saying.NOT_ASKED
    chained = Verifier(chains=1).judgement("Q?", STEPS[:2], PromptConfig(), 0.5)
    assert drive(chained, [[[], []], []]).saying is Saying.NOT_ASKED


def test_the_prompt_goes_with_the_chains() -> None:
    assert Verifier().text != Verifier(chains=1).text
    assert Verifier(chains=1, text="{question} {steps}").text == "{question} {steps}"
    assert isinstance(next(Verifier(chains=1).judgement("Q?", STEPS, PromptConfig(), 0.5)), Round)
