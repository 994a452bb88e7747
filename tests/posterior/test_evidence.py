"""The evidence of many problems at once is the sum of each one's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.posterior.belief import Belief
from labeler.posterior.evidence import Counted, Evidence
from tests.posterior.drawn import beliefs, models


@given(st.data())
def test_it_is_the_sum_over_the_problems(data: st.DataObject) -> None:
    model = data.draw(models).model_copy(update={"grid": 8})
    held = data.draw(st.lists(beliefs(model=st.just(model)), min_size=1, max_size=4))
    problems = [counted(belief) for belief in held]
    together = sum(belief.evidence() for belief in held)
    assert Evidence(problems).of(model) == pytest.approx(together, abs=1e-8)


def counted(belief: Belief) -> Counted:
    return Counted(belief.tree, belief.n.astype(int), belief.correct.astype(int))


@given(beliefs())
def test_asking_twice_gives_the_same(belief: Belief) -> None:
    told = Evidence([counted(belief)])
    assert told.of(belief.model) == told.of(belief.model)
    empty = Counted(belief.tree, np.zeros(len(belief.n), int), np.zeros(len(belief.n), int))
    assert Evidence([empty]).of(belief.model) == 0
