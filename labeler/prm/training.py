"""training.py - the loop: binary cross-entropy at the step ends that carry a label, nothing else.

Soft targets are probabilities, which the same loss takes. The same settings, examples and library
versions on the same kind of machine, with one thread, give the same weights.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from labeler.model import LabelerError, digest
from labeler.prm.encoding import Encoded
from labeler.prm.examples import Example
from labeler.prm.network import RewardModel, start
from labeler.prm.scoring import best_threshold, scores_of
from labeler.prm.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor

_CHUNK = 16
"""Batches that are cut from one stretch of examples, sorted by length to save padding."""


@dataclass(frozen=True, slots=True)
class Item:
    """An example in tokens."""

    text: Encoded
    targets: tuple[float | None, ...]
    """One a step end."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A model, and how it came about."""

    model: RewardModel
    losses: tuple[float, ...]
    """Mean loss of each epoch."""
    solutions: int
    """That were trained on."""
    good: int
    """Of their labelled steps, those with a target of one half or more."""
    bad: int
    """The others."""
    cut: int
    """Steps that lost their label since the text was longer than max_length."""


def train(examples: Sequence[Example], settings: Settings) -> Trained:
    """Train on examples, and choose the threshold on problems that are kept out.

    The threshold is the one with the highest F1 against the labels' own first errors there.
    Raises LabelerError where no example that fits into max_length has a label, where all labels
    are alike, and where the loss is no number.
    """
    kept_out = [e for e in examples if _is_for_validation(e, settings)]
    learnt = [e for e in examples if not _is_for_validation(e, settings)]
    if settings.after_error == "cut":
        learnt = [e.cut for e in learnt]
    if not learnt:
        raise LabelerError(
            f"all {len(kept_out)} solutions are kept out for validation: set validation=0, or give "
            "more problems"
        )
    model = start(settings)
    items = encoded(model, learnt)
    cut = sum(len(e.steps) for e in learnt) - sum(len(i.targets) for i in items)
    items = [item for item in items if any(t is not None for t in item.targets)]
    targets = _targets(items, learnt, settings)
    good = sum(t >= 0.5 for t in targets)
    losses = fit(model, items)
    _choose_threshold(model, kept_out)
    return Trained(model, losses, len(items), good, len(targets) - good, cut)


def _targets(items: Sequence[Item], learnt: Sequence[Example], settings: Settings) -> list[float]:
    """All targets. Raises LabelerError where there is nothing to learn from them."""
    if not items:
        raise LabelerError(
            f"none of the {len(learnt)} solutions has a labelled step within the first "
            f"{settings.max_length} tokens: raise max_length"
        )
    targets = [t for item in items for t in item.targets if t is not None]
    if len(set(targets)) == 1:
        raise LabelerError(
            f"all {len(targets)} labelled steps have the same label, {targets[0]:g}: there is "
            "nothing to tell apart"
        )
    return targets


def encoded(model: RewardModel, examples: Sequence[Example]) -> list[Item]:
    """The examples in tokens, with the targets of the steps that fit."""
    encoder = model.encoder
    texts = [encoder.encode(e.question, e.steps) for e in examples]
    return [
        Item(text, e.targets[: len(text.ends)]) for e, text in zip(examples, texts, strict=True)
    ]


def fit(model: RewardModel, items: Sequence[Item]) -> tuple[float, ...]:
    """Train in place; the mean loss of each epoch. Raises LabelerError where it is no number."""
    import torch

    settings = model.settings
    updates = -(-len(items) // settings.batch)
    optimiser = torch.optim.AdamW(model.parameters(), lr=settings.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, settings.rate, total_steps=max(updates * settings.epochs, 2), pct_start=0.1
    )
    luck = random.Random(settings.seed)
    model.backbone.train()
    losses: list[float] = []
    for _ in range(settings.epochs):
        total = 0.0
        for batch in batches(items, settings.batch, luck):
            loss = loss_of(model, batch)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        sound = all(bool(weights.isfinite().all()) for weights in model.parameters())
        if not (sound and math.isfinite(total)):
            raise LabelerError(
                f"the loss or a weight of epoch {len(losses) + 1} is no number: lower the rate, "
                f"which is {settings.rate:g}"
            )
        losses.append(total / updates)
    model.backbone.eval()
    return tuple(losses)


def loss_of(model: RewardModel, batch: Sequence[Item]) -> "Tensor":
    """Mean binary cross-entropy over the batch's labelled step ends."""
    import torch

    targets = [t for item in batch for t in item.targets]
    labelled = torch.tensor([t is not None for t in targets])
    wanted = torch.tensor([t for t in targets if t is not None])
    logits = model.logits([item.text for item in batch])[labelled]
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, wanted)


def batches(items: Sequence[Item], size: int, luck: random.Random) -> Iterator[list[Item]]:
    """All items once, in batches of similar length."""
    order = iter(luck.sample(items, len(items)))
    while chunk := list(islice(order, size * _CHUNK)):
        chunk.sort(key=lambda item: len(item.text.ids))
        made = [chunk[i : i + size] for i in range(0, len(chunk), size)]
        luck.shuffle(made)
        yield from made


def _is_for_validation(example: Example, settings: Settings) -> bool:
    """By the content of the question, so that a problem is in or out with all its solutions."""
    number = int(digest(str(settings.seed), example.question, size=4), 16)
    return number < settings.validation * 2**32


def _choose_threshold(model: RewardModel, kept_out: Sequence[Example]) -> None:
    decided = [e for e in kept_out if e.first_error is not None]
    scores = scores_of(model, [(e.question, e.steps) for e in decided])
    truths = [e.first_error for e in decided if e.first_error is not None]
    found = best_threshold(scores, truths)
    if found is not None:
        model.threshold = found
        model.threshold_from = f"the highest F1 on {len(truths)} solutions of validation problems"
    elif kept_out:
        wrong = sum(truth > 0 for truth in truths)
        model.threshold_from = (
            f"one half: of {len(kept_out)} validation solutions {wrong} have a first error by "
            f"their labels and {len(truths) - wrong} have none, and both are needed"
        )
