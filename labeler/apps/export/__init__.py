"""export - `labeler export`: a run's labels as files that a trainer takes.

1. Streaming: a batch of rows is in memory, whatever the run's size.
2. The folder is there whole or not at all, and never takes the place of another.
3. Every solution that is not in it is counted by its reason; those that overlap a benchmark are
   listed in decontaminated.jsonl, those that the format cannot hold in refused.jsonl.
"""

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from labeler import manifest
from labeler.apps.export.benchmarks import read_benchmarks
from labeler.apps.export.folder import guard, whole_folder
from labeler.apps.export.push import check_repo, push
from labeler.apps.export.rows import label_files
from labeler.apps.export.settings import go_together
from labeler.apps.export.writers import JsonWriter, RowWriter, file_name, writer
from labeler.apps.label import read_config
from labeler.exporting import (
    SPLITS,
    CardFacts,
    Chosen,
    Drop,
    ExportOptions,
    Left,
    Selector,
    Tally,
    card,
)
from labeler.files import RunDir, write_text
from labeler.formats import Format, tag_of
from labeler.model import LabelerError

if TYPE_CHECKING:
    from rich.console import Console

LISTS = {Drop.CONTAMINATED: "decontaminated.jsonl", Drop.REFUSED: "refused.jsonl"}
"""Where drops are listed one by one."""


@dataclass(frozen=True, slots=True)
class ExportWish:
    """What the command line asks for."""

    run: Path
    to: Format
    out: Path
    options: ExportOptions = field(default_factory=ExportOptions)
    decontaminate: tuple[Path, ...] = ()
    """Files of benchmark questions."""
    push: str | None = None
    """The hub's dataset to upload to."""


def export(wish: ExportWish) -> CardFacts:
    """Write the export and, where asked for, push it.

    Raises ConfigError where the options do not go together, LabelerError where nothing is left
    to export or the labels cannot be read, FileError where the folder cannot be written.
    """
    go_together(wish.options, wish.to)
    if wish.push is not None:
        check_repo(wish.push)
    guard(wish.out)
    where = RunDir(wish.run)
    name = read_config(where).name
    benchmarks, questions = read_benchmarks(wish.decontaminate)
    labels = label_files(where)
    selector = Selector(wish.to, wish.options, benchmarks)
    if wish.options.balance:
        selector.balance(labels.rows())
    tally = Tally()
    with whole_folder(wish.out) as folder:
        with Files(folder, wish.to) as files:
            for row in labels.rows():
                found = selector.choose(row)
                tally.add(row, found)
                files.put(found)
        labels.unchanged()
        _refuse_none(tally, wish)
        facts = CardFacts(
            name=name,
            format=wish.to.name,
            tag=tag_of(wish.to),
            files={split: file_name(split, wish.to) for split in SPLITS if split in tally.splits},
            options=wish.options,
            tally=tally,
            made_from=_made_from(where),
            benchmarks=questions,
        )
        write_text(folder / "README.md", card(facts))
    if wish.push is not None:
        push(wish.out, wish.push)
    return facts


class Files(ExitStack):
    """The files of an export, each opened when its first row comes."""

    def __init__(self, folder: Path, to: Format) -> None:
        super().__init__()
        self._folder, self._to = folder, to
        self._open: dict[str, RowWriter] = {}

    def put(self, found: Chosen | Left) -> None:
        """Write a row where it belongs, if anywhere."""
        if isinstance(found, Chosen):
            name = file_name(found.split, self._to)
            self._file(name).write(found.row)
        elif found.listed is not None:
            self._file(LISTS[found.drop]).write(found.listed)

    def _file(self, name: str) -> RowWriter:
        if name not in self._open:
            path = self._folder / name
            made = JsonWriter(path) if name in LISTS.values() else writer(path, self._to)
            self._open[name] = self.enter_context(made)
        return self._open[name]


def _refuse_none(tally: Tally, wish: ExportWish) -> None:
    if not tally.rows_out:
        why = "; ".join(f"{drop}: {n:,}" for drop, n in tally.drops.most_common())
        raise LabelerError(
            f"none of the {tally.rows_in:,} labelled solutions of {wish.run} is left to export"
            f"{f' ({why})' if why else ''}: nothing was written.{_example(tally)}"
        )


def _example(tally: Tally) -> str:
    """The first solution that the format cannot hold, in words."""
    if (said := tally.refused) is None:
        return ""
    return f" Solution {said['solution_id']}, {said['field']}: {said['problem']}. {said['fix']}"


def _made_from(where: RunDir) -> dict[str, str]:
    """What the labels rest on, for the card."""
    entries = list(manifest.read(where).values())
    told = {
        "policy": {str(e.policy.get("kind")) for e in entries},
        "first error by": {str(e.rule.get("rule")) for e in entries},
        "neutral": {str(e.rule.get("neutral")) for e in entries} - {"None"},
        "completer": {f"`{e.completer}`" for e in entries},
        "grader": {f"`{e.grader}`" for e in entries},
    }
    return {what: ", ".join(sorted(which)) for what, which in told.items() if which}


def show(facts: CardFacts, wish: ExportWish, console: "Console") -> None:
    """What was written and what was left out, a line each."""
    tally = facts.tally
    lines = [f"{tally.rows_in:,} solutions read, {tally.rows_out:,} exported to {wish.out}"]
    for split, n in sorted(tally.splits.items(), reverse=True):
        lines.append(
            f"  {facts.files[split]}: {n.solutions:,} solutions, {n.with_error:,} with an error, "
            f"{n.steps:,} steps"
        )
    for drop, count in tally.drops.most_common():
        listed = f" (see {LISTS[drop]})" if drop in LISTS and "see" not in drop else ""
        lines.append(f"  dropped: {drop}{listed}: {count:,}")
    if wish.options.test_share:
        lines += [
            f"  no solution is left for the split {split}: there is no file of it"
            for split in SPLITS
            if split not in tally.splits
        ]
    if wish.push is not None:
        lines.append(f"  pushed to {wish.push}")
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
