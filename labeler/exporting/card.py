"""card.py - README.md of an export: a dataset card in Hugging Face's format.

Its front matter names the files of the splits, so that the folder, here or on a hub, loads as it
is. The text says what came in, what became of it, with which settings, and how noisy it is.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from labeler.exporting.options import ExportOptions
from labeler.exporting.splits import Split
from labeler.exporting.tally import Tally


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a card says beside the counts."""

    name: str
    """Of the run."""
    format: str
    files: Mapping[Split, str]
    """The file of each split that holds a row."""
    options: ExportOptions
    tally: Tally
    tag: str | None = None
    """What ends a step, where the format has a choice."""
    made_from: Mapping[str, str] = field(default_factory=dict)
    """How the labels were made: completer, grader, policy."""
    benchmarks: Mapping[str, int] = field(default_factory=dict)
    """Questions of each benchmark that problems were compared with."""


def card(facts: CardFacts) -> str:
    """The card's text."""
    return "\n".join(
        [
            *_front_matter(facts),
            f"# {facts.name}: step labels in the format `{facts.format}`",
            "",
            "Each solution was continued from its prefixes by a completer model, the answers it "
            "reached were graded, and the outcomes label the steps: no person rated them.",
            "",
            *_settings(facts),
            *_counts(facts),
            *_noise(facts),
            *_reading(facts),
        ]
    )


_ZERO = (
    "0 is neutral: before the first error, and its progress lies within `neutral` of zero with its "
    "whole interval."
)
_MEANINGS = {
    "soft": "Soft labels are `soft_posterior` (the mean value given all counts of the problem); "
    "`soft`, the share of right rollouts, in rows that lack it.",
    "ratings": f"Labels are ratings: 1 is good, -1 the first error and each step after it. {_ZERO}",
}
"""What labels are, where their name does not say it."""
_SIZES = [(10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"),
          (10**7, "1M<n<10M")]  # fmt: skip


def _front_matter(facts: CardFacts) -> Iterator[str]:
    size = next((s for bound, s in _SIZES if facts.tally.rows_out < bound), "n>10M")
    yield from ["---", f"pretty_name: {json.dumps(facts.name)}", "configs:"]
    yield from ["- config_name: default", "  data_files:"]
    for split, file in facts.files.items():
        yield from [f"  - split: {split}", f"    path: {file}"]
    yield from ["tags:", "- process-reward-model", "- math", "- labeler", "size_categories:"]
    yield from [f"- {size}", "---", ""]


def _table(head: tuple[str, ...], rows: Mapping[str, tuple[object, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---|" + "---:|" * (len(head) - 1)
    yield from (f"| {key} | {' | '.join(map(str, cells))} |" for key, cells in rows.items())
    yield ""


def _settings(facts: CardFacts) -> Iterator[str]:
    yield from ["## Settings", ""]
    settings = {f"`{key}`": value for key, value in facts.options.model_dump(mode="json").items()}
    rows = {**facts.made_from, "format": f"`{facts.format}`", **settings}
    if facts.tag is not None:
        rows["a step ends with"] = f"`{json.dumps(facts.tag, ensure_ascii=False)}`"
    yield from _table(("what", "which"), {key: (value,) for key, value in rows.items()})
    if facts.options.labels in _MEANINGS:
        yield from [_MEANINGS[facts.options.labels], ""]
    if facts.options.zero == "bad":
        yield from [f"A step that is rated 0 has the hard label of a wrong one. {_ZERO}", ""]


def _counts(facts: CardFacts) -> Iterator[str]:
    tally = facts.tally
    yield from ["## What became of the solutions", ""]
    rows: dict[str, tuple[object, ...]] = {"in": (f"{tally.rows_in:,}",)}
    rows |= {f"dropped: {drop}": (f"{n:,}",) for drop, n in tally.drops.most_common()}
    rows["out"] = (f"{tally.rows_out:,}",)
    yield from _table(("solutions", "count"), rows)
    rows = {
        split: (
            f"{n.solutions:,}",
            f"{n.with_error:,}",
            f"{n.solutions - n.with_error - n.undecided:,}",
            f"{n.undecided:,}",
            f"{n.steps:,}",
        )
        for split, n in sorted(tally.splits.items(), reverse=True)
    }
    yield from _table(
        ("split", "solutions", "with an error", "without", "undecided", "steps"), rows
    )
    for benchmark, questions in facts.benchmarks.items():
        yield from [f"Compared with the {questions:,} questions of `{benchmark}`.", ""]


def _noise(facts: CardFacts) -> Iterator[str]:
    tally = facts.tally
    yield from ["## How noisy they are", ""]
    share = f"{tally.undecided_in / tally.rows_in:.1%}" if tally.rows_in else "none"
    rows = {"solutions read whose first error is undecided": (share,)}
    rows |= {key: (value,) for key, value in tally.noise.figures().items()}
    yield from _table(("what", "figure"), rows)
    yield from [
        "All but the first are of the solutions written; the last step of each, whose label is "
        "the verdict on its own answer, is left out.",
        "",
    ]


def _reading(facts: CardFacts) -> Iterator[str]:
    file = next(iter(facts.files.values()), "")
    kind = "parquet" if file.endswith(".parquet") else "json"
    files = json.dumps(dict(facts.files))
    yield from [
        "## How to read them",
        "",
        "```python",
        "from datasets import load_dataset",
        f'rows = load_dataset("{kind}", data_files={files})',
        "```",
        "",
    ]
