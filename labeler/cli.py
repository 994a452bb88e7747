"""cli.py - the command line: parses, calls labeler.apps, prints. No logic.

Commands import what they need when they run, so `labeler --help` answers at once.
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 interrupted.
"""

import os
from pathlib import Path
from typing import Annotated

import typer

from labeler.cli_audit import audit, report
from labeler.cli_compare import compare, consensus
from labeler.cli_export import export, validate
from labeler.terminal import console, told, unwrapped

app = typer.Typer(
    name="labeler",
    help="Step labels for process reward models: rollouts, graded, in Parquet.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

ConfigFile = Annotated[Path, typer.Argument(metavar="CONFIG", help="A YAML file, see configs/.")]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(metavar="[key.sub=value]...", help="Settings that replace the file's."),
]
RunDirectory = Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")]


@app.command()
def run(config: ConfigFile, overrides: Overrides = None) -> None:
    """Roll out, grade and label. The same command resumes a run, or extends it.

    Reads problems, lets the completer finish each solution from its prefixes, checks the answers
    and writes labels/*.parquet into the run directory (runs/<name>).
    """
    from labeler.apps import progress
    from labeler.apps.run import run as run_app
    from labeler.config import load

    with told(resume=True):
        screen = console()
        loaded = load(config, overrides or [])
        with progress.watcher(loaded, screen) as watcher:
            summary = run_app(loaded, watcher)
        progress.show(summary, loaded, screen)
    if not progress.complete(summary):
        raise typer.Exit(1)


@app.command()
def label(
    run: RunDirectory,
    overrides: Overrides = None,
    grader: Annotated[
        bool,
        typer.Option("--grader", help="Grade the log anew with this installation's grader."),
    ] = False,
) -> None:
    """Label a run again from its log: another rule, N or threshold. Samples nothing.

    For example: labeler label runs/quickstart labels.n=4

    Labels keep the grader that they were made with. With --grader, the verdicts
    of this installation's are added beside the old ones, and used:
    `labeler grade --diff RUN` shows what that changed.
    """
    from labeler.apps.label import label as label_app
    from labeler.apps.label import show

    with told():
        show(label_app(run, overrides or [], regrade=grader), run, console())


@app.command()
def inspect(
    run: RunDirectory,
    solution: Annotated[
        str | None, typer.Argument(help="A solution's id; without it, the first few.")
    ] = None,
    count: Annotated[int, typer.Option(help="How many solutions.", min=1)] = 3,
    rollouts: Annotated[int, typer.Option(help="Rollouts shown of each prefix.", min=0)] = 0,
) -> None:
    """Show labelled solutions: steps coloured by value, the first error marked."""
    from labeler.apps.inspect import inspect as inspect_app

    with told():
        inspect_app(run, solution, count, rollouts, console())


@app.command()
def plan(
    config: ConfigFile,
    overrides: Overrides = None,
    pilot: Annotated[
        Path | None, typer.Option(help="A finished run whose rates and lengths to go by.")
    ] = None,
) -> None:
    """Say what a run will cost before it is paid: rollouts, tokens, engine-hours."""
    from labeler.apps.plan import plan as plan_app
    from labeler.config import load

    with told():
        plan_app(load(config, overrides or []), pilot, console())


@app.command()
def calibrate(
    run: RunDirectory,
    truth: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="JSON lines or Parquet with `solution_id` and the exact `first_error` (0: none).",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where it goes; default RUN/value_model.yaml."),
    ] = None,
) -> None:
    """Fit the value model to a run's rollouts, without truth, for the next run and for labels.

    labeler run configs/adaptive.yaml value_model=runs/pilot/value_model.yaml

    labeler label runs/pilot labels.value_model=runs/pilot/value_model.yaml
    """
    from labeler.apps.calibrate import calibrate as calibrate_app

    with told():
        calibrate_app(run, truth, out, console())


@app.command()
def doctor(
    config: Annotated[
        Path | None, typer.Argument(metavar="[CONFIG]", help="A YAML file to check, too.")
    ] = None,
    overrides: Overrides = None,
) -> None:
    """Check the environment and, given a config, its model, prompts and gold answers."""
    from labeler.apps.doctor import doctor as doctor_app
    from labeler.config import load

    with told():
        loaded = load(config, overrides or []) if config else None
        healthy = doctor_app(loaded, console())
    if not healthy:
        raise typer.Exit(1)


@app.command(context_settings={"ignore_unknown_options": True})  # an answer may be -5
def grade(  # noqa: PLR0913, PLR0917 - each is an option of the command
    gold: Annotated[str | None, typer.Argument(help="The gold answer.", show_default=False)] = None,
    answer: Annotated[
        str | None,
        typer.Argument(help="A completion's text, or an answer alone.", show_default=False),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what each side was read as, and what decided.")
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="PAIRS", help="JSON lines with `gold` and `pred`, a completion's text."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="VERDICTS",
            help="Where these rows go, with `verdict`, `reason`, `answer` and `millis` added.",
        ),
    ] = None,
    diff: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Show what changed between two graders of this run."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="CONFIG", help="Grade by this configuration's conventions."),
    ] = None,
) -> None:
    r"""Grade an answer, or a file of them, as a run does; or compare a run's graders.

    labeler grade '\frac{1}{2}' 0.5 --explain

    labeler grade --file pairs.jsonl --out verdicts.jsonl

    labeler grade --diff runs/quickstart
    """
    from labeler.apps.grade import Wish
    from labeler.apps.grade import grade as grade_app

    with told():
        grade_app(Wish(gold, answer, explain, file, out, diff, config), console())


app.command()(audit)
app.command()(report)
app.command()(compare)
app.command()(consensus)
app.command()(export)
app.command()(validate)
for _command in app.registered_commands:
    _command.help = unwrapped(getattr(_command.callback, "__doc__", None) or "")


def main() -> None:
    """Entry point of the console script."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    app()
