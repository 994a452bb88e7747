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

app = typer.Typer(help="A small process reward model on a run's labels.", add_completion=False)


@app.command()
def train(
    run: Annotated[Path, typer.Argument(help="A run directory with labels/.")],
    out: Annotated[Path, typer.Option(help="Where the model is written.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting, see labeler/prm/settings.py."),
    ] = None,
    labels: Annotated[str, typer.Option(help=f"One of {', '.join(get_args(Labels))}.")] = "target",
    base: Annotated[Path | None, typer.Option(help="A causal model's directory.")] = None,
    seed: int = 0,
) -> None:
    """Train on the labels of a run."""
    from labeler.prm.examples import read_run
    from labeler.prm.training import train as train_on

    with _told():
        chosen = _settings(
            settings or [], labels=labels, seed=seed, **({"base": base} if base else {})
        )
        made = train_on(read_run(run, chosen.labels), chosen)
        made.model.save(out)
    typer.echo(f"{made.solutions} solutions; {made.cut} steps beyond max_length have no label")
    typer.echo("loss by epoch: " + " ".join(f"{loss:.4f}" for loss in made.losses))
    typer.echo(
        f"threshold {made.model.threshold:.3f} ({made.model.threshold_from}); saved in {out}"
    )


@app.command()
def evaluate(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A model that train wrote.")],
    file: Annotated[Path, typer.Argument(help="Rows of ProcessBench: JSON, JSONL or Parquet.")],
    threshold: Annotated[float | None, typer.Option(help="Instead of the model's own.")] = None,
) -> None:
    """First-error F1 by ProcessBench's definition, with trace errors and scoring rules."""
    from labeler.prm.evaluation import evaluate as evaluate_on
    from labeler.prm.examples import read_truth
    from labeler.prm.network import load

    with _told():
        for line in evaluate_on(load(folder), read_truth(file), threshold).lines():
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
    try:
        yield
    except LabelerError as e:
        typer.echo(str(e), err=True)
        raise typer.Exit(1) from e


if __name__ == "__main__":
    app()
