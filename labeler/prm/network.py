"""network.py - the model: a base's hidden states and a linear head, in memory and on disk.

A directory holds the base and its tokenizer in Hugging Face's format, `head.safetensors` (weight
and bias) and `prm.json` (settings, threshold, and where that came from).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from labeler.model import LabelerError
from labeler.params import Params, explain
from labeler.prm.encoding import Encoded, Encoder
from labeler.prm.settings import Settings
from labeler.prompts import Renderer, load_tokenizer

if TYPE_CHECKING:
    from torch import Tensor

HEAD, ABOUT = "head.safetensors", "prm.json"


class About(Params):
    """What prm.json says."""

    settings: Settings
    threshold: float = Field(ge=0, le=1)
    threshold_from: str


@dataclass(slots=True)
class RewardModel:
    """Scores the end of each step."""

    backbone: Any
    """A transformers model without a head."""
    head: Any
    """torch.nn.Linear(hidden, 1)."""
    tokenizer: Any
    settings: Settings
    threshold: float = 0.5
    """A step is wrong where its score is below this."""
    threshold_from: str = "one half: no problem was kept out for validation"

    @property
    def encoder(self) -> Encoder:
        """How it reads solutions."""
        renderer = Renderer(self.tokenizer, self.settings.prompt)
        return Encoder(renderer, self.settings.separator, self.settings.max_length)

    def parameters(self) -> Iterator[Any]:
        """Of base and head."""
        return chain(self.backbone.parameters(), self.head.parameters())

    def logits(self, batch: Sequence[Encoded]) -> "Tensor":
        """One logit a step end, the batch's step ends one after the other."""
        import torch

        longest = max(len(item.ids) for item in batch)
        ids = torch.zeros((len(batch), longest), dtype=torch.long)
        for row, item in enumerate(batch):
            ids[row, : len(item.ids)] = torch.tensor(item.ids)
        rows = torch.tensor([row for row, item in enumerate(batch) for _ in item.ends])
        columns = torch.tensor([end for item in batch for end in item.ends])
        # Attention is causal, so that what pads a text on its right changes nothing in it.
        hidden = self.backbone(input_ids=ids, use_cache=False).last_hidden_state
        logits: Tensor = self.head(hidden[rows, columns]).squeeze(-1)
        return logits

    def save(self, folder: Path) -> None:
        """Write it. Raises LabelerError where the directory cannot be made."""
        from safetensors.torch import save_file

        make_folder(folder)
        self.backbone.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        save_file(self.head.state_dict(), str(folder / HEAD))
        about = About(
            settings=self.settings, threshold=self.threshold, threshold_from=self.threshold_from
        )
        (folder / ABOUT).write_text(about.model_dump_json(indent=2) + "\n", encoding="utf-8")


def make_folder(folder: Path) -> None:
    """Make a directory for a model. Raises LabelerError where that cannot be, or holds anything."""
    if folder.is_dir() and any(folder.iterdir()):
        raise LabelerError(f"{folder} is not empty, and nothing is overwritten: name another one")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise LabelerError(f"{folder} cannot be a directory to write a model into: {e}") from e


def start(settings: Settings) -> RewardModel:
    """An untrained head on the base. Raises LabelerError where there is no such base."""
    import torch

    torch.manual_seed(settings.seed)
    return _assemble(settings.base, settings)


def load(folder: Path) -> RewardModel:
    """A model that `save` wrote. Raises LabelerError where the directory holds none."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        about = About.model_validate_json((folder / ABOUT).read_bytes())
        model = _assemble(folder, about.settings)
        model.head.load_state_dict(load_file(str(folder / HEAD)))
    except (OSError, ValidationError, SafetensorError, RuntimeError) as e:
        why = "; ".join(explain(e, About)) if isinstance(e, ValidationError) else e
        raise LabelerError(f"{folder} holds no process reward model of labeler: {why}") from e
    model.threshold, model.threshold_from = about.threshold, about.threshold_from
    return model


def _assemble(folder: Path, settings: Settings) -> RewardModel:
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModel

    if not folder.is_dir():
        raise LabelerError(f"no model at {folder}: there is no such directory")
    tokenizer = load_tokenizer(folder)
    try:
        # Its backward is twice as fast on a CPU as that of the default.
        backbone = AutoModel.from_pretrained(str(folder), attn_implementation="eager")
    except (OSError, ValueError, SafetensorError) as e:
        raise LabelerError(f"no model at {folder}: {e}") from e
    _check(folder, backbone, len(tokenizer), settings)
    head = torch.nn.Linear(backbone.config.hidden_size, 1)
    return RewardModel(backbone, head, tokenizer, settings)


def _check(folder: Path, backbone: Any, tokens: int, settings: Settings) -> None:  # noqa: ANN401
    """Raises LabelerError where the base cannot read solutions as the settings want it."""
    import torch

    known = backbone.get_input_embeddings().num_embeddings
    if tokens > known:
        raise LabelerError(
            f"the tokenizer of {folder} has {tokens} tokens and its model {known}: they do "
            "not belong together"
        )
    most = getattr(backbone.config, "max_position_embeddings", None)
    if most is not None and settings.max_length > most:
        raise LabelerError(
            f"max_length is {settings.max_length}, and the model at {folder} reads {most} tokens "
            f"at most: set max_length={most} or less"
        )
    with torch.no_grad():
        seen = backbone.eval()(input_ids=torch.tensor([[1, 2], [1, 3]])).last_hidden_state[:, 0]
    if not torch.allclose(seen[0], seen[1], atol=1e-4):
        raise LabelerError(
            f"the model at {folder} looks at what follows a step, so that it cannot judge the "
            "first steps of a solution by themselves: choose a causal language model"
        )
