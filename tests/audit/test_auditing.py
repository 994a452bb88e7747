"""Laws of whole audits: any input gives finite numbers; batches and order change nothing."""

import dataclasses
import json
import pickle
import random
from collections.abc import Iterator
from math import isfinite
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from labeler.audit.auditing import Audit, audit, compared
from labeler.audit.chains import Chains
from labeler.audit.findings import Findings, Row
from labeler.labels import Tally, believe
from labeler.labels.first_error import likeliest
from labeler.posterior import ValueModel
from tests.audit.batches import One, found, made, one, planted, row, settings, solutions


def numbers(value: Any) -> Iterator[float]:  # noqa: ANN401 - plain JSON
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from numbers(each)
    elif isinstance(value, float):
        yield value


@hypothesis(max_examples=40, deadline=None)
@given(
    st.lists(solutions(), max_size=12),
    st.sampled_from([1, 4, 64]),
    st.sampled_from([0, 3]),
    st.booleans(),
)
def test_every_number_is_finite(chains: list[One], pool: int, sample: int, has_truth: bool) -> None:
    if not has_truth:
        chains = [dataclasses.replace(s, truth=-1) for s in chains]
    findings = found([made(chains)], settings(pool, sample=sample, tokens_per_second=9.0))
    json.dumps(findings.as_dict(), allow_nan=False)
    assert all(map(isfinite, numbers(findings.as_dict())))
    for r in findings.rows:
        assert r.over > 0
        if r.low is not None and r.high is not None and r.value is not None:
            assert r.low <= r.value <= r.high
        assert r.n is None or r.n <= pool or r.reference == "value"


def same(first: Findings, second: Findings) -> None:
    assert first.run == second.run
    assert first.causes == second.causes
    assert first.cautions == second.cautions
    assert first.sentences == second.sentences
    for a, b in zip(first.rows, second.rows, strict=True):
        assert dataclasses.replace(a, value=0, low=0, high=0) == dataclasses.replace(
            b, value=0, low=0, high=0
        )
        assert _numbers(a) == pytest.approx(_numbers(b), abs=1e-9)


def _numbers(r: Row) -> list[float]:
    return [-1.0 if x is None else x for x in (r.value, r.low, r.high)]


@pytest.mark.parametrize("seed", range(3))
def test_batches_and_order_do_not_matter(seed: int) -> None:
    every = list(planted(seed, problems=20, pool=8, per=3).solutions)
    names = {id(s): f"{s.problem}-{i % 3}" for i, s in enumerate(every)}
    wanted = settings(8, sample=12)
    whole = found([_named(every, names)], wanted)
    luck = random.Random(seed)
    problems = sorted({s.problem for s in every})
    luck.shuffle(problems)
    parts = Audit(wanted, at_once=40)
    for start in range(0, len(problems), 3):
        part = [s for s in every if s.problem in problems[start : start + 3]]
        luck.shuffle(part)
        parts.add(_named(part, names))
    same(whole, parts.findings({"name": "test"}))


def _named(chosen: list[One], names: dict[int, str]) -> Chains:
    return dataclasses.replace(made(chosen), solution_ids=tuple(names[id(s)] for s in chosen))


def test_the_posterior_rule_is_that_of_the_labels() -> None:
    """Drawn from a pool as large as N, the labels of the log come out."""
    world = planted(5, problems=12, pool=6)
    findings = found([world.chains], settings(6, sample=100, grid=(6,)))
    hits = over = undecided = 0
    for problem in sorted({s.problem for s in world.solutions}):
        mine = [s for s in world.solutions if s.problem == problem]
        keys = [["root", *(f"{i}-{k}" for k in range(1, len(s.n)))] for i, s in enumerate(mine)]
        tallies = {
            key: Tally(6, c)
            for path, s in zip(keys, mine, strict=True)
            for key, c in zip(path, s.correct, strict=True)
        }
        own = [bool(s.right) for s in mine]
        beliefs = believe(keys, own, tallies, ValueModel(), 0.95)
        for s, belief in zip(mine, beliefs, strict=True):
            if not s.right:
                first = likeliest(belief, len(s.n), 0.5, 0.95).first_error
                over += 1
                hits += first == s.truth
                undecided += first is None
    exact = row(findings, "located_exact", "truth", rule="posterior", n=6)
    assert (exact.value, exact.over) == (pytest.approx(hits / over), over)
    left = row(findings, "located_undecided", "truth", rule="posterior", n=6)
    assert left.value == pytest.approx(undecided / over)


