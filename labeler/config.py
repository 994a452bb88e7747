"""config.py - one YAML file is one run: load, override, explain, and identify.

`load` reads the file, applies `key.sub=value` overrides and validates; an unknown key is
refused with the nearest valid name. `identity` is what changes sampling: a run directory
belongs to one identity, while more rollouts, more problems, another policy or label rule are
welcome in it.
"""

import json
import os
import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import (
    BaseModel,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    field_validator,
    model_validator,
)

from labeler.grading import GradingConfig
from labeler.labels import LabelConfig
from labeler.model import LabelerError, digest
from labeler.params import Params
from labeler.policies import Exhaustive, Policy
from labeler.problems import ProblemsConfig
from labeler.prompts import PromptConfig
from labeler.samplers import CompleterConfig, Sampling
from labeler.steps import StepsConfig


class ConfigError(LabelerError):
    """The configuration is wrong; the command line exits with 2."""


class GeneratorConfig(Params):
    """Who writes the solutions of problems that come without any."""

    per_problem: PositiveInt = 4
    """Solutions sampled for each problem."""
    completer: CompleterConfig | None = None
    """Another model; null means the run's own completer and its engine."""
    sampling: Sampling | None = None
    """How it samples; null means as its completer's own configuration says."""


class RayRunner(Params):
    """Units of work on Ray actors, each of which owns one completer engine."""

    kind: Literal["ray"] = "ray"
    address: str = "local"
    """`local` starts a Ray of our own and stops it; `auto` or host:port joins a cluster."""
    actors: PositiveInt = 1
    """Engines wanted. Those that the cluster has no room for wait until it grows."""
    cpus: PositiveFloat = 1
    """CPUs that Ray sets aside for one actor; leave one of the machine's free beside them."""
    gpus: float = 0
    """GPUs of one actor; with tensor parallelism, its size."""
    units_in_flight: PositiveInt = 2
    """Units that one actor works on at once, so that its engine never waits for a next one."""


class InlineRunner(Params):
    """The same code in this process, on one event loop."""

    kind: Literal["inline"] = "inline"
    units_in_flight: PositiveInt = 2
    """Units worked on at once."""


class RunConfig(Params):
    """Everything about one run."""

    name: str = Field(pattern=r"^\w[\w.-]*$", max_length=100)
    """Names the run directory, and the dataset in its card."""
    run_dir: str | None = None
    """Where the run lies; null means runs/<name>. Environment variables and `~` are expanded."""
    problems: ProblemsConfig
    steps: StepsConfig = StepsConfig()
    prompt: PromptConfig = PromptConfig()
    completer: CompleterConfig
    generator: GeneratorConfig | None = None
    policy: Policy = Exhaustive()
    labels: LabelConfig = LabelConfig()
    grading: GradingConfig = GradingConfig()
    runner: Annotated[RayRunner | InlineRunner, Field(discriminator="kind")] = RayRunner()
    seed: NonNegativeInt = 0
    """Shifts the content-derived seed of every rollout."""
    unit_size: PositiveInt = 32
    """Problems a unit of work, about; fixed when the run directory is made."""
    flush_seconds: PositiveFloat = 5.0
    """At most this much sampling is lost to a kill."""

    @model_validator(mode="before")
    @classmethod
    def _default_kinds(cls, data: Any) -> Any:  # noqa: ANN401 - whatever a user wrote
        """`policy.n=16` alone means the default policy with another n."""
        for key, kind in (("policy", "exhaustive"), ("runner", "ray")):
            if isinstance(data, dict) and isinstance(data.get(key), dict):
                data = {**data, key: {"kind": kind, **data[key]}}
        return data

    @field_validator("run_dir")
    @classmethod
    def _expanded(cls, value: str | None) -> str | None:
        path = os.path.expanduser(os.path.expandvars(value or ""))
        if unknown := re.match(r"~[^/]*", path) or re.search(r"\$(\w+|\{\w+\})", path):
            raise ValueError(f"{unknown[0]} is not set: set it, or write the path out")
        return path or None

    @property
    def root(self) -> Path:
        """The run directory, absolute."""
        return Path(self.run_dir or f"runs/{self.name}").absolute()

    @property
    def environment(self) -> dict[str, str]:
        """Variables that must stand before a process starts that opens the completers.

        Only where all models lie on this disk are the hubs switched off.
        """
        other = self.generator.completer if self.generator else None
        needs = [c.environment() for c in (other, self.completer) if c is not None]
        merged = {name: value for need in needs for name, value in need.items()}
        if any(need and "HF_HUB_OFFLINE" not in need for need in needs):
            merged.pop("HF_HUB_OFFLINE", None)
        return merged

    @property
    def identity(self) -> dict[str, Any]:
        """What changes sampling, as plain JSON."""
        dumped = self.model_dump(mode="json")
        kept = {key: dumped[key] for key in ("prompt", "completer", "generator", "steps", "seed")}
        if kept["generator"]:
            kept["generator"].pop("per_problem")  # more solutions are welcome in the same run
        identity: dict[str, Any] = _without(kept, _NOT_SAMPLING)
        return identity

    @property
    def hash(self) -> str:
        """Digest of the identity."""
        return digest(json.dumps(self.identity, sort_keys=True))


