"""opened.py - the completers that one process has open: each once, whatever it samples with."""

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from labeler.model import Sampler
from labeler.prompts import PromptConfig
from labeler.samplers.base import COMPLETER, EngineStartError, Sampling, Source
from labeler.samplers.choices import Choices
from labeler.samplers.vllm_engine import VllmConfig

if TYPE_CHECKING:
    from labeler.samplers import CompleterConfig


class Opened:
    """Samplers of a run's completers, on as few engines as can be."""

    def __init__(
        self, own: "CompleterConfig", prompt: PromptConfig, seed: int, stack: AsyncExitStack
    ) -> None:
        """`own` is the run's own completer; what is opened is closed by the stack."""
        self._own = own
        self._prompt = prompt
        self._seed = seed
        self._stack = stack
        self._sources: dict[str, Source] = {}
        self._engines = 0

    async def sampler(
        self,
        wanted: "CompleterConfig | None" = None,
        sampling: Sampling | None = None,
        role: str = COMPLETER,
        prompt: PromptConfig | None = None,
        choices: Choices = (),
    ) -> Sampler:
        """A sampler of this completer (None: the run's own), which is opened if it is not.

        Completers that differ in nothing but their sampling share an engine. Raises LabelerError
        where it cannot be opened, prompted so, or say how likely the choices are.
        """
        completer = wanted or self._own
        key = completer.model_dump_json(exclude={"sampling"})
        if key not in self._sources:
            self._sources[key] = await self._start(completer)
        return self._sources[key].sampler(sampling or completer.sampling, role, choices, prompt)

    async def _start(self, completer: "CompleterConfig") -> Source:
        opening = completer.open(self._prompt, self._seed)
        try:
            source = await self._stack.enter_async_context(opening)
        except EngineStartError as error:
            if not self._engines:
                raise
            raise EngineStartError(
                f"{error}. There are {self._engines} engines in this process already: on a GPU "
                "they share its memory (set engine.gpu_memory_utilization of each, together below "
                "1); or serve one of the models elsewhere (kind: endpoint)."
            ) from error
        self._engines += isinstance(completer, VllmConfig)
        return source
