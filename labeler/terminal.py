"""terminal.py - what every command needs: a console, and errors told in one message."""

import io
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import cleandoc
from types import FrameType
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console


def console() -> "Console":
    """Where a command prints."""
    from rich.console import Console

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # where the output is not UTF-8
    return Console()


def unwrapped(text: str) -> str:
    """A docstring whose paragraphs are a line each: typer keeps line ends as they are written."""
    return "\n\n".join(" ".join(part.split()) for part in cleandoc(text).split("\n\n"))


@contextmanager
def told(*, resume: bool = False) -> Iterator[None]:
    """Turn the user's errors into one message and an exit code; SIGTERM acts like Ctrl-C."""
    from labeler.model import LabelerError

    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    except KeyboardInterrupt:
        again = shlex.join(["labeler", *sys.argv[1:]])
        kept = f"; what was sampled is kept. To go on: {again}" if resume else "."
        typer.echo(f"Interrupted{kept}", err=True)
        raise typer.Exit(130) from None
    except LabelerError as error:
        from labeler.config import ConfigError

        typer.echo(f"labeler: {error}", err=True)
        raise typer.Exit(2 if isinstance(error, ConfigError) else 1) from error
    except OSError as error:  # a disk or a permission; where it has a file, it names it
        typer.echo(f"labeler: {error}", err=True)
        raise typer.Exit(1) from error


def _interrupt(_signum: int, frame: FrameType | None) -> None:
    """As Ctrl-C does: asyncio's handler cancels what runs, where raising would tear it."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # ignored, as in the background of a script
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)
