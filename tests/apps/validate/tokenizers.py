"""Tokenizers to be wrong in their own ways, beside the one that ships with the testbed's model."""

from pathlib import Path

from tests.conftest import ROOT
from tests.tiny_model import CHAT_TEMPLATE

TESTBED = ROOT / "data" / "testbed" / "model"
"""Its pieces are bytes and common words: no tag is one token, + and - are."""


def with_tags(folder: Path) -> Path:
    """The testbed's tokenizer with the tags of the trainers added, as their users do."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(TESTBED))
    tokenizer.add_tokens(["ки", "<extra_0>", "<prm>"])
    tokenizer.save_pretrained(folder)
    return folder


def merging(folder: Path) -> Path:
    """Bytes that merge: "ки" is a token, " ки" another one, and so is a blank line before an a."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [
        ("Ð", "º"), ("Ð", "¸"), ("Ðº", "Ð¸"), ("Ġ", "ÐºÐ¸"), ("Ċ", "Ċ"), ("ĊĊ", "a"),
    ]  # fmt: skip
    pieces = [*alphabet, *("".join(pair) for pair in merges)]
    core = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, merges))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=core)
    tokenizer.save_pretrained(folder)
    return folder


def of_words(folder: Path, *words: str, chat: bool = False) -> Path:
    """Words between spaces; any other is the unknown token. It has no token for white space."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: i for i, word in enumerate(["[UNK]", "+", "-", *words])}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, unk_token="[UNK]")
    tokenizer.chat_template = CHAT_TEMPLATE.replace("{{ bos_token }}", "") if chat else None
    tokenizer.save_pretrained(folder)
    return folder
