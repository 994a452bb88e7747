"""settings.py - what the command line gives, as format and options; wrong usage: ConfigError."""

from collections.abc import Mapping

from pydantic import ValidationError

from labeler.config import ConfigError
from labeler.exporting import ExportOptions, only_read
from labeler.formats import TAGGED, Format, of, with_tag
from labeler.model import LabelerError
from labeler.params import explain

_OUTCOMES = ("orm", "processbench")
"""Formats whose rows say whether the own answer is right."""


def options_of(given: Mapping[str, object], to: Format) -> ExportOptions:
    """The options; what is not chosen (None) is what the format is for.

    Labels are soft where it keeps such, and an outcome needs no first error. Raises ConfigError
    with a line for each thing that is wrong.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    chosen.setdefault("labels", "soft" if to.carries_soft else "hard")
    needs_error = chosen.get("balance") or chosen.get("after_error") == "cut"
    if to.name == "orm" and chosen["labels"] == "soft" and not needs_error:
        chosen.setdefault("undecided", "keep")
    try:
        return ExportOptions.model_validate(chosen)
    except ValidationError as error:
        said = "\n  ".join(map(_as_told, explain(error, ExportOptions)))
        raise ConfigError(f"the options of the export:\n  {said}") from error


def _as_told(line: str) -> str:
    """A line about a key of the options, in the words of the command line."""
    key, _, what = line.replace("Value error, ", "").partition(": ")
    return what if key == "config" else f"--{key.replace('_', '-')}: {what}"


def go_together(options: ExportOptions, to: Format) -> None:
    """Raises ConfigError for options that the format has no place for."""
    if why := only_read(to):
        raise ConfigError(f"--format {to.name}: {why}")
    if options.labels == "soft" and not to.carries_soft:
        raise ConfigError(
            f"--labels soft: trainers of {to.name} read true or false, and drop or refuse "
            "anything between. Export hard labels, or soft ones to a format that keeps them."
        )
    if options.labels == "ratings" and to.name != "prm800k":
        raise ConfigError(
            f"--labels ratings: rows of {to.name} have no place for -1, 0 and 1. Use --format "
            "prm800k, or hard labels with --zero."
        )
    if options.zero == "bad" and to.name in ("prm800k", "processbench"):
        raise ConfigError(
            f"--zero bad makes wrong steps of neutral ones, and {to.name} is not for that: prm800k "
            "holds ratings themselves (--labels ratings), processbench first errors."
        )
    if options.after_error == "hard" and to.name == "processbench":
        raise ConfigError(
            "--after-error hard: a row of processbench names the first error, and holds no labels "
            "of steps. Use keep."
        )
    if options.after_error == "cut" and to.name in _OUTCOMES:
        raise ConfigError(
            f"--after-error cut: a row of {to.name} says whether the solution's answer is right, "
            "and a solution that is cut has none. Use keep."
        )


def format_of(name: str, placeholder: str | None = None) -> Format:
    """The format of this name, its steps ended by the placeholder where one is given.

    Raises ConfigError with the nearest name, or for a placeholder that cannot be one.
    """
    try:
        to = of(name)
    except LabelerError as error:
        raise ConfigError(f"--format: {error}") from error
    if placeholder is None:
        return to
    if name not in TAGGED:
        raise ConfigError(
            f"--placeholder: nothing in rows of {name} could be another one; it is for "
            f"{', '.join(TAGGED)}"
        )
    if not placeholder or any("\ud800" <= letter <= "\udfff" for letter in placeholder):
        raise ConfigError("--placeholder is empty, or no UTF-8: give what ends a step")
    return with_tag(to, placeholder)
