"""The shipped model, served by vLLM: in the band that the testbed is made for."""

import pytest

from labeler.testbed import measure
from labeler.testbed.problems import load
from labeler.testbed.report import Request, Sampler
from labeler.testbed.truth import split
from tests.conftest import ROOT

TESTBED = ROOT / "data" / "testbed"


@pytest.mark.engine
def test_the_model_solves_some_problems_and_errs_on_others() -> None:
    sampler = Sampler(TESTBED / "model", 256)
    problems = load(TESTBED / "problems.jsonl")[:120]
    made = sampler.complete([Request(problem, (), 0) for problem in problems])
    solutions = [measure.judged(c.request.problem, c.text) for c in made]
    assert 0.35 <= sum(s.solved for s in solutions) / len(solutions) <= 0.85
    assert len({s.errors.state for s in solutions}) >= 4
    assert sum(c.finished for c in made) >= 0.98 * len(made)

    gold = [Request(p, split(p.solution)[:-1], 0) for p in problems]
    finished = [measure.judged(c.request.problem, c.solution) for c in sampler.complete(gold)]
    assert sum(s.solved for s in finished) >= 0.9 * len(finished)
