"""exporting - labels to rows of trainers' formats: which solutions, which labels, which split.

1. Pure and streaming: one row of labels in, one row of the format or a counted Drop out. What is
   held does not grow with the rows.
2. Rows in = rows out + drops, and each drop has its reason.
3. A question is in one split with all its solutions, and the same options give the same files.

`options` are the settings, `records` makes the record, `splits` has the luck, `overlap` finds
benchmark problems, `selector` decides a row, `specimen` shows what a format writes, and `tally`,
`noise` and `card` say what came of it. They know neither Parquet nor what a format's rows look
like.
"""

from labeler.exporting.card import CardFacts, card
from labeler.exporting.options import ExportOptions
from labeler.exporting.overlap import Benchmarks, Hit
from labeler.exporting.records import COLUMNS, Drop, LabelRow, record_of
from labeler.exporting.selector import Chosen, Left, Selector
from labeler.exporting.specimen import only_read, specimen_row
from labeler.exporting.splits import SPLITS, Quota, Split, split_of
from labeler.exporting.tally import Tally

__all__ = [
    "COLUMNS",
    "SPLITS",
    "Benchmarks",
    "CardFacts",
    "Chosen",
    "Drop",
    "ExportOptions",
    "Hit",
    "LabelRow",
    "Left",
    "Quota",
    "Selector",
    "Split",
    "Tally",
    "card",
    "only_read",
    "record_of",
    "specimen_row",
    "split_of",
]
