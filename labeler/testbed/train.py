"""train.py - trains the testbed model, from nothing, reproducibly.

    python -m labeler.testbed.train --out data/testbed/model --seed 0

1. The same seed, options and library versions on the same kind of CPU give the same model;
   one thread, because a sum over threads has no fixed order.
2. No training question is a held-out one: the streams differ, and equal questions are dropped.
3. The loss is on the solution and its end token, never on the question.

About a million parameters, Llama shape; head size 32, which vLLM's CPU attention takes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from labeler.testbed import tokens
from labeler.testbed.drawing import TESTBED, WIDE, Setting
from labeler.testbed.flaws import training_solution
from labeler.testbed.problems import HELD, TRAINING, draw, draw_many

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

HELD_OUT = 2000
"""The first so many held-out questions are kept out of training, whatever seed it has."""
_CORPUS = 4000
_CHUNK = 32


@dataclass(frozen=True, slots=True)
class Phase:
    """One cycle of training; each has a stream of problems and an optimiser of its own."""

    stream: str
    setting: Setting
    updates: int
    batch: int
    rate: float


@dataclass(frozen=True, slots=True)
class Options:
    """What decides the model, apart from the generator."""

    seed: int = 0
    phases: tuple[Phase, ...] = (
        Phase(TRAINING, WIDE, 1300, 64, 2e-3),
        Phase(f"{TRAINING}-again", TESTBED, 1500, 32, 1.5e-3),
        Phase(f"{TRAINING}-more", TESTBED, 800, 32, 1.5e-3),
        Phase(f"{TRAINING}-last", TESTBED, 1000, 32, 1.5e-3),
    )
    """First harder problems than the testbed's, then its own."""
    hidden: int = 128
    layers: int = 4
    heads: int = 4
    feed: int = 352


@dataclass(frozen=True, slots=True)
class Example:
    """A question and the solution to learn for it."""

    question: str
    solution: str


@cache
def held_out() -> frozenset[str]:
    """The questions that are never trained on."""
    return frozenset(problem.question for problem in draw_many(HELD, 0, HELD_OUT))


def examples(seed: int, stream: str = TRAINING, setting: Setting = WIDE) -> Iterator[Example]:
    """Training examples without end."""
    held = held_out()
    for index in count():
        problem = draw(stream, seed, index, setting)
        if problem.question not in held:
            mark = "" if stream == TRAINING else f"{stream}:"
            rng = Random(f"solution:{mark}{seed}:{index}")
            yield Example(problem.question, training_solution(problem.program, rng))


def batches(
    tokenizer: PreTrainedTokenizerFast, seed: int, phase: Phase
) -> Iterator[list[tuple[list[int], int]]]:
    """Batches of (ids, length of the prompt); sequences of a batch are of similar length."""
    source = examples(seed, phase.stream, phase.setting)
    rng = Random(f"batches:{seed}")
    while True:
        chunk = [encode(tokenizer, x) for x in islice(source, phase.batch * _CHUNK)]
        chunk.sort(key=lambda pair: len(pair[0]))
        made = [chunk[i : i + phase.batch] for i in range(0, len(chunk), phase.batch)]
        rng.shuffle(made)
        yield from made


def encode(tokenizer: PreTrainedTokenizerFast, example: Example) -> tuple[list[int], int]:
    """The ids of the templated example, and how many of them are the prompt."""
    prompt = f"{tokens.BOS}{tokens.USER}{example.question}{tokens.ASSISTANT}"
    before = tokenizer(prompt, add_special_tokens=False).input_ids
    after = tokenizer(example.solution + tokens.END, add_special_tokens=False).input_ids
    return before + after, len(before)


def make_model(tokenizer: PreTrainedTokenizerFast, options: Options) -> LlamaForCausalLM:
    """The untrained model."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(options.seed)
    config = LlamaConfig(
        vocab_size=-(-len(tokenizer) // 64) * 64,
        hidden_size=options.hidden,
        intermediate_size=options.feed,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        num_key_value_heads=options.heads,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.05,
    )
    config._attn_implementation = "eager"  # its backward is twice as fast on a CPU
    return LlamaForCausalLM(config)


def loss_of(model: LlamaForCausalLM, batch: list[tuple[list[int], int]], pad: int) -> Tensor:
    """Mean cross-entropy over the solutions' tokens."""
    import torch

    longest = max(len(ids) for ids, _ in batch)
    inputs = torch.full((len(batch), longest), pad)
    labels = torch.full((len(batch), longest), -100)
    for row, (ids, prompt) in enumerate(batch):
        inputs[row, : len(ids)] = torch.tensor(ids)
        labels[row, prompt : len(ids)] = torch.tensor(ids[prompt:])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = model.model(input_ids=inputs).last_hidden_state[:, :-1]
        wanted = labels[:, 1:]
        logits = model.lm_head(hidden[wanted >= 0])
    return torch.nn.functional.cross_entropy(logits.float(), wanted[wanted >= 0])


def fit(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, seed: int, phase: Phase
) -> None:
    """Train in place; prints the loss now and then."""
    import torch

    optimiser = torch.optim.AdamW(
        model.parameters(), lr=phase.rate, weight_decay=0.01, betas=(0.9, 0.98)
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, max_lr=phase.rate, total_steps=phase.updates, pct_start=0.1
    )
    model.train()
    begun, mean = time.monotonic(), 0.0
    for update, batch in enumerate(islice(batches(tokenizer, seed, phase), phase.updates), 1):
        loss = loss_of(model, batch, tokenizer.pad_token_id)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        mean += (loss.item() - mean) / min(update, 50)
        if update % 50 == 0:
            print(
                f"{update}/{phase.updates} loss {mean:.3f} {time.monotonic() - begun:.0f}s",
                flush=True,
            )


def save(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, options: Options, out: Path
) -> None:
    """Write the model directory in Hugging Face format, with the options beside it."""
    from transformers import GenerationConfig

    model.generation_config = GenerationConfig(
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        do_sample=True,
        temperature=1.0,
    )
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    record = asdict(options)
    record["parameters"] = sum(p.numel() for p in model.parameters())
    (out / "training.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Train the testbed model and write its directory."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=Options().seed)
    parser.add_argument("--start", type=Path, help="a model that lacks the last phase only")
    given = parser.parse_args()

    import torch

    torch.set_num_threads(1)
    options = Options(seed=given.seed)
    corpus = [x for e in islice(examples(options.seed), _CORPUS) for x in (e.question, e.solution)]
    tokenizer = tokens.build(corpus)
    model = make_model(tokenizer, options)
    if given.start:
        weights = type(model).from_pretrained(given.start).state_dict()
        model.load_state_dict(weights)
    for phase in options.phases[-1:] if given.start else options.phases:
        fit(model, tokenizer, options.seed, phase)
    save(model, tokenizer, options, given.out)


if __name__ == "__main__":
    main()
