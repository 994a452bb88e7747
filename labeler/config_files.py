"""config_files.py - what a configuration names by path: value models, a judge's text, directories.

Plain data in, plain data out: each name of a file is replaced by what the file holds.
"""

import os
import re
from pathlib import Path
from typing import Any

from labeler.settings import ConfigError, mapping


def with_files(data: dict[str, Any]) -> dict[str, Any]:
    """The data with what its files hold. Raises ConfigError where one cannot be read."""
    return _with_template(_with_value_models(data))


def expanded(path: str) -> str:
    """The path with `$NAME` and `~` replaced. ValueError where one is not set."""
    path = os.path.expanduser(os.path.expandvars(path))
    if unknown := re.match(r"~[^/]*", path) or re.search(r"\$(\w+|\{\w+\})", path):
        raise ValueError(f"{unknown[0]} is not set: set it, or write the path out")
    return path


def _with_value_models(data: dict[str, Any]) -> dict[str, Any]:
    """The data, each `value_model` that is a path replaced by what the file holds."""

    def read(part: Any) -> Any:  # noqa: ANN401 - whatever a user wrote
        named = part.get("value_model") if isinstance(part, dict) else None
        return part | {"value_model": _value_model(named)} if isinstance(named, str) else part

    parts: dict[str, Any] = {key: read(data[key]) for key in ("policy", "labels") if key in data}
    if isinstance(further := data.get("completers"), list):
        parts["completers"] = [read(prover) for prover in further]
    whole: dict[str, Any] = read(data | parts)
    return whole


def _with_template(data: dict[str, Any]) -> dict[str, Any]:
    """The data, a `judge.template` replaced by the text that the file holds."""
    judge = data.get("judge")
    if not isinstance(judge, dict) or "template" not in judge:
        return data
    if not isinstance(judge["template"], str) or "text" in judge:
        raise ConfigError(
            "judge.template: must be the path of a file with what the judge is shown, and then "
            "there is no judge.text"
        )
    try:
        text = Path(expanded(judge["template"])).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        named = judge["template"]
        raise ConfigError(f"judge.template: {named} cannot be read: {error}") from error
    rest = {key: value for key, value in judge.items() if key != "template"}
    return data | {"judge": rest | {"text": text}}


def _value_model(path: str) -> Any:  # noqa: ANN401 - validated where it stands
    """What a file of `labeler calibrate` says of values."""
    try:
        held = mapping(expanded(path), "value_model: {hazard: 0.1}")
        return dict(held["value_model"])
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"value_model: {path} is none of `labeler calibrate`'s files: {error}"
        ) from error