_NOT_SAMPLING = frozenset({"engine", "url", "api_key_env", "delay_ms"})
"""Keys of a completer that change how fast or from where completions come, not which."""


def _without(value: Any, keys: frozenset[str]) -> Any:  # noqa: ANN401 - walks plain JSON
    if isinstance(value, dict):
        return {k: _without(v, keys) for k, v in value.items() if k not in keys}
    return value


def load(path: str | Path, overrides: Sequence[str] = ()) -> RunConfig:
    """Read a YAML config and apply overrides such as `policy.n=16`.

    Raises ConfigError, with the key and the nearest valid name, where anything is wrong.
    """
    try:
        data = _yaml(Path(path).read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not YAML: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path} must hold keys and values, such as `name: my_run`")
    apply_overrides(data, overrides)
    return parse(data, str(path))


def apply_overrides(data: dict[str, Any], overrides: Sequence[str]) -> None:
    """Set `key.sub=value` in plain data, the value read as YAML. Raises ConfigError."""
    for override in overrides:
        _override(data, override)


def parse(data: dict[str, Any], where: str) -> RunConfig:
    """Validate plain data. Raises ConfigError; `where` names it in the message."""
    try:
        return RunConfig.model_validate(data)
    except ValidationError as error:
        lines = [_explain(e["type"], e["loc"], e["msg"]) for e in error.errors()]
        raise ConfigError(f"{where}:\n" + "\n".join(f"  {line}" for line in lines)) from error


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
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, AttributeError, RecursionError) as error:
        raise ConfigError(f"{where} is not YAML: {error}") from error


def _explain(kind: str, loc: tuple[int | str, ...], message: str) -> str:
    models, shown = _walk(loc if kind != "extra_forbidden" else loc[:-1])
    if kind != "extra_forbidden":
        return f"{'.'.join(shown) or 'config'}: {message}"
    unknown = str(loc[-1])
    names = sorted({name for model in models for name in model.model_fields})
    near = get_close_matches(unknown, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"valid are {', '.join(names)}"
    return f"{'.'.join([*shown, unknown])}: no such key; {hint}"


def _walk(loc: tuple[int | str, ...]) -> tuple[list[type[BaseModel]], list[str]]:
    """The models that a validation error's location ends in, and its keys without union tags."""
    models: list[type[BaseModel]] = [RunConfig]
    shown: list[str] = []
    for part in map(str, loc):
        tagged = [
            m for m in models if "kind" in m.model_fields and m.model_fields["kind"].default == part
        ]
        if tagged and len(models) > 1:
            models = tagged
            continue
        shown.append(part)
        fields = [m.model_fields[part] for m in models if part in m.model_fields]
        models = [m for f in fields for m in _models(f.annotation)]
    return models, shown


def _models(annotation: Any) -> list[type[BaseModel]]:  # noqa: ANN401 - any type expression
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for arg in get_args(annotation) for m in _models(arg)]
