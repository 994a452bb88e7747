"""validate - `labeler validate`: a data set looked at as its trainer will read it.

1. Rows stream; every fault is counted by its kind, and the first ones are told with row, field
   and fix.
2. Without a tokenizer it looks at shape, labels, tags in texts, and whether our reader and writer
   give the row back; with one, at what becomes of tags and labels as tokens, after the cut, too.
3. It judges no label: whether a step is wrong is not looked at.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from labeler.apps.row_files import all_rows, data_files
from labeler.apps.validate.faults import SHOWN, Fault, Kind, Report
from labeler.apps.validate.reading import TokenCheck
from labeler.apps.validate.rows import Found, RowCheck
from labeler.apps.validate.tokens import CHECKS, token_check
from labeler.config import ConfigError
from labeler.formats import Format, Prm800k, recognise
from labeler.model import LabelerError
from labeler.problems import Rejected
from labeler.prompts import load_tokenizer

if TYPE_CHECKING:
    from rich.console import Console
    from transformers import PreTrainedTokenizerBase

__all__ = ["Fault", "Kind", "Report", "ValidateWish", "show", "validate"]


@dataclass(frozen=True, slots=True)
class ValidateWish:
    """What the command line asks for."""

    path: Path
    format: Format
    tokenizer: Path | None = None
    max_length: int | None = None


def validate(wish: ValidateWish) -> Report:
    """Look at every row.

    Raises ConfigError where the options do not go together, LabelerError where there is no file,
    no row, or no tokenizer.
    """
    files = data_files(wish.path)
    check = _token_check(wish)
    report = Report()
    for found in check.whole() if check else ():
        report.add(_placed(found, str(wish.tokenizer)))
    if report.faults:
        check = None  # with such a tokenizer every row would be told
    rows = RowCheck(_permissive(wish.format))
    for read in all_rows(files):
        report.rows += 1
        if isinstance(read, Rejected):
            report.add(Fault(Kind.UNREADABLE, read.position, "row", read.told, "Mend it."))
            continue
        position, row = read
        if report.rows == 1:
            report.looks_like = recognise(row)
        records, fault = rows.look(row)
        if fault is None and check is not None:
            looked = (check.row(row, record) for record in records)
            fault = next((one for one in looked if one is not None), None)
        if fault is not None:
            report.add(_placed(fault, position))
    if not report.rows:
        raise LabelerError(f"{wish.path} holds no row.")
    report.partly = rows.partly
    return report


def _permissive(to: Format) -> Format:
    """The format with every rating allowed: how a 0 is to be read is not asked here."""
    return replace(to, zero="good") if isinstance(to, Prm800k) else to


def _token_check(wish: ValidateWish) -> TokenCheck | None:
    if wish.tokenizer is None:
        if wish.max_length is not None:
            raise ConfigError("--max-length counts tokens: give --tokenizer, too")
        return None
    if wish.format.name not in CHECKS:
        raise ConfigError(
            f"--tokenizer: no trainer tokenizes rows of {wish.format.name} by a rule of its own; "
            "leave it out"
        )
    if not wish.tokenizer.is_dir():
        raise ConfigError(
            f"--tokenizer {wish.tokenizer} is no folder: give that of the trained model"
        )
    return token_check(wish.format, _tokenizer(wish.tokenizer), wish.max_length)


def _tokenizer(folder: Path) -> "PreTrainedTokenizerBase":
    try:
        return load_tokenizer(folder)
    except Exception as error:  # a damaged tokenizer.json raises whatever it leads to
        raise LabelerError(
            f"no tokenizer at {folder} that can be read: give the folder of the trained model, "
            "with its tokenizer.json"
        ) from error


def _placed(found: Found, position: str) -> Fault:
    return Fault(found.kind, position, found.field, found.problem, found.fix)


def show(report: Report, to: Format, console: "Console") -> None:
    """The first faults, then counts by kind."""
    lines = [str(fault) for fault in report.first]
    if report.faults > len(report.first):
        lines.append(f"... and {report.faults - SHOWN:,} more")
    if report.looks_like not in (None, to.name) and report.counts[Kind.SHAPE] == report.rows:
        lines.append(f"the first row looks like {report.looks_like}: --format names another")
    lines += [f"{n:,} {why}" for why, n in report.partly.most_common()]
    counted = ", ".join(f"{kind} {n:,}" for kind, n in report.counts.most_common())
    lines.append(
        f"{report.rows:,} rows, {report.faults:,} faults{f': {counted}' if counted else ''}"
    )
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
