"""settings.py - settings as plain data: YAML files, and overrides such as `policy.n=16`.

It does not know what the settings mean; what cannot be read is a ConfigError that says why.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from labeler.model import LabelerError


class ConfigError(LabelerError):
    """The configuration is wrong; the command line exits with 2."""


class _Loader(yaml.SafeLoader):
    """Only `true` and `false` are booleans, as in YAML 1.2: `yes` and `no` are words."""


_BOOL = "tag:yaml.org,2002:bool"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if tag != _BOOL]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_BOOL, re.compile("^(?:true|false)$", re.IGNORECASE), [*"tTfF"])


def apply_overrides(data: dict[str, Any], overrides: Sequence[str]) -> None:
    """Set `key.sub=value` in plain data, the value read as YAML. Raises ConfigError."""
    for override in overrides:
        _override(data, override)


def mapping(path: str | Path, such_as: str) -> dict[str, Any]:
    """The keys and values of a YAML file; `such_as` is an example of them."""
    try:
        data = _yaml(Path(path).read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not YAML: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path} must hold keys and values, such as `{such_as}`")
    return data


def _override(data: dict[str, Any], override: str) -> None:
    key, equals, value = override.partition("=")
    if not equals or not key:
        raise ConfigError(f"an override is written key.sub=value, not {override!r}")
    *path, last = key.strip().split(".")
    at = data
    for part in path:
        if at.get(part) is None:
            at[part] = {}
        at = at[part]
        if not isinstance(at, dict):
            raise ConfigError(f"{override!r}: {part} is a single value and has no keys")
    at[last] = _yaml(value, f"the value of {override!r}")


def _yaml(text: str, where: str) -> Any:  # noqa: ANN401 - whatever a user wrote
    """Plain data. Of `2024-13-45` or `!!int x`, PyYAML raises what the conversion raises."""
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, AttributeError, RecursionError) as error:
        raise ConfigError(f"{where} is not YAML: {error}") from error
