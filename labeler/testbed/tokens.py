"""tokens.py - the testbed's tokenizer: a small byte-level BPE that loses nothing.

1. Any Unicode text survives `decode(encode(text))`: all 256 bytes are in the vocabulary.
2. Every digit is a token of its own, and so is every newline; an operator keeps the spaces
   round it, and a word the space before a digit, so that a step stays short.
3. It never adds a token by itself: the chat template writes the only BOS.
4. Assistant text begins right after its role token, verbatim, so it can be continued.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

BOS, END, PAD, USER, ASSISTANT = "<|bos|>", "<|end|>", "<|pad|>", "<|user|>", "<|assistant|>"
SPECIAL = (PAD, BOS, END, USER, ASSISTANT)
VOCABULARY = 1024

_PIECES = r"\n|\d| [-+*/=] (?=\d)| ?\p{L}+ (?=\d)|[:,] (?=\d)| ?\p{L}+|[^\S\n]+|[^\s\p{L}\d]+"

CHAT_TEMPLATE = (
    "{{ bos_token }}"
    "{% for message in messages %}"
    "{% if message['role'] == 'assistant' %}"
    "{{ '<|assistant|>' + message['content'] + '<|end|>' }}"
    "{% else %}"
    "{{ '<|user|>' + message['content'] }}"
    "{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def build(corpus: Iterable[str]) -> PreTrainedTokenizerFast:
    """A fast Hugging Face tokenizer trained on the corpus; the same corpus gives the same one."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=BOS,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=[USER, ASSISTANT],
        clean_up_tokenization_spaces=False,
        model_max_length=512,
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast
