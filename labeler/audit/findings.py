"""findings.py - what an audit found: the nouns that tables, the report and machines read.

No number here is ever NaN or infinite: what cannot be said is None, and a caution says why.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One number with its 95% interval: a row of the long table.

    The docstring of `labeler.audit` lists the measures.
    """

    measure: str
    reference: str
    """What it is measured against: pool (all rollouts of the log), truth, value (V itself, by the
    attenuation correction or a model), located (the run's own first errors), or nothing."""
    rule: str
    """Of first-error location: first_zero, bisection, posterior; else empty."""
    n: int | None
    """Rollouts a prefix; None where the measure does not depend on them. Above the pool's size it
    is a model's extrapolation, and the reference is value."""
    group: str
    """Empty: all. Else `source=..`, `generator=..`, `offset=-2`, `bin=0.0-0.1`, `step=good`;
    several are joined by a comma."""
    value: float | None
    low: float | None
    """None where there are too few problems for an interval."""
    high: float | None
    over: int
    """Steps, prefixes or solutions that it is a mean over."""


@dataclass(frozen=True, slots=True)
class Example:
    """A step to look at."""

    problem_id: str
    solution_id: str
    step: int
    """0 is the bare question."""
    n: int
    correct: int


@dataclass(frozen=True, slots=True)
class Disagreed:
    """Rollouts that two grader versions judge differently."""

    count: int
    of: int
    """Rollouts that both judged."""
    examples: tuple[Example, ...] = ()
    """Some steps with such."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One way in which labels go wrong, and how often."""

    name: str
    """weak_completer, recovery, restatement, ungradable, truncation, grader_disagreement."""
    what: str
    """One sentence."""
    count: int
    of: int
    """Cases that could have been one."""
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """One way to label, what it reaches and what it costs per solution."""

    policy: str
    n: int
    """Rollouts a prefix, at most."""
    confidence: float | None
    """Of an adaptive policy."""
    reference: str
    error: float
    """Share of wrong-answer solutions whose first error is not found."""
    low: float | None
    high: float | None
    rollouts: float
    """Expected, a solution."""
    tokens: float
    """Expected, a solution."""
    rule: str = ""
    """By which the first error is read off its rollouts, where there are several."""


@dataclass(frozen=True, slots=True)
class Doubling:
    """What twice as many rollouts would buy."""

    n: int
    """From n to 2n."""
    is_modelled: bool
    """Whether 2n lies beyond the pool."""
    flips: float | None
    """Share of hard labels that it changes, all from bad to good; None for a pool of one."""
    reliability: float | None
    """What the reliability of soft labels gains."""
    located: float | None
    """What the share of first errors found gains (first_zero, against the truth or the pool); None
    beyond the pool."""
    rollouts: int
    """What it costs over all prefixes of the log."""
    tokens: int


@dataclass(frozen=True, slots=True)
class Advice:
    """What reaches the stated error, and what it costs."""

    max_flip: float
    n: int | None
    """The fewest rollouts a prefix, of those tried, whose hard labels flip no oftener; None: not
    even the largest N that the model speaks of."""
    flip: float | None
    """At that n: the share of hard labels that differ from the pool's; from half the pool on, that
    a further n rollouts would change."""
    is_modelled: bool
    """Whether it rests on the model instead of the pool alone."""
    rollouts: int | None
    """At that n, over all prefixes of the log."""
    tokens: int | None
    engine_hours: float | None
    """At this log's own speed; None where that is unknown."""
    doublings: tuple[Doubling, ...]
    options: tuple[Option, ...]
    """Policies that were weighed, the cheapest first."""
    choice: Option | None
    """The cheapest whose error is at most max_flip; None: none reaches it."""


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that an audit says of a run."""

    run: Mapping[str, Any]
    """What was audited: what the caller gave (name, completer, grader, tokens_per_second, ..) and
    solutions, problems, prefixes, rollouts, tokens, pool (M), truth (solutions with it), seed."""
    rows: tuple[Row, ...]
    causes: tuple[Cause, ...]
    advice: Advice | None
    """None where no step has a pool, or no rollout reached a gold answer."""
    cautions: tuple[str, ...]
    """What cannot be concluded, and why; one sentence each."""
    sentences: tuple[str, ...]
    """The finding in three sentences; none where there is no advice."""

    def as_dict(self) -> dict[str, Any]:
        """Plain types for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Contrast:
    """One measure in two runs, and how far the second is above the first."""

    first: Row
    second: Row
    difference: float | None
    low: float | None
    """95%, paired over problems; None where there are too few."""
    high: float | None
