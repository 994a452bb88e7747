"""What findings say: the pool, cautions, causes, advice."""

import pytest

from labeler.audit.auditing import audit
from labeler.audit.findings import Disagreed, Option
from labeler.audit.settings import pool_size
from tests.audit.batches import One, found, made, one, planted, settings


@pytest.mark.parametrize(
    ("counts", "pool"),
    [
        ({64: 90, 8: 10}, 64),
        ({64: 10, 8: 90}, 8),
        ({64: 120, 8: 900}, 64),
        ({64: 120, 8: 90000}, 8),
        ({0: 900, 16: 5}, 16),
        ({9: 50, 8: 40, 3: 10}, 8),
        ({4096: 3}, 512),
        ({}, 1),
    ],
)
def test_the_pool_is_what_most_prefixes_or_a_pilot_reach(counts: dict[int, int], pool: int) -> None:
    assert pool_size(counts) == pool


def test_where_outcomes_chose_who_has_many_rollouts_these_are_no_pilot() -> None:
    assert pool_size({64: 120, 8: 900}, stops_early=True) == 8


@pytest.mark.parametrize(
    ("chains", "pool", "caution"),
    [
        ([], 8, "no solution"),
        ([one("p", (4, [2, 1]))], 8, "No prefix has 8 rollouts"),
        ([one("p", (4, [2, 1]))], 4, "one problem"),
        ([one("p", (4, [2, 1]))], 4, "hardly better"),
        ([one("p", (4, [2, 1]))], 4, "no truth"),
        ([one("p", (4, [0, 0]), truth=1)], 4, "No rollout reached"),
        ([one("p", (4, [4, 4]), right=1)], 4, "No solution has a wrong answer"),
        ([One("p", [4, 4, 1], [1, 1, 1])], 4, "1 of 3 rolled-out prefixes have fewer"),
        ([One("p", [4, 4, 1], [1, 1, 1])], 4, "at each of its steps"),
        ([One("p", [4, 4, 1], [1, 1, 1]), one("q", (4, [1, 0]))], 4, "the 1 of 2 solutions"),
        ([One("p", [4, 0, 4], [1, 0, 1])], 4, "prefixes behind steps 1 were not rolled out"),
        ([one("p", (9, [2, 1]))], 4, "larger pool"),
        ([one("p", (4, [2, 1]))], 4, "of 100 and 200, which were asked for"),
    ],
)
def test_what_cannot_be_concluded_is_said(chains: list[One], pool: int, caution: str) -> None:
    findings = found([made(chains)] if chains else [], settings(pool, grid=(1, 100, 200)))
    assert any(caution in said for said in findings.cautions)
    assert all(r.low is None for r in findings.rows)


def test_where_outcomes_chose_a_larger_pool_is_no_better() -> None:
    findings = found([made([one("p", (9, [2, 1]))])], settings(4, stops_early=True))
    assert any("stopped by outcomes" in said for said in findings.cautions)
    assert not any("--pool" in said for said in findings.cautions)


def test_one_rollout_a_prefix_does_not_tell_how_many_are_needed() -> None:
    """How alike two rollouts of a prefix are cannot be seen: no model goes beyond."""
    findings = found([made([one(f"p{i}", (1, [1, i % 2, 0])) for i in range(40)])], settings(1))
    assert findings.advice is not None
    assert findings.advice.n is None
    assert [step.flips for step in findings.advice.doublings] == [None]
    assert "does not tell how many" in findings.sentences[-1]
    assert not [row for row in findings.rows if (row.n or 0) > 1]


def test_examples_and_costs_count_shared_prefixes_once() -> None:
    """Two solutions share the bare question: three prefixes, 12 rollouts."""
    chains = [
        one("p", (4, [2, 0]), truth=0, right=1),
        one("p", (4, [2, 3]), truth=1),
    ]
    made_up = audit([made(chains, tokens=10)], settings(4, tokens_per_second=1.0, max_flip=0.9))
    findings = made_up.findings({}, disagreed=Disagreed(2, 7))
    assert (findings.run["prefixes"], findings.run["rollouts"]) == (3, 12)
    assert findings.advice is not None
    assert (findings.advice.n, findings.advice.rollouts, findings.advice.tokens) == (1, 3, 30)
    assert findings.advice.engine_hours == pytest.approx(30 / 3600)
    causes = {c.name: (c.count, c.of) for c in findings.causes}
    assert causes["weak_completer"] == (1, 1)
    assert causes["recovery"] == (1, 1)
    assert causes["truncation"] == (2 // 2 + 4 // 2 + 0, 12)
    assert causes["grader_disagreement"] == (2, 7)
    [weak] = [c for c in findings.causes if c.name == "weak_completer"]
    assert [(e.solution_id, e.step, e.correct) for e in weak.examples] == [("p-0", 1, 0)]


def test_the_cheapest_policy_that_reaches_the_error_is_chosen() -> None:
    world = planted(3, problems=40, pool=32)
    made_up = audit([world.chains], settings(32, max_flip=0.5))
    before = made_up.findings({}).advice
    assert before is not None
    good = [o for o in before.options if o.error <= 0.5]
    assert before.choice == min(good, key=lambda o: o.tokens)
    cheap = Option("adaptive", 32, 0.9, "truth", 0.1, None, None, 1.0, 1.0)
    after = made_up.findings({}, further=[cheap]).advice
    assert after is not None
    assert after.choice == cheap


def test_advice_is_the_smallest_number_measured_or_modelled() -> None:
    world = planted(4, problems=80, pool=16)
    for goal in (0.2, 0.05, 0.004):
        findings = found([world.chains], settings(16, max_flip=goal))
        advice = findings.advice
        assert advice is not None
        flips = {
            r.n: r.value
            for r in findings.rows
            if (r.measure, r.reference) == ("hard_wrong", "pool")
        }
        within = [n for n, flip in flips.items() if flip <= goal and 2 * n <= 16]
        if within:
            assert (advice.n, advice.is_modelled) == (min(within), False)
        else:
            assert advice.n is None or (advice.is_modelled and advice.n > 8)
