"""The shipped tokenizer: loses nothing, and its template can be continued."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer

from labeler.testbed import tokens
from labeler.testbed.problems import Problem, draw
from labeler.testbed.truth import split
from tests.conftest import ROOT
from tests.testbed.strategies import problems

MODEL = ROOT / "data" / "testbed" / "model"
TOKENIZER = AutoTokenizer.from_pretrained(MODEL)

plain = st.text().filter(lambda text: not any(token in text for token in tokens.SPECIAL))
user = {"role": "user", "content": "How many?"}


def ids_of(text: str) -> list[int]:
    return TOKENIZER(text, add_special_tokens=False).input_ids


@given(plain)
def test_any_text_survives(text: str) -> None:
    assert TOKENIZER.decode(ids_of(text)) == text


@given(problems)
def test_problems_survive(problem: Problem) -> None:
    for text in (problem.question, problem.solution):
        assert TOKENIZER.decode(ids_of(text)) == text


@given(plain)
def test_digits_and_newlines_are_tokens_of_their_own(text: str) -> None:
    alone = set("0123456789\n")
    pieces = [TOKENIZER.decode([i]) for i in ids_of(text + " 12\n\n3")]
    assert all(len(piece) == 1 for piece in pieces if alone & set(piece))


@given(problems)
def test_a_prefix_has_the_tokens_it_has_in_the_whole(problem: Problem) -> None:
    steps = split(problem.solution)
    whole = ids_of(problem.solution)
    for k in range(1, len(steps)):
        prefix = ids_of("".join(step + "\n" for step in steps[:k]))
        assert whole[: len(prefix)] == prefix


@pytest.mark.parametrize("add_special_tokens", [False, True])
def test_the_tokenizer_adds_nothing(add_special_tokens: bool) -> None:
    ids = TOKENIZER("Nina has 14", add_special_tokens=add_special_tokens).input_ids
    assert TOKENIZER.decode(ids) == "Nina has 14"


def test_the_template_has_one_bos_and_the_assistant_text_verbatim() -> None:
    start = TOKENIZER.apply_chat_template([user], tokenize=False, add_generation_prompt=True)
    assert start == "<|bos|><|user|>How many?<|assistant|>"
    said = {"role": "assistant", "content": "Nina has 1 + 2 = 3 shells.\n"}
    open_end = TOKENIZER.apply_chat_template(
        [user, said], tokenize=False, continue_final_message=True
    )
    assert open_end == start + said["content"]
    closed = TOKENIZER.apply_chat_template([user, said], tokenize=False)
    assert closed == start + said["content"] + tokens.END
    ids = ids_of(closed)
    assert ids.count(TOKENIZER.bos_token_id) == 1
    assert ids[-1] == TOKENIZER.eos_token_id


def test_the_model_directory_agrees_with_the_tokenizer() -> None:
    config = json.loads((MODEL / "config.json").read_text())
    generation = json.loads((MODEL / "generation_config.json").read_text())
    assert config["vocab_size"] >= len(TOKENIZER)
    assert config["eos_token_id"] == generation["eos_token_id"] == TOKENIZER.eos_token_id
    assert config["hidden_size"] // config["num_attention_heads"] in (32, 64)
    size = sum(path.stat().st_size for path in MODEL.iterdir())
    assert size < 5_000_000


def test_the_same_corpus_gives_the_same_tokenizer() -> None:
    corpus = [text for i in range(50) for text in (draw("test", 1, i).question,)]
    one, other = (tokens.build(corpus).backend_tokenizer.to_str() for _ in range(2))
    assert one == other
