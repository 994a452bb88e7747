"""__main__.py - `python -m labeler.prm`: parses, calls, prints. No logic."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, get_args

import typer
from pydantic import ValidationError

from labeler.model import LabelerError
from labeler.params import explain
from labeler.prm.settings import Labels, Settings
from labeler.settings import apply_overrides

_OTHERS = ", ".join(
    f"{name}={field.default}"
    for name, field in Settings.model_fields.items()
    if isinstance(field.default, int | float) and name != "seed"
)
_BASE: Path = Settings().base
app = typer.Typer(help="A small process reward model on a run's labels.", add_completion=False)


@app.command()
def train(
    run: Annotated[Path, typer.Argument(help="A run directory with labels/.")],
    out: Annotated[Path, typer.Option(help="The directory that the model is written into.")],
    labels: Annotated[
        str, typer.Option(help=f"What each step learns: one of {', '.join(get_args(Labels))}.")
    ] = "target",
    base: Annotated[Path, typer.Option(help="Directory of a causal language model.")] = _BASE,
    seed: Annotated[int, typer.Option(help="Of first weights, batches and validation.")] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help=f"Another setting ({_OTHERS}); may be repeated."
        ),
    ] = None,
) -> None:
    """Train on the labels of a run, and choose the threshold on problems that are kept out."""
    from labeler.prm.examples import read_run
    from labeler.prm.network import make_folder
    from labeler.prm.training import train as train_on

    with _told():
        chosen = _settings(settings or [], labels=labels, base=base, seed=seed)
        found = read_run(run, chosen.labels)
        make_folder(out)
        made = train_on(found.examples, chosen)
        made.model.save(out)
    typer.echo(
        f"{made.solutions} solutions trained on, {len(found.examples) - made.solutions} kept out "
        f"or too long; {found.unlabelled} without a label of kind {chosen.labels}, "
        f"{found.dropped} dropped by consensus filtering"
    )
    typer.echo(
        f"{made.good} steps labelled good (one half or more), {made.bad} bad; {made.cut} lie "
        "beyond max_length"
    )
    typer.echo("loss by epoch: " + " ".join(f"{loss:.4f}" for loss in made.losses))
    typer.echo(
        f"threshold {made.model.threshold:.3f} ({made.model.threshold_from}); saved in {out}"
    )


@app.command()
def evaluate(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A directory that train wrote.")],
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Solutions as ProcessBench has them: JSON, JSONL or Parquet."
        ),
    ],
    threshold: Annotated[
        float | None,
        typer.Option(
            help="A step is wrong where its score is below this; train chose one, if none is given."
        ),
    ] = None,
) -> None:
    """First-error F1 by ProcessBench's definition, with trace errors and scoring rules."""
    from labeler.prm.evaluation import evaluate as evaluate_on
    from labeler.prm.examples import read_truth
    from labeler.prm.network import load

    with _told():
        records = read_truth(file)
        for line in evaluate_on(load(folder), records, threshold).lines():
            typer.echo(line)


def _settings(given: list[str], **more: object) -> Settings:
    """The settings that texts KEY=VALUE make. Raises LabelerError for those that are none."""
    data = dict(more)
    apply_overrides(data, given)
    try:
        return Settings.model_validate(data)
    except ValidationError as e:
        raise LabelerError("\n".join(explain(e, Settings))) from e


@contextmanager
def _told() -> Iterator[None]:
    """Errors in one sentence, without what the libraries print beside it."""
    try:
        import datasets
        import torch  # noqa: F401 - only whether it is there
        from transformers.utils import logging
    except ImportError as e:
        typer.echo(f"{e.name} is not installed: pip install 'labeler[prm]'", err=True)
        raise typer.Exit(1) from e
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    except LabelerError as e:
        typer.echo(str(e), err=True)
        raise typer.Exit(1) from e


if __name__ == "__main__":
    app()
