"""config.py - where problems come from: pure configuration, light to import."""

from typing import Literal

from pydantic import PositiveInt

from labeler.params import Params


class Columns(Params):
    """Which column holds what; None: recognised by its name and the shape of the row.

    A name may be a path: `model.solution` goes into an object, and `*` stands for each key of
    an object or each element of a list, as in `*.solution`. A column that is mapped here must
    be there: a row without it is quarantined.
    """

    id: str | None = None
    """The problem's id; default the column `id`, else a digest of question and gold."""

    question: str | None = None
    """Default `question` or `problem`."""

    gold: str | None = None
    """Default `gold`, `answer` or `final_answer`, else the last \\boxed{} of a MATH `solution`.
    Of a text with the answer marker, or a box, the gold is what follows it, or is in it."""

    solution: str | None = None
    """A text, or several with `*`. Default `solution`, beside a `question` (in MATH rows, which
    have a `problem`, it is the reference; see `label_reference`)."""

    steps: str | None = None
    """One solution as a list of texts. Default `steps`."""

    solutions: str | None = None
    """Several solutions, each a text, a list of steps, or an object with `text` or `steps` and
    perhaps `generator`. Default `solutions`."""

    generator: str | None = None
    """Who wrote the row's solutions. Default `generator`; with `*`, the key that `*` stood for."""


class ProblemsConfig(Params):
    """Where problems come from, and how their rows are read."""

    path: str
    """A JSONL, JSON or Parquet file, a directory of them, or a Hugging Face dataset (its name, or
    a directory). Environment variables and `~` are expanded."""

    format: Literal["auto", "jsonl", "json", "parquet", "hub"] = "auto"
    """`json` is one array of rows. `auto` goes by the file's name; for a directory, `hub` where it
    looks like a saved or downloaded dataset, else every data file in it, in order of name."""

    split: str = "train"
    """Split of a Hugging Face dataset; of no effect elsewhere."""

    name: str | None = None
    """Configuration of a Hugging Face dataset (`main` of gsm8k); of no effect elsewhere."""

    columns: Columns = Columns()
    """Which column holds what."""

    answer_marker: str = "####"
    """What stands before the gold, at the start of a line, in GSM8K's answers."""

    label_reference: bool = False
    """Label the reference solutions of GSM8K and MATH rows too."""

    limit: PositiveInt | None = None
    """Read only so many rows; those that cannot be used count too."""

    source: str | None = None
    """What to call the origin in the labels; default the file's or dataset's name."""

    max_chars: PositiveInt = 50_000
    """A row whose id, question or gold has more characters is quarantined."""

    max_row_bytes: PositiveInt = 16_000_000
    """A longer JSON row is quarantined without being parsed: the reader never holds more."""
