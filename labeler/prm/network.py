"""network.py - the model: a base's hidden states and a linear head, in memory and on disk.

A directory holds the base and its tokenizer in Hugging Face's format, `head.safetensors` (weight
and bias) and `prm.json` (settings, threshold, and where that came from).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from labeler.model import LabelerError
from labeler.prm.encoding import Encoded, Encoder
from labeler.prm.settings import Settings
from labeler.prompts import Renderer, load_tokenizer

if TYPE_CHECKING:
    from torch import Tensor

HEAD, ABOUT = "head.safetensors", "prm.json"


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
    threshold_from: str = "no validation problems: one half"

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
        """Write it."""
        from safetensors.torch import save_file

        self.backbone.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        save_file(self.head.state_dict(), str(folder / HEAD))
        about = {
            "settings": self.settings.model_dump(mode="json"),
            "threshold": self.threshold,
            "threshold_from": self.threshold_from,
        }
        (folder / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def start(settings: Settings) -> RewardModel:
    """An untrained head on the base. Raises LabelerError where there is no such base."""
    import torch

    torch.manual_seed(settings.seed)
    return _assemble(settings.base, settings)


def load(folder: Path) -> RewardModel:
    """A model that `save` wrote. Raises LabelerError where the directory holds none."""
    from safetensors.torch import load_file

    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        settings = Settings.model_validate(about["settings"])
        model = _assemble(folder, settings)
        model.head.load_state_dict(load_file(str(folder / HEAD)))
    except (OSError, KeyError, json.JSONDecodeError, ValidationError) as e:
        raise LabelerError(f"{folder} holds no process reward model of labeler: {e}") from e
    model.threshold, model.threshold_from = about["threshold"], about["threshold_from"]
    return model


def _assemble(folder: Path, settings: Settings) -> RewardModel:
    import torch
    from transformers import AutoModel

    tokenizer = load_tokenizer(folder)
    try:
        # Its backward is twice as fast on a CPU as that of the default.
        backbone = AutoModel.from_pretrained(str(folder), attn_implementation="eager")
    except (OSError, ValueError) as e:
        raise LabelerError(f"no model at {folder}: {e}") from e
    known = backbone.get_input_embeddings().num_embeddings
    if len(tokenizer) > known:
        raise LabelerError(
            f"the tokenizer of {folder} has {len(tokenizer)} tokens and its model {known}: they do "
            "not belong together"
        )
    head = torch.nn.Linear(backbone.config.hidden_size, 1)
    return RewardModel(backbone, head, tokenizer, settings)