def test_held_out_rollouts_judge_beliefs() -> None:
    """Each bin holds what was said of it, and what the other rollouts say is near."""
    findings = found([planted(1, problems=60, pool=32).chains], settings(32, sample=80, grid=(8,)))
    hits = [r for r in findings.rows if r.measure == "calibration" and r.reference == "pool"]
    said = [r for r in findings.rows if r.measure == "calibration_said" and r.reference == "pool"]
    assert len(hits) == len(said) > 5
    for hit, claim in zip(hits, said, strict=True):
        low, high = map(float, hit.group.removeprefix("bin=").split("-"))
        assert claim.value is not None
        assert hit.value is not None
        assert low <= claim.value <= high
        assert hit.over < 20 or abs(hit.value - claim.value) < 0.15


def test_confidence_of_the_labels_is_checked() -> None:
    chains = [
        one(f"p{i}", (2, [1, 0]), truth=1, located=1 + i % 2, confidence=0.75) for i in range(6)
    ]
    findings = found([made(chains)], settings(2))
    hit = row(findings, "calibration", "truth", rule="labels", group="bin=0.7-0.8")
    assert (hit.value, hit.over) == (0.5, 6)


def test_two_runs_are_compared_problem_by_problem() -> None:
    """The same chains differ by nothing; more of the same luck leaves less than either interval."""
    world = planted(2, problems=80, pool=16)
    first = audit([world.chains], settings(16))
    again = audit([world.chains], settings(16))
    assert all(c.difference == 0 and c.low in (0, None) for c in compared(first, again))
    halved = [dataclasses.replace(s, correct=[c // 2 for c in s.correct]) for s in world.solutions]
    second = audit([made(halved)], settings(16))
    [paired] = [
        c for c in compared(first, second) if c.first.measure == "zero_share" and c.first.n == 4
    ]
    assert paired.difference == pytest.approx(paired.second.value - paired.first.value)
    assert paired.low is not None
    assert paired.low > 0
    assert paired.high - paired.low < paired.first.high - paired.first.low
    smaller = compared(first, audit([world.chains], settings(8)))
    assert {c.first.measure for c in smaller if c.first.reference == "pool"} == {"zero_share"}
    with pytest.raises(ValueError, match="seed"):
        compared(first, audit([world.chains], settings(16, seed=1)))


def test_a_crowded_problem_is_left_out_of_the_sample() -> None:
    """Beliefs about thousands of solutions at once take time by the square."""
    crowd = [one("crowd", (4, [3, 0])) for _ in range(30)]
    few = [one(f"p{i}", (4, [3, 0])) for i in range(6)]
    findings = found([made([*crowd, *few])], settings(4, sample=20))
    [row] = [r for r in findings.rows if r.rule == "posterior" and r.measure == "located_exact"
             and r.n == 2]  # fmt: skip
    assert row.over <= 6
    assert any("more than 20 solutions" in said for said in findings.cautions)


def test_nothing_is_added_after_findings() -> None:
    made_up = audit([planted(0, 5, 4).chains], settings(4))
    made_up.findings({})
    with pytest.raises(ValueError, match="already"):
        made_up.add(planted(1, 5, 4).chains)


def test_a_long_stream_keeps_little() -> None:
    """What an audit holds is hardly more after three times as many batches."""
    made_up = Audit(settings(4, sample=10), at_once=1)
    sizes = []
    for i in range(12):
        chains = planted(i, problems=10, pool=4).chains
        names = tuple(f"{i}{p}" for p in chains.problem_ids)
        made_up.add(dataclasses.replace(chains, problem_ids=names))
        sizes.append(len(pickle.dumps(made_up)))
    assert sizes[11] < 1.05 * sizes[3]


def test_groups_are_told_apart() -> None:
    findings = found([planted(0, 40, 8).chains], settings(8))
    parts = [row(findings, "trace_error", "truth", group=f"generator={g}") for g in "ab"]
    whole = row(findings, "trace_error", "truth")
    assert sum(p.over for p in parts) == whole.over
    assert np.average([p.value for p in parts], weights=[p.over for p in parts]) == pytest.approx(
        whole.value
    )
    assert not [r for r in findings.rows if "source=" in r.group]


def test_prefixes_of_different_batches_are_different() -> None:
    """Whatever their keys are."""
    chains = dataclasses.replace(made([one("p", (4, [2, 0]))]), keys=np.array([2**62, -5]))
    other = dataclasses.replace(chains, problem_ids=("q",), solution_ids=("q-0",))
    findings = found([chains, other], settings(4))
    assert findings.run["prefixes"] == 4


@pytest.mark.parametrize(
    "change",
    [
        {"first": np.array([0, 3])},
        {"first": np.array([0, 0, 2])},
        {"right": np.array([0, 0])},
        {"keys": np.array([1])},
        {"confidence": np.array([])},
    ],
)
def test_chains_fit_together(change: dict[str, np.ndarray]) -> None:
    with pytest.raises(ValueError, match=r"entries|start at 0"):
        dataclasses.replace(made([one("p", (4, [2, 0]))]), **change)
