"""settings.py - what the command line gives, as options; wrong usage is a ConfigError."""

from collections.abc import Mapping

from pydantic import ValidationError

from labeler.config import ConfigError
from labeler.exporting import ExportOptions
from labeler.formats import Format, of
from labeler.model import LabelerError
from labeler.params import explain


def options_of(given: Mapping[str, object], to: Format) -> ExportOptions:
    """The options; labels that are not chosen (None) are those that the format is for.

    Raises ConfigError with a line for each thing that is wrong.
    """
    if given.get("labels") is None:
        given = {**given, "labels": "soft" if to.carries_soft else "hard"}
    try:
        return ExportOptions.model_validate(given)
    except ValidationError as error:
        lines = (line.replace("Value error, ", "") for line in explain(error, ExportOptions))
        said = "\n  ".join(line.removeprefix("config: ") for line in lines)
        raise ConfigError(f"the options of the export:\n  {said}") from error


def format_of(name: str) -> Format:
    """The format of this name. Raises ConfigError with the nearest one."""
    try:
        return of(name)
    except LabelerError as error:
        raise ConfigError(str(error)) from error
