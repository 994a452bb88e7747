"""holding.py - the solutions that a page holds, and what lies behind them, read as streams.

Labels are read part by part, and of the log only the prefixes of solutions that are kept. Memory
is that of one part and of the page.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labeler.apps.report.behind import A_PREFIX, no_texts, places, rollouts
from labeler.apps.report.items import COLUMNS, PROVER_FIELDS, STEP_FIELDS, VALUE_FIELDS, item
from labeler.apps.report.sample import Sample, embedded
from labeler.apps.report.savings import Spent

if TYPE_CHECKING:
    from labeler.apps.truths import Name
    from labeler.config import RunConfig
    from labeler.files import RunDir

_FOR_ROWS = 0.6
"""Share of the size that solutions may fill where rollouts come with them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a page is to hold."""

    max_mb: float
    """Millions of bytes, of solutions and rollouts together."""
    seed: int
    first: Collection[str]
    """Ids of solutions that it names elsewhere."""
    truths: "Mapping[Name, int]"


@dataclass(frozen=True, slots=True)
class Held:
    """What it holds."""

    rows: Sample
    """Solutions by id."""
    texts: Sample
    """Rollouts by solution, of each by prefix."""
    truth: Mapping[str, int]
    """First errors by solution, of those that the file of truths has."""
    spent: Spent
    """Over all solutions of the run."""
    no_texts: str
    """Why there are no texts of rollouts; empty where there are."""

    def blocks(self) -> dict[str, str]:
        """The page's blocks of JSON."""
        lost = "The page is kept small without these texts"
        none = "The log has no graded text here"
        more = lost if len(self.texts) < self.texts.offered else none
        meta: dict[str, Any] = {
            "step_fields": STEP_FIELDS,
            "value_fields": VALUE_FIELDS,
            "prover_fields": PROVER_FIELDS,
            "truth": self.truth,
            "no_texts": self.no_texts,
            "more_texts": f"{more}: `labeler inspect RUN ID --rollouts {A_PREFIX}` shows more.",
            "elsewhere": "a larger --max-mb embeds more, and `labeler inspect` shows any solution.",
        }
        return {
            "meta": embedded(meta),
            "rows": self.rows.as_list(),
            "texts": self.texts.as_object(),
        }


def held(run: "RunDir", config: "RunConfig", wanted: Wanted) -> Held:
    """Read what the page holds. Raises ConfigError for a truth that does not fit, and FileError."""
    why = no_texts(config)
    size = wanted.max_mb * (1 if why else _FOR_ROWS)
    rows = Sample(size, wanted.seed, wanted.first)
    spent = _solutions(run, rows)
    texts = Sample(wanted.max_mb - rows.bytes / 1e6, wanted.seed, wanted.first)
    items = {name: json.loads(text) for name, text in rows.rows()}
    truth = {name: step for name in items if (step := wanted.truths.get(name)) is not None}
    for entry, found in places(run, config, items, wanted.truths):
        truth |= {name: at.truth for name, at in found.items() if at.truth is not None}
        if not why:
            for name, seen in rollouts(run, entry, found):
                texts.offer(name, seen)
    return Held(rows, texts, truth, spent, why)


def _solutions(run: "RunDir", rows: Sample) -> Spent:
    """Offer every solution to the sample; only those that it may keep become objects."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from labeler.files import parts, read_table

    spent = Spent()
    for path in parts(run.labels):
        for batch in read_table(path, list(COLUMNS)).to_batches(max_chunksize=1024):
            counted = (
                batch[name].to_pylist() for name in ("is_correct", "first_error", "n_rollouts")
            )
            spent.add(zip(pc.list_value_length(batch["steps"]).to_pylist(), *counted, strict=True))
            likely = [name in rows for name in batch["solution_id"].to_pylist()]
            rows.pass_over(likely.count(False))
            for row in batch.filter(pa.array(likely)).to_pylist():
                rows.offer(row["solution_id"], item(row))
    return spent
