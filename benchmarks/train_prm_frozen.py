"""The benchmark's fast trainer: the base stays as it is, and a small head learns from its states.

What the base makes of a step's end is computed once for all contenders: the hidden states of every
layer, and the log-probabilities that it gave to the step's tokens (sum, least, mean). A head of one
hidden layer is trained on them by the same loss, which takes seconds. It reads solutions, labels
and thresholds as labeler.prm does.
"""

import pickle
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from train_prm_fresh import MODEL, World, cases

from labeler.prm.encoding import Encoded
from labeler.prm.examples import Example
from labeler.prm.network import start
from labeler.prm.settings import Settings

Floats = NDArray[np.float32]
Text = tuple[str, tuple[str, ...]]
"""A question and steps."""
SEES = {"all": slice(None), "states": slice(-3), "likelihoods": slice(-3, None)}
"""The features that a head sees, by name."""
_BATCH, _WIDTH, _UPDATES, _STEPS, _RATE = 64, 64, 400, 256, 2e-3


def keep_features(
    path: Path, worlds: Sequence[World], rows: Sequence[Mapping[str, Any]], sees: str
) -> None:
    """Write the features of the solutions of these worlds, and of those to test on."""
    tasks = [case.task for world in worlds for case in cases(world)]
    texts = {
        (task.problem.question, tuple(step.text for step in solution.steps))
        for task in tasks
        for solution in task.solutions
    }
    every = [*sorted(texts), *((row["problem"], tuple(row["steps"])) for row in rows)]
    seen = (np.ascontiguousarray(one[:, SEES[sees]]) for one in features(every))
    path.write_bytes(pickle.dumps(dict(zip(every, seen, strict=True))))


@lru_cache(maxsize=1)
def kept(path: Path) -> dict[Text, Floats]:
    """What `keep_features` wrote."""
    found: dict[Text, Floats] = pickle.loads(path.read_bytes())
    return found


def features(texts: Sequence[Text]) -> list[Floats]:
    """(K, F) a solution."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)
    encoder = start(Settings(base=MODEL)).encoder
    base: Any = AutoModelForCausalLM.from_pretrained(MODEL, attn_implementation="eager").eval()
    items = [encoder.encode(question, steps) for question, steps in texts]
    heads = [len(encoder.encode(question, ()).ids) for question, _ in texts]
    found: list[Floats] = [np.zeros((0, 0), np.float32)] * len(items)
    order = sorted(range(len(items)), key=lambda i: len(items[i].ids))
    for at in range(0, len(order), _BATCH):
        batch = order[at : at + _BATCH]
        longest = max(len(items[i].ids) for i in batch)
        ids = torch.zeros((len(batch), longest), dtype=torch.long)
        for row, i in enumerate(batch):
            ids[row, : len(items[i].ids)] = torch.tensor(items[i].ids)
        with torch.no_grad():
            told = base(input_ids=ids, output_hidden_states=True)
        given = told.logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
        for row, i in enumerate(batch):
            states = torch.cat([h[row, list(items[i].ends)] for h in told.hidden_states], dim=1)
            odds = _odds(given[row].numpy(), items[i], heads[i])
            found[i] = np.concatenate([states.numpy(), odds], axis=1)
    return found


def _odds(given: Floats, item: Encoded, head: int) -> Floats:
    """(K, 3): sum, least and mean of the log-probabilities of each step's tokens."""
    begins = (head - 1, *item.ends[:-1])
    parts = [given[begin:end] for begin, end in zip(begins, item.ends, strict=True)]
    return np.array([(part.sum(), part.min(), part.mean()) for part in parts], np.float32)


def fit_head(path: Path, examples: Sequence[Example], seed: int) -> Any:  # noqa: ANN401 - a module
    """Train a head; a function of features, standardised by those it was trained on."""
    import torch

    torch.manual_seed(seed)
    known = kept(path)
    x = torch.tensor(np.concatenate([known[e.question, e.steps] for e in examples]))
    targets = [t for e in examples for t in e.targets]
    x = x[torch.tensor([t is not None for t in targets])]
    y = torch.tensor([t for t in targets if t is not None])
    mean, spread = x.mean(0), x.std(0) + 1e-5
    x = (x - mean) / spread
    head = torch.nn.Sequential(
        torch.nn.Linear(x.shape[1], _WIDTH), torch.nn.GELU(), torch.nn.Linear(_WIDTH, 1)
    )
    optimiser = torch.optim.AdamW(head.parameters(), lr=_RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=_UPDATES)
    for _ in range(_UPDATES):
        some = torch.randint(len(x), (_STEPS,))
        logits = head(x[some]).squeeze(-1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, y[some])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return lambda values: head((torch.tensor(values) - mean) / spread).squeeze(-1).sigmoid()


def head_scores(path: Path, head: Any, texts: Sequence[Text]) -> list[tuple[float, ...]]:  # noqa: ANN401
    """The scores of each solution's steps."""
    import torch

    known = kept(path)
    with torch.no_grad():
        return [tuple(head(known[text]).tolist()) for text in texts]
