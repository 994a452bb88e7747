"""cli_compare.py - what lays labels beside labels: `labeler compare` and `labeler consensus`."""

from pathlib import Path
from typing import Annotated

import typer

from labeler.terminal import console, told


def compare(  # noqa: PLR0913, PLR0917 - each is an option of the command
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    against: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="JSONL, JSON or Parquet: PRM800K, ProcessBench, TRL's rows, ..."
        ),
    ],
    format: Annotated[  # noqa: A002 - the option's name
        str | None,
        typer.Option("--format", metavar="FORMAT", help="The file's; default: told by its rows."),
    ] = None,
    zero: Annotated[
        str | None,
        typer.Option(
            metavar="good|bad",
            help="How PRM800K's rating 0 is read: good as its authors do, bad as TRL does.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Of soft labels, read a step as good above this; else they have no first error."
        ),
    ] = None,
    placeholder: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="What ends a step in the file, if not the format's usual."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare a run's labels with people's, or with an older tool's, of the same solutions.

    Solutions are joined by question and steps. The file's labels are taken as true: first errors,
    ProcessBench's F1, labels of single steps, each with a bootstrap interval over problems.

    labeler compare runs/bench --against processbench_gsm8k.json
    """
    from labeler.apps.compare import Reading
    from labeler.apps.compare import compare as compare_app

    with told():
        how = Reading(against, format, zero, threshold, placeholder)
        compare_app(run, how, console(), as_json=as_json)


def consensus(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show how a run's rollouts and its judge agree, and what consensus filtering keeps.

    The judge is asked by `labeler run`, where the configuration has a `judge:`; what is kept
    follows from `consensus:`, and can be changed without a model:

    labeler label runs/x consensus.tolerance=1
    """
    from labeler.apps.consensus import consensus as consensus_app

    with told():
        consensus_app(run, console(), as_json=as_json)
