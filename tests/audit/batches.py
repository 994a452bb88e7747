"""Chains from counts, and a planted world of them.

    made([one("p", (4, [3, 1, 0]), truth=2)])      # 4 rollouts of each prefix, so many correct

World: the value of a prefix walks on the log odds; the first wrong step makes it zero, or what luck
mends.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from labeler.audit.auditing import audit
from labeler.audit.chains import Chains
from labeler.audit.findings import Findings, Row
from labeler.audit.settings import AuditSettings


@dataclass(frozen=True)
class One:
    """One solution."""

    problem: str
    n: Sequence[int]
    correct: Sequence[int]
    right: int = 0
    truth: int = -1
    located: int = -1
    generator: str = "a"
    confidence: float = np.nan


def one(problem: str, counts: tuple[int, Sequence[int]], **more: object) -> One:
    n, correct = counts
    return One(problem, [n] * len(correct), correct, **more)  # type: ignore[arg-type]


def made(solutions: Sequence[One], tokens: int = 10) -> Chains:
    """A batch; solutions of a problem share their bare question's rollouts."""
    n = np.array([x for s in solutions for x in s.n], dtype=np.int32)
    correct = np.array([x for s in solutions for x in s.correct], dtype=np.int32)
    keys, roots = [], {}
    for s in solutions:
        for k in range(len(s.n)):
            fresh = len(keys) + len(solutions)
            keys.append(fresh if k else roots.setdefault(s.problem, fresh))
    seen: dict[str, int] = {}
    names = []
    for s in solutions:
        seen[s.problem] = seen.get(s.problem, -1) + 1
        names.append(f"{s.problem}-{seen[s.problem]}")
    return Chains(
        problem_ids=tuple(s.problem for s in solutions),
        solution_ids=tuple(names),
        sources=("made up",) * len(solutions),
        generators=tuple(s.generator for s in solutions),
        right=np.array([s.right for s in solutions], dtype=np.int8),
        first=np.cumsum([0, *(len(s.n) for s in solutions)]),
        n=n,
        correct=correct,
        truncated=(n - correct) // 2,
        ungradable=np.zeros_like(n),
        tokens=n.astype(np.int64) * tokens,
        keys=np.array(keys, dtype=np.int64),
        truth=np.array([s.truth for s in solutions], dtype=np.int32),
        located=np.array([s.located for s in solutions], dtype=np.int32),
        confidence=np.array([s.confidence for s in solutions]),
    )


@dataclass(frozen=True)
class World:
    """A planted world's chains, and the value of each of their prefixes."""

    solutions: tuple[One, ...]
    values: tuple[np.ndarray, ...]

    @property
    def chains(self) -> Chains:
        return made(self.solutions)

    @property
    def steps(self) -> np.ndarray:
        """The values of all prefixes 1..K-1."""
        return np.concatenate([v[1:] for v in self.values])


def planted(seed: int, problems: int, pool: int, per: int = 2) -> World:
    luck = np.random.default_rng(seed)
    solutions, values = [], []
    for p in range(problems):
        start = luck.beta(2, 2)
        root = luck.binomial(pool, start)
        for _ in range(per):
            steps = int(luck.integers(2, 8))
            error = int(luck.integers(1, steps + 1)) if luck.random() < 0.6 else 0
            odds = np.log(start / (1 - start)) + np.cumsum(luck.normal(0, 0.5, steps - 1))
            value = 1 / (1 + np.exp(-odds))
            mended = 0.3 * value * (luck.random() < 0.4)
            if error:
                value = np.where(np.arange(1, steps) >= error, mended, value)
            correct = [int(root), *luck.binomial(pool, value).tolist()]
            right = int(not error or luck.random() < 0.1)
            values.append(np.array([start, *value]))
            counts = pool, correct
            generator = "ab"[len(solutions) % 2]
            solutions.append(
                one(f"p{p}", counts, right=right, truth=error, located=error, generator=generator)
            )
    return World(tuple(solutions), tuple(values))


def settings(pool: int, **more: object) -> AuditSettings:
    return AuditSettings(pool=pool, **{"sample": 0, **more})  # type: ignore[arg-type]


@st.composite
def solutions(draw: st.DrawFn, pool: int = 4, most: int = 4) -> One:
    """Any solution, of ragged pools, with whatever truth; an unseen prefix among them."""
    steps = draw(st.integers(1, most))
    n = draw(
        st.lists(st.sampled_from([0, 1, pool, pool, pool + 2]), min_size=steps, max_size=steps)
    )
    correct = [draw(st.sampled_from([0, x // 2, x])) for x in n]
    error = st.integers(-1, steps)
    return One(
        problem=draw(st.sampled_from(["p", "q", "r", "s", "t", "u"])),
        n=n,
        correct=correct,
        right=draw(st.integers(-1, 1)),
        truth=draw(error),
        located=draw(error),
        generator=draw(st.sampled_from(["a", "b"])),
        confidence=draw(st.sampled_from([0.3, 1.0, float("nan")])),
    )


def found(chains: Sequence[Chains], wanted: AuditSettings) -> Findings:
    return audit(chains, wanted).findings({"name": "test"})


def row(findings: Findings, measure: str, reference: str = "", **more: object) -> Row:
    wanted = {"rule": "", "n": None, "group": "", **more}
    [only] = [
        r
        for r in findings.rows
        if (r.measure, r.reference) == (measure, reference)
        and all(getattr(r, name) == value for name, value in wanted.items())
    ]
    return only
