"""The evidence of many problems at once is the sum of each one's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.posterior.belief import Belief
from labeler.posterior.evidence import Counted, Evidence
from tests.posterior.brute import together
from tests.posterior.drawn import beliefs, models


@given(st.data())
def test_it_is_the_sum_over_the_problems(data: st.DataObject) -> None:
    model = data.draw(models).model_copy(update={"grid": 8})
    held = data.draw(st.lists(beliefs(model=st.just(model)), min_size=1, max_size=4))
    problems = [counted(belief) for belief in held]
    apart = sum(Evidence([problem]).of(model) for problem in problems)
    assert Evidence(problems).of(model) == pytest.approx(apart, abs=1e-8)


@settings(deadline=None, max_examples=30)
@given(beliefs(grid=2, most=2, steps=3))
def test_it_is_that_of_answers_and_outcomes_less_that_of_the_answers(belief: Belief) -> None:
    empty = Belief(belief.tree, belief.model)
    told = np.exp(Evidence([counted(belief)]).of(belief.model))
    assert told == pytest.approx(together(belief) / together(empty), rel=1e-6)


def counted(belief: Belief) -> Counted:
    return Counted(belief.tree, belief.n.astype(int), belief.correct.astype(int))


@given(beliefs())
def test_asking_twice_gives_the_same(belief: Belief) -> None:
    told = Evidence([counted(belief)])
    assert told.of(belief.model) == told.of(belief.model)
    empty = Counted(belief.tree, np.zeros(len(belief.n), int), np.zeros(len(belief.n), int))
    assert Evidence([empty]).of(belief.model) == 0
