"""card.py - README.md of a run: a dataset card in Hugging Face's format, with the counts.

Front matter names labels/*.parquet, so that a copy of the run directory on a hub loads as it
is. The text says what came in, what became of it, and what the labels rest on.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from labeler.files import RunDir, write_text
from labeler.shards.counts import LabelCounts

WARN_SHARE = 0.05
"""Share of truncated or ungradable rollouts above which the card warns."""

_SIZES = [(10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"),
          (10**7, "1M<n<10M")]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trees:
    """What search trees gave."""

    branches: int
    """Rollouts that were followed, and are labelled as solutions."""
    bare: int
    """Problems that came without a solution, and were searched."""
    states: int
    pairs: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What a card says."""

    name: str
    counts: LabelCounts
    rows_in: int
    """Rows read: what became of them is labelled, quarantined or failed."""
    policy: str
    n: int
    """Rollouts a prefix, at most."""
    completer: str
    """Fingerprint."""
    grader: str
    """Version."""
    sampling: Mapping[str, object] = field(default_factory=dict)
    """Sampling parameters of the completer."""
    rule: str = "posterior"
    quarantined: Mapping[str, int] = field(default_factory=dict)
    """Rows by reason."""
    failed: int = 0
    """Rows of units that were given up."""
    trees: Trees | None = None
    """None where the policy grows none."""
    provers: Mapping[str, str] = field(default_factory=dict)
    """What each further prover is, by its name in the column `provers`."""
    neutral: float | None = None
    """Progress that counts as none; None where steps have no rating."""
    weighted: bool = False
    """Whether the column `weighted` is filled."""


def write_card(run: RunDir, facts: Facts) -> None:
    """Write the card whole. Raises FileError."""
    write_text(run.card, card(facts))


def card(facts: Facts) -> str:
    """The card's text."""
    return "\n".join(
        [
            *_front_matter(facts),
            f"# {facts.name}",
            "",
            "Step labels for process reward models: every solution below was continued from its "
            "prefixes by a completer, and the answers it reached were graded.",
            "",
            *_made_from(facts),
            *_rows(facts),
            *_labels(facts.counts),
            *(_trees(facts.trees) if facts.trees else ()),
            *_views(facts),
            *_warnings(facts.counts),
            *_HOW_TO_READ,
        ]
    )


def _front_matter(facts: Facts) -> Iterator[str]:
    size = next((s for bound, s in _SIZES if facts.counts.solutions < bound), "n>10M")
    yield from ["---", f"pretty_name: {json.dumps(facts.name)}", "configs:"]
    yield from ["- config_name: default", "  data_files:", "  - split: train"]
    yield "    path: labels/*.parquet"
    for name in ("states", "pairs") if facts.trees else ():
        yield from [f"- config_name: {name}", "  data_files:", "  - split: train"]
        yield f"    path: {name}/*.parquet"
    yield from ["tags:", "- process-reward-model", "- math"]
    yield from ["- labeler", "size_categories:", f"- {size}", "---", ""]


def _table(head: tuple[str, str], rows: Mapping[str, object]) -> Iterator[str]:
    yield f"| {head[0]} | {head[1]} |"
    yield "|---|---:|"
    yield from (f"| {key} | {value} |" for key, value in rows.items())
    yield ""


def _made_from(facts: Facts) -> Iterator[str]:
    yield from ["## How they were made", ""]
    sampling = ", ".join(f"{key} {value}" for key, value in facts.sampling.items())
    rows = {
        "policy": f"{facts.policy}, at most {facts.n} rollouts a prefix",
        "completer": f"`{facts.completer}`",
        "sampling": sampling or "the completer's defaults",
        "grader": f"`{facts.grader}`",
        "first error by": facts.rule,
        "rollouts": f"{facts.counts.rollouts:,} ({facts.counts.tokens:,} tokens; one of a prefix "
        "that several solutions share counts in each)",
    }
    yield from _table(("what", "which"), rows)


def _rows(facts: Facts) -> Iterator[str]:
    yield from ["## What became of the rows", ""]
    branches, bare = (facts.trees.branches, facts.trees.bare) if facts.trees else (0, 0)
    rows: dict[str, object] = {
        "rows in": facts.rows_in,
        "labelled": facts.counts.solutions - branches,
    }
    if bare:
        rows["searched, without a solution of their own"] = bare
    rows |= {f"quarantined: {reason}": n for reason, n in sorted(facts.quarantined.items())}
    rows["failed"] = facts.failed
    yield from _table(("rows", "count"), rows)


