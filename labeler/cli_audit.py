"""cli_audit.py - the commands that say how far labels can be trusted: audit, report."""

import os
from pathlib import Path
from typing import Annotated

import typer

from labeler.terminal import console, told

_Truth = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="JSON lines or Parquet with `solution_id` and the exact `first_error` (0: none).",
    ),
]


def audit(  # noqa: PLR0913, PLR0917 - each is an option of the command
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    other: Annotated[
        Path | None,
        typer.Argument(metavar="[OTHER]", help="Another run of the same problems, to compare."),
    ] = None,
    completer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Audit a further completer of the run (`completers:`), of two runs the second's, "
            "in place of its own.",
        ),
    ] = None,
    truth: _Truth = None,
    max_flip: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="The share of hard labels that flip, and of first errors missed, that the advice "
            "allows.",
        ),
    ] = 0.05,
    grid: Annotated[
        str | None,
        typer.Option(metavar="N,N,...", help="Rollouts a prefix to ask about; default 1,2,4,..."),
    ] = None,
    pool: Annotated[
        int | None,
        typer.Option(
            metavar="M",
            help="Rollouts of a prefix that stand for many; default: what most of them, or a pilot "
            "among them, have.",
        ),
    ] = None,
    sample: Annotated[
        int,
        typer.Option(
            metavar="S",
            help="Solutions that the posterior and the adaptive policy are tried on; 0: only what "
            "is computed exactly.",
            min=0,
        ),
    ] = 500,
    seed: Annotated[int, typer.Option(help="Of the sample and the intervals.", min=0)] = 0,
    json: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all findings as JSON; - prints them alone."),
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the table of all numbers.")
    ] = None,
) -> None:
    """Say how noisy a run's labels are at N rollouts, and what more rollouts would buy.

    Labels from N of a prefix's rollouts are held against all that the log has of it (the pool)
    and, with --truth, against what is true. Works on any log, best on a pilot with many rollouts of
    each prefix. No model is asked.

    labeler audit runs/pilot --max-flip 0.05

    labeler audit runs/small_model runs/large_model

    labeler audit runs/two_provers runs/two_provers --completer strong
    """
    _one_thread()
    from labeler.apps.audit import How, Outputs
    from labeler.apps.audit import audit as audit_app

    with told():
        whose = {"completer": completer, "pool": pool, "sample": sample, "seed": seed}
        how = How.read(grid, max_flip, truth=truth, **whose)
        audit_app(run, other, how, Outputs(json, parquet), console())


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    truth: _Truth = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where it goes; default RUN/report.html.")
    ] = None,
    max_mb: Annotated[
        float, typer.Option(help="Megabytes of solutions and rollouts in the page, at most.")
    ] = 16,
    plots: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Save the pictures there, too, as PNG and SVG."),
    ] = None,
) -> None:
    """Write a run's audit and labels as one HTML page that needs no network.

    The page has the run's summary and cost, the audit's curves, and a browser of its labelled
    solutions, down to single rollouts.

    labeler report runs/quickstart
    """
    _one_thread()
    from labeler.apps.report import report as report_app

    with told():
        report_app(run, out, truth, max_mb, plots, console())


def _one_thread() -> None:
    """An audit's matrices are small: further threads of numpy would only wait for each other."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
