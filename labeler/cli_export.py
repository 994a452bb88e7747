"""cli_export.py - the commands that hand labels on: `labeler export` and `labeler validate`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from labeler.terminal import console, told

FormatName = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="trl, openrlhf, math-shepherd, prm800k, rlhflow, qwen, scan, mm-prm, processbench, "
        "orm; math-aps is only read.",
    ),
]
Placeholder = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What ends a step for the trainer, where it is not the usual: ки (openrlhf, "
        "math-shepherd), <extra_0> (qwen), <prm> (mm-prm), a newline (trl).",
    ),
]


def export(  # noqa: PLR0913, PLR0917 - each is an option of the command
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    format: FormatName,  # noqa: A002 - the option's name
    out: Annotated[Path, typer.Option(metavar="DIR", help="A folder that is not there yet.")],
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="hard|soft|ratings",
            help="Default: what the format is for. ratings: -1, 0, 1, to prm800k.",
        ),
    ] = None,
    after_error: Annotated[
        str,
        typer.Option(
            metavar="keep|cut|hard",
            help="Steps after the first error: as wrong, left out, or by their own `hard`.",
        ),
    ] = "keep",
    undecided: Annotated[
        str | None,
        typer.Option(
            metavar="drop|keep",
            help="Solutions without a decided first error; keep: soft labels alone. Default: drop, "
            "but keep for orm.",
        ),
    ] = None,
    zero: Annotated[
        str,
        typer.Option(
            metavar="good|bad",
            help="What a neutral step (rated 0) is as a hard label: good as Lightman et al. have "
            "it, bad as TRL does.",
        ),
    ] = "good",
    placeholder: Placeholder = None,
    min_confidence: Annotated[
        float | None, typer.Option(help="Only first errors as sure as this.")
    ] = None,
    keep_only: Annotated[
        bool, typer.Option("--keep-only", help="Only what consensus filtering keeps.")
    ] = False,
    balance: Annotated[
        bool, typer.Option("--balance", help="As many solutions with an error as without.")
    ] = False,
    test_share: Annotated[float, typer.Option(help="Share of the questions in split `test`.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the split and of --balance.")] = 0,
    decontaminate: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="A benchmark whose problems are left out. May be given again."
        ),
    ] = None,
    push: Annotated[
        str | None, typer.Option(metavar="REPO", help="Upload it to this dataset of a hub, too.")
    ] = None,
) -> None:
    """Write a run's labels in a trainer's format: one file a split, and a dataset card.

    labeler export runs/quickstart --format trl --out prm-data --test-share 0.1
    """
    from labeler.apps.export import ExportWish, show
    from labeler.apps.export import export as export_app
    from labeler.apps.export.settings import format_of, options_of

    given: dict[str, Any] = {
        "labels": labels,
        "after_error": after_error,
        "undecided": undecided,
        "zero": zero,
        "min_confidence": min_confidence,
        "keep_only": keep_only,
        "balance": balance,
        "test_share": test_share,
        "seed": seed,
    }
    with told():
        to = format_of(format, placeholder)
        files = tuple(decontaminate or ())
        wish = ExportWish(run, to, out, options_of(given, to), files, push)
        show(export_app(wish), wish, console())


def validate(
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="JSON lines, JSON or Parquet, or a folder."),
    ],
    format: FormatName,  # noqa: A002 - the option's name
    tokenizer: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The trainer's tokenizer: checks what becomes tokens."),
    ] = None,
    placeholder: Placeholder = None,
    max_length: Annotated[
        int | None,
        typer.Option(help="Tokens at which the trainer cuts; trl: 1024 if not given.", min=1),
    ] = None,
) -> None:
    """Check a data set as its trainer will read it. Each fault names row, field and fix.

    labeler validate prm-data --format trl --tokenizer models/Qwen2.5-0.5B --max-length 2048
    """
    from labeler.apps.export.settings import format_of
    from labeler.apps.validate import ValidateWish, show
    from labeler.apps.validate import validate as validate_app

    with told():
        to = format_of(format, placeholder)
        report = validate_app(ValidateWish(path, to, tokenizer, max_length))
        show(report, to, console())
    if report.faults:
        raise typer.Exit(1)
