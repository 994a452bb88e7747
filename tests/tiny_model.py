"""A tiny random Llama in Hugging Face format, with a byte-level tokenizer and a chat template.

It talks nonsense, but through the real loading, tokenizing and sampling code, in seconds.
"""

from pathlib import Path

CHAT_TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
SPECIALS = ["<s>", "</s>", "<|end|>", "<|user|>", "<|assistant|>", "<|system|>"]
CONTEXT = 512


def write_tokenizer(directory: Path, *, adds_bos: bool = True) -> Path:
    """A tokenizer with one token a byte; with `adds_bos` it begins every text with <s>."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate([*SPECIALS, *alphabet])}
    core = Tokenizer(models.BPE(vocabulary, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    if adds_bos:
        core.post_processor = processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", 0)]
        )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        bos_token="<s>",
        eos_token="<|end|>",
        additional_special_tokens=["</s>", *SPECIALS[3:]],
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.save_pretrained(directory)
    return directory


def write_model(directory: Path) -> Path:
    """Tokenizer and weights: 0.3 M parameters, head size 32, 512 tokens of context."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    write_tokenizer(directory)
    config = LlamaConfig(
        vocab_size=320,
        hidden_size=128,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=CONTEXT,
        bos_token_id=0,
        eos_token_id=2,
        tie_word_embeddings=False,
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = LlamaForCausalLM(config)
    with torch.no_grad():
        model.lm_head.weight[262:] = 0.0
        model.lm_head.weight *= 4.0
    model.to(torch.float32).save_pretrained(directory)
    return directory
