"""shards - labels as Parquet: the schema, the published set, its counts, and its card.

A reader of labels/ sees one whole set, the old or the new one; so does one of states/ and of
pairs/, which only tree searches have. All writing of tables goes through files.py.
"""

from labeler.shards.card import WARN_SHARE, Facts, Trees, card, write_card
from labeler.shards.counts import LabelCounts, count_labels
from labeler.shards.published import publish, recover
from labeler.shards.tables import (
    LABELS,
    PAIRS,
    PROVERS,
    STATES,
    STEP,
    TABLES,
    Rows,
    to_table,
    write_labels,
    write_part,
)

__all__ = [
    "LABELS",
    "PAIRS",
    "PROVERS",
    "STATES",
    "STEP",
    "TABLES",
    "WARN_SHARE",
    "Facts",
    "LabelCounts",
    "Rows",
    "Trees",
    "card",
    "count_labels",
    "publish",
    "recover",
    "to_table",
    "write_card",
    "write_labels",
    "write_part",
]
