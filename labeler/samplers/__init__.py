"""samplers - where completions come from: vLLM, an endpoint, a recorded pool, a planted world.

All network and model I/O of the project lives here. Each module holds one configuration class;
its `open` gives a Source, and a Source gives samplers (model.Sampler). What shapes the
distribution of completions stands directly in a configuration; what only changes how fast and
how safely they come stands in its `engine` and is no part of a run's identity.

To add one: a module with a configuration and its sampler, a word in the union below, and a
case in tests/samplers/test_protocol.py.
"""

from typing import Annotated

from pydantic import Field

from labeler.samplers.base import (
    CHOOSER,
    COMPLETER,
    GENERATOR,
    JUDGE,
    EngineDiedError,
    Sampling,
    Source,
)
from labeler.samplers.choices import Choices, share
from labeler.samplers.endpoint import EndpointConfig
from labeler.samplers.opened import Opened
from labeler.samplers.planted import PlantedConfig
from labeler.samplers.recorded import RecordedConfig
from labeler.samplers.vllm_engine import VllmConfig

CompleterConfig = Annotated[
    VllmConfig | EndpointConfig | RecordedConfig | PlantedConfig, Field(discriminator="kind")
]

__all__ = [
    "CHOOSER",
    "COMPLETER",
    "GENERATOR",
    "JUDGE",
    "Choices",
    "CompleterConfig",
    "EndpointConfig",
    "EngineDiedError",
    "Opened",
    "PlantedConfig",
    "RecordedConfig",
    "Sampling",
    "Source",
    "VllmConfig",
    "share",
]