def _labels(counts: LabelCounts) -> Iterator[str]:
    yield from ["## What the labels are", ""]
    ungraded = counts.solutions - counts.right - counts.wrong
    solutions: dict[str, object] = {
        "own answer right": counts.right,
        "own answer wrong": counts.wrong,
        "own answer ungradable": ungraded,
        "with a prefix that failed": counts.with_failures,
    }
    yield from _table(("solutions", "count"), solutions)
    steps = {f"target {key}": _part(n, counts.steps) for key, n in sorted(counts.targets.items())}
    steps |= {key: _part(n, counts.steps) for key, n in sorted(counts.bases.items())}
    steps |= {f"rating {key}": _part(n, counts.steps) for key, n in sorted(counts.ratings.items())}
    yield from _table((f"of {counts.steps:,} steps", "count"), steps)
    places = sorted(counts.first_errors.items(), key=lambda item: (item[0] is None, item[0]))
    names = {0: "none", None: "undecided"}
    errors = {names.get(at, f"step {at}"): _part(n, counts.solutions) for at, n in places}
    yield from _table(("first error", "solutions"), errors)
    if counts.consensus:
        yield from _table(("consensus filtering", "solutions"), counts.consensus)
    shares = {
        "truncated": f"{counts.share(counts.truncated):.1%}",
        "ungradable": f"{counts.share(counts.ungradable):.1%}",
    }
    yield from _table(("of the rollouts of steps", "share"), shares)


def _trees(trees: Trees) -> Iterator[str]:
    yield from ["## What the search trees hold", ""]
    rows: dict[str, object] = {
        "rollouts followed, and labelled as solutions": f"{trees.branches:,}",
        "states (`states/*.parquet`): prefixes with their values": f"{trees.states:,}",
        "pairs (`pairs/*.parquet`): preferred and rejected next step": f"{trees.pairs:,}",
    }
    yield from _table(("what", "count"), rows)


def _views(facts: Facts) -> Iterator[str]:
    """Columns that are filled on request."""
    if facts.provers:
        yield from ["## Under which provers", ""]
        yield from _table(("prover", "what"), facts.provers)
        yield from [_PROVERS, ""]
    if facts.neutral is not None:
        yield from [_RATING.format(facts.neutral), ""]
    if facts.weighted:
        yield from [_WEIGHTED, ""]


_PROVERS = (
    "Each step's `provers` holds one struct a prover with the value columns under it, "
    "`provers_0` those of the bare question: under each prover the progress of all steps adds up "
    "to the own answer's verdict less that first value. Under best_of_J `soft` is the unbiased "
    "estimate of 1 - (1 - V)^J from n single rollouts, its interval V's Jeffreys interval mapped "
    "the same way; null where n is below J or depended on outcomes."
)
_RATING = (
    "`rating` is -1 from the first error on; before it 0 for a step whose progress, the whole "
    "interval included, lies within {} of zero, else 1; null where the target is undecided."
)
_WEIGHTED = (
    "`weighted` is ReST-MCTS*'s weighted value: from 0 each step adds, or if its `hard` is false "
    "takes back, (1 - v) / (steps to go + 1)."
)


def _part(n: int, whole: int) -> str:
    return f"{n:,} ({n / whole:.1%})" if whole else f"{n:,}"


def _warnings(counts: LabelCounts) -> Iterator[str]:
    shares = {
        "ran out of tokens (truncated): raise max_tokens, or expect low values": counts.truncated,
        "could not be graded: see the reasons in verdicts/": counts.ungradable,
    }
    for what, count in shares.items():
        if counts.share(count) > WARN_SHARE:
            yield from [f"> **Warning:** {counts.share(count):.1%} of rollouts {what}.", ""]


_HOW_TO_READ = [
    "## How to read them",
    "",
    "One row a solution; `labels` holds one struct a step. `target` is what a trainer of hard "
    "labels reads (true before the first error, false from it on, null where undecided), and "
    "`basis` says whether it was measured at that step or inferred. `soft` is correct / n with its "
    "Jeffreys interval, null where nothing was rolled out.",
    "",
    "```python",
    "from datasets import load_dataset",
    'labels = load_dataset("parquet", data_files="labels/*.parquet")["train"]',
    "```",
    "",
    "```sql",
    "-- DuckDB",
    "SELECT solution_id, first_error, [s.soft for s in labels] AS soft",
    "FROM 'labels/*.parquet';",
    "```",
    "",
]
