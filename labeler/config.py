"""config.py - one YAML file is one run: load, override, explain, and identify.

`load` reads the file, applies `key.sub=value` overrides and validates; an unknown key is
refused with the nearest valid name. `identity` is what changes sampling: a run directory
belongs to one identity, while more rollouts, more problems, another policy or label rule are
welcome in it.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    field_validator,
    model_validator,
)

from labeler.config_files import expanded, with_files
from labeler.consensus import ConsensusConfig
from labeler.grading import GradingConfig
from labeler.judging import JudgeConfig
from labeler.labels import LabelConfig
from labeler.model import digest
from labeler.params import Params, explain
from labeler.policies import Exhaustive, Policy
from labeler.posterior import ValueModel
from labeler.problems import ProblemsConfig
from labeler.prompts import PromptConfig
from labeler.provers import Provers
from labeler.samplers import CompleterConfig, Sampling
from labeler.settings import ConfigError, apply_overrides, mapping
from labeler.steps import StepsConfig

__all__ = ["ConfigError", "RunConfig", "apply_overrides", "load", "parse"]


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
    units_in_flight: PositiveInt | None = None
    """Units that one actor works on at once, so that its engine never waits for a next one; null:
    2, and 16 where a search asks for what it needs bit by bit."""


class InlineRunner(Params):
    """The same code in this process, on one event loop."""

    kind: Literal["inline"] = "inline"
    units_in_flight: PositiveInt | None = None
    """Units worked on at once; null: 2, and 16 where a search asks for what it needs bit by bit."""


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
    completers: Provers = ()
    """Further completers: provers, each with rollouts and label columns of its own."""
    generator: GeneratorConfig | None = None
    policy: Policy = Exhaustive()
    labels: LabelConfig = LabelConfig()
    judge: JudgeConfig | None = None
    """Who names the first wrong step of each solution beside the rollouts; null: nobody."""
    consensus: ConsensusConfig = ConsensusConfig()
    """Which solutions are kept, given what rollouts and judge say; of effect with a judge."""
    value_model: ValueModel | None = None
    """What is assumed of the completer's values, by an adaptive policy and by the labels, where
    they have no `value_model` of their own: written out, or the path of a file that `labeler
    calibrate` wrote."""
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
        for key, kind in (("policy", "exhaustive"), ("runner", "ray"), ("judge", "locate")):
            if isinstance(data, dict) and isinstance(data.get(key), dict):
                data = {**data, key: {"kind": kind, **data[key]}}
        return data

    @model_validator(mode="before")
    @classmethod
    def _shared_value_model(cls, data: Any) -> Any:  # noqa: ANN401 - whatever a user wrote
        """The run's value model is the adaptive policy's and the labels', if they name none."""
        if not isinstance(data, dict) or data.get("value_model") is None:
            return data
        shared = {"value_model": data["value_model"]}
        parts = {"labels": data.get("labels", {}), "policy": data.get("policy")}
        return data | {
            key: shared | part
            for key, part in parts.items()
            if isinstance(part, dict) and (key == "labels" or part.get("kind") == "adaptive")
        }

    @model_validator(mode="after")
    def _best_of_some(self) -> Self:
        """Best-of-J needs J rollouts of a prefix."""
        most = max(self.policy.n, *(prover.n for prover in self.completers), 0)
        if (tries := max(self.labels.best_of, default=0)) > most:
            raise ValueError(
                f"labels.best_of: of at most {most} rollouts a prefix no {tries} can be drawn; "
                "raise policy.n, or the n of a further completer"
            )
        return self

    @field_validator("run_dir")
    @classmethod
    def _expanded(cls, value: str | None) -> str | None:
        return expanded(value or "") or None

    @property
    def root(self) -> Path:
        """The run directory, absolute."""
        return Path(self.run_dir or f"runs/{self.name}").absolute()

    @property
    def units_in_flight(self) -> int:
        """Units worked on at once, so that an engine has enough to do (benchmarks/engine_busy.py).

        An exhaustive search asks for all at once, any other one waits for replies: then the
        rollouts in flight are few a problem, and their number falls while a unit comes to its end.
        """
        return self.runner.units_in_flight or (2 if self.policy.kind == "exhaustive" else 16)

    @property
    def environment(self) -> dict[str, str]:
        """Variables that must stand before a process starts that opens the completers.

        Only where all models lie on this disk are the hubs switched off.
        """
        others = [
            other.completer for other in (*self.completers, self.generator, self.judge) if other
        ]
        needs = [c.environment() for c in (*others, self.completer) if c is not None]
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
    def further(self) -> list[dict[str, Any]]:
        """The further completers, without what changes no rollout, as plain JSON."""
        dumped = [prover.model_dump(mode="json") for prover in self.completers]
        return [_without(one, _NOT_SAMPLING) for one in dumped]

    @property
    def judging(self) -> dict[str, Any] | None:
        """The judge, without what changes no answer of it, as plain JSON."""
        judge = self.judge and self.judge.model_dump(mode="json")
        stripped: dict[str, Any] | None = _without(judge, _NOT_SAMPLING)
        return stripped

    @property
    def rule(self) -> dict[str, Any]:
        """What shapes labels and samples nothing, as plain JSON."""
        rule = self.labels.model_dump(mode="json")
        return rule | ({"consensus": self.consensus.model_dump()} if self.judge else {})

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
    data = mapping(path, "name: my_run")
    apply_overrides(data, overrides)
    return parse(data, str(path))


def parse(data: dict[str, Any], where: str) -> RunConfig:
    """Validate plain data, the files that it names read. Raises ConfigError, naming `where`."""
    try:
        return RunConfig.model_validate(with_files(data))
    except ValidationError as error:
        lines = explain(error, RunConfig)
        raise ConfigError(f"{where}:\n" + "\n".join(f"  {line}" for line in lines)) from error
