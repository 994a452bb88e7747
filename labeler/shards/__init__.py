"""shards - labels as Parquet: the schema, the published set, its counts, and its card.

A reader of labels/ sees one whole set, the old or the new one. All writing of tables goes
through files.py.
"""

from labeler.shards.card import WARN_SHARE, Facts, card, write_card
from labeler.shards.counts import LabelCounts, count_labels
from labeler.shards.published import publish, recover
from labeler.shards.tables import LABELS, PROVERS, STEP, to_table, write_labels

__all__ = [
    "LABELS",
    "PROVERS",
    "STEP",
    "WARN_SHARE",
    "Facts",
    "LabelCounts",
    "card",
    "count_labels",
    "publish",
    "recover",
    "to_table",
    "write_card",
    "write_labels",
]
