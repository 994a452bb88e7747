"""scoring.py - what a model's scores of steps mean: first errors, thresholds, solutions.

The score of a step is the model's probability that it is good. The predicted first error is the
first step whose score is below a threshold; 0 where there is none.
"""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Literal

import numpy as np

from labeler.scores import f1

if TYPE_CHECKING:
    from labeler.prm.network import RewardModel

Rule = Literal["product", "min", "last", "mean"]
RULES: tuple[Rule, ...] = ("product", "min", "last", "mean")
Scores = tuple[float, ...]
"""(K,): one a step."""
_BATCH = 64
_CANDIDATES = 99


def scores_of(model: "RewardModel", solutions: Sequence[tuple[str, Sequence[str]]]) -> list[Scores]:
    """The scores of the steps of (question, steps); fewer where a text was cut."""
    import torch

    encoder = model.encoder
    texts = [encoder.encode(question, steps) for question, steps in solutions]
    order = sorted(range(len(texts)), key=lambda i: len(texts[i].ids))
    found: list[Scores] = [()] * len(texts)
    model.backbone.eval()
    with torch.no_grad():
        for at in range(0, len(order), _BATCH):
            batch = [i for i in order[at : at + _BATCH] if texts[i].ends]
            if not batch:
                continue
            flat = iter(model.logits([texts[i] for i in batch]).sigmoid().tolist())
            for i in batch:
                found[i] = tuple(next(flat) for _ in texts[i].ends)
    return found


def first_below(scores: Scores, threshold: float) -> int:
    """The predicted first error, 1-based; 0: no step is below the threshold."""
    return next((k for k, score in enumerate(scores, 1) if score < threshold), 0)


def best_threshold(scores: Sequence[Scores], truths: Sequence[int]) -> float | None:
    """The threshold with the highest F1 against true first errors (1-based, 0 none).

    Quantiles of all scores are tried; the lowest of equals is taken. None where the solutions are
    all of one kind, so that there is no F1.
    """
    every = [score for row in scores for score in row]
    if not every:
        return None
    tried = np.quantile(every, np.linspace(0.01, 0.99, _CANDIDATES)).tolist()
    found: tuple[float, float] | None = None
    for threshold in tried:
        predicted = [first_below(row, threshold) for row in scores]
        value = f1(list(zip(truths, predicted, strict=True))).f1
        if value is not None and (found is None or value > found[0]):
            found = value, threshold
    return None if found is None else found[1]


def solution_score(scores: Scores, rule: Rule) -> float:
    """One number for a whole solution (Lightman et al. 2023, appendix F: product and min).

    Raises ValueError for a solution without scores.
    """
    if not scores:
        raise ValueError("a solution without scores has no score")
    match rule:
        case "product":
            return prod(scores)
        case "min":
            return min(scores)
        case "last":
            return scores[-1]
        case "mean":
            return sum(scores) / len(scores)
